import Glibc
import Invocation
import Model
import Netlink
import Platform
import Probing
import Recovery
import Reporting
import Service

/// The real environment of the core: the sockets, timers and rfkill switches of this process.
final class LiveEnvironment {
    let netlink: NetlinkCommands
    /// The rfkill switches; nil if a one-shot command has not needed them yet.
    private var radios: RadioSwitches?
    private let console: Console
    private let prober: Prober
    let methods: RecoveryMethods
    private var monitor: NetlinkMonitor?
    private let scans: ScanTracker
    private let radioCondition: RadioConditionQuery
    private let lostInterfaces: LostInterfaces?
    /// The device without an interface that a one-shot command resets; nil: the interface exists.
    var lostDevice: LostDevice?
    private let powerSave: PowerSaveSwitch
    private let announcer: Announcer
    private var resume: ResumeSource?
    /// The name of the user as whom command probes run.
    var commandUser: String {
        get { prober.commandUser }
        set { prober.commandUser = newValue }
    }
    /// The program's own directories. Commands and hooks must not change anything in them.
    var ownDirectories: [String] = [] {
        didSet {
            prober.protectedDirectories = ownDirectories
            methods.ownDirectories = ownDirectories
        }
    }
    /// The holds; nil if holds do not apply.
    var holds: HoldStore?
    /// Whether there may be a hold on an interface. If not, a check need not read the files of holds.
    var mayBeHeld: @MainActor (String) -> Bool = { _ in true }
    /// Whether a snapshot must include the scan owner.
    var asksForScanOwner = true
    /// The stored state; nil if nothing is stored.
    var store: StateStore?
    /// The quiet hours; nil if they do not apply.
    var quiet: QuietHoursClock?

    private init(netlink: NetlinkCommands, _ console: Console, isService: Bool) {
        self.netlink = netlink
        self.console = console
        methods = RecoveryMethods(netlink)
        scans = ScanTracker(netlink)
        radioCondition = RadioConditionQuery { netlink.directedScan(to: $0, on: $1, $2) }
        lostInterfaces = isService ? LostInterfaces() : nil
        powerSave = PowerSaveSwitch(netlink, console)
        announcer = Announcer(netlink, console)
        prober = Prober(
            neighbours: Prober.NeighbourTable(
                verify: { netlink.verifyNeighbour($0, on: $1, $2) },
                lookUp: { netlink.neighbour($0, on: $1, $2) }))
    }

    /// Opens what every command needs. Ends the process if that fails.
    /// - Parameter onRadioChange: called in a service when an rfkill switch changes. If it is nil, this is a
    ///   one-shot command, which opens and reads rfkill only when it needs it.
    static func open(_ console: Console, onRadioChange: (@MainActor ([RadioSwitches.Change]) -> Void)? = nil)
        -> LiveEnvironment
    {
        let netlink: NetlinkCommands
        do {
            netlink = try NetlinkCommands(onRadioChange == nil ? .callingThread : .ownThread)
        } catch {
            console.fail(
                error.description(after: "could not open a socket to the kernel (netlink)"), ExitStatus(error)
            )
        }
        let live = LiveEnvironment(netlink: netlink, console, isService: onRadioChange != nil)
        if let onRadioChange { live.radios = radios(console, onRadioChange) }
        return live
    }

    private static func radios(
        _ console: Console, _ onChange: (@MainActor ([RadioSwitches.Change]) -> Void)? = nil
    ) -> RadioSwitches {
        do throws(SystemError) {
            return try RadioSwitches(onChange: onChange)
        } catch {
            console.fail("could not read /dev/rfkill", error)
        }
    }

    /// Starts the monitor. The handler gets all notifications except those about neighbours, which go to the
    /// prober.
    func startMonitor(
        _ topics: NetlinkMonitor.Topics, _ console: Console,
        _ handler: @escaping @MainActor (NetlinkMonitor.Notification) -> Void
    ) {
        let (prober, netlink, scans) = (prober, netlink, scans)
        let radioCondition = radioCondition
        do {
            monitor = try NetlinkMonitor(topics) { notification in
                netlink.heard(notification)
                scans.heard(notification)
                radioCondition.heard(notification)
                prober.heard(notification)
                if case .neighbourChanged(let index, let address, let neighbour) = notification {
                    prober.neighbourChanged(index, address, neighbour)
                } else {
                    handler(notification)
                }
            }
        } catch {
            console.fail(
                error.description(after: "could not subscribe to the events of the kernel (netlink)"),
                ExitStatus(error)
            )
        }
        guard topics.isSuperset(of: [.links, .addresses, .routes, .wireless]) else { return }
        netlink.relyOnChangeReports()
        prober.relyOnChangeReports()
    }

    /// Handles a resume from suspend. Announcements from before the suspend may still arrive.
    func resumed() { prober.networkChanged(nil) }

    /// Checks whether the monitor's sockets still work. A broken one is reported as an overrun, or as a
    /// failure.
    func checkSockets() { monitor?.check() }

    /// The rfkill block of a radio.
    /// - Parameter phy: the number of the radio, N in phyN.
    func block(ofPhy phy: UInt32) -> RadioBlock {
        let radios = radios ?? Self.radios(console)
        self.radios = radios
        return RadioBlock(radios.block(ofPhy: phy))
    }

    /// Reads the kernel state with the conditions of the owners and of the radio. The conditions are queried
    /// first, because the queries may take seconds, and the kernel state would be outdated by then.
    private func conditions(
        of interfaceRef: InterfaceRef, with details: KernelState.Details,
        _ done: @escaping Environment.Done<KernelState>
    ) {
        if let lookup = details.failedLookup {
            return resolverCondition(lookup, interfaceRef, with: details, done)
        }
        methods.resolver[interfaceRef.id] = nil
        OwnerLookup().ownership(of: interfaceRef, asking: netlink) { [unowned self] ownership in
            OwnerConditionQuery().ask(interfaceRef.name, ownership) { [unowned self] owner in
                // If a user has told the owner to disconnect, it does not matter whether the radio works.
                let isUnwanted = owner?.kind == .toldToDisconnect
                askRadio(of: interfaceRef, unless: isUnwanted) { [unowned self] radio in
                    kernelState(interfaceRef.index, with: details) { result in
                        let asked = result.map { $0.with(owner, in: \.ownerCondition) }
                        done(asked.map { $0.with($0.radioCondition ?? radio, in: \.radioCondition) })
                    }
                }
            }
        }
    }

    /// Reads the kernel state with the condition of systemd-resolved. Asks systemd-resolved first, over the
    /// interface that has the addresses.
    private func resolverCondition(
        _ lookup: FailedLookup, _ interfaceRef: InterfaceRef, with details: KernelState.Details,
        _ done: @escaping Environment.Done<KernelState>
    ) {
        kernelState(interfaceRef.index) { [unowned self] result in
            let device = interfaceRef.with((try? result.get())?.link.port?.upper)
            ResolverLookup(prober: prober).condition(lookup, over: device) { [unowned self] condition in
                methods.resolver[interfaceRef.id] = condition
                kernelState(interfaceRef.index, with: details) {
                    done($0.map { $0.with(condition, in: \.ownerCondition) })
                }
            }
        }
    }

    /// Finds out whether systemd-resolved works. Sends nothing to the network.
    func resolverCondition(_ done: @escaping OwnerConditionQuery.Completion) {
        ResolverLookup(prober: prober).condition(done)
    }

    /// Asks for the condition of the radio, but only while the station is not associated: the query may scan,
    /// which would disturb an associated station.
    private func askRadio(
        of interfaceRef: InterfaceRef, unless isUnwanted: Bool,
        _ done: @escaping RadioConditionQuery.Completion
    ) {
        guard !isUnwanted, radioCondition.knows(interfaceRef.index) else { return done(nil) }
        kernelState(interfaceRef.index) { [radioCondition] result in
            guard let state = try? result.get(), state.fault?.reason == .notAssociated else {
                return done(nil)
            }
            radioCondition.ask(interfaceRef.index, named: interfaceRef.name, done)
        }
    }

    /// Reads the kernel state without the conditions of the owners and of the radio.
    ///
    /// The state of the link is read last, because a bounce may be decided on it. The other details may be
    /// older.
    func kernelState(
        _ index: InterfaceIndex, with details: KernelState.Details = .none, mayBeKnown: Bool = false,
        _ done: @escaping Environment.Done<KernelState>
    ) {
        if let duration = details.livenessWithin {
            var rest = details
            rest.livenessWithin = nil
            return netlink.liveness(over: index, heardWithin: duration) { [unowned self] liveness in
                kernelState(index, with: rest, mayBeKnown: mayBeKnown) {
                    done($0.map { $0.with(liveness, in: \.liveness) })
                }
            }
        }
        if details.logins {
            var rest = details
            rest.logins = false
            return LoginLookup(netlink).logins(over: index) { [unowned self] logins in
                kernelState(index, with: rest, mayBeKnown: mayBeKnown) {
                    done($0.map { $0.with(logins, in: \.logins) })
                }
            }
        }
        if details.rebootState {
            var rest = details
            rest.rebootState = false
            return kernelState(index, with: rest, mayBeKnown: mayBeKnown) { [methods] in
                done($0.map { $0.with(methods.rebooter?.state(for: $0.link.name), in: \.rebootState) })
            }
        }
        let complete = { [unowned self] (kernelState: KernelState) in
            radioCondition.note(kernelState)
            lostInterfaces?.note(kernelState)
            var kernelState = kernelState
            if radioCondition.isClosedAfterCrash(kernelState.link) { kernelState.radioCondition = .closed }
            addOrders(to: &kernelState, mayBeKnown: mayBeKnown)
            return kernelState
        }
        netlink.kernelState(
            index, mayBeKnown: mayBeKnown, asksForPowerSave: details.powerSave,
            radio: { [unowned self] in block(ofPhy: $0) },
            { done($0.map(complete)) })
    }

    /// Adds the hold and the quiet hours that apply now.
    private func addOrders(to kernelState: inout KernelState, mayBeKnown: Bool) {
        let name = kernelState.link.name
        if !mayBeKnown || mayBeHeld(name) {
            kernelState.administrativeHold = holds?.administrativeHold(of: name)
        }
        kernelState.quietUntil = quiet?.end(for: kernelState.link)
    }

    /// The last state of an interface that its device has lost, with the hold and the quiet hours that apply
    /// now; nil: the device has not lost the interface. After this call, the method `reset` resets that
    /// device.
    private func lastState(of interfaceRef: InterfaceRef) -> KernelState? {
        guard
            let (state, reset) = lostInterfaces?.loss(of: interfaceRef.index, if: methods.mayReset)
                ?? lostDevice?.loss()
        else { return nil }
        methods.lost[interfaceRef.id] = reset
        var kernelState = state
        addOrders(to: &kernelState, mayBeKnown: false)
        return kernelState
    }

    /// - Parameter survivesSuspend: whether to wake directly after a resume, instead of after the rest of the
    ///   wait.
    func environment(
        guards: GuardPool, reporter: Environment.Reporter, survivesSuspend: Bool,
        wake: @escaping @MainActor () -> Void
    ) -> Environment {
        let timer = TimerSource(wake)
        resume = survivesSuspend ? try? ResumeSource(wake) : nil
        return Environment(
            clock: clock(timer), links: links, methods: methods.environment, probes: probes,
            guard: guards.environment,
            store: Environment.Store(
                remember: { [unowned self] in store?.remember($0, $1) },
                rememberBounces: { [unowned self] in store?.remember($0, $1) }),
            reporter: reporter)
    }

    private func clock(_ timer: TimerSource) -> Environment.Clock {
        Environment.Clock(
            now: { Instant(nanoseconds: BootClock.now()) },
            wake: { instant in
                guard let instant else { return timer.cancel() }
                timer.schedule(atBootNanoseconds: instant.nanoseconds)
            })
    }

    private var links: Environment.Links {
        let (netlink, methods, scans) = (netlink, methods, scans)
        let (powerSave, announcer) = (powerSave, announcer)
        return Environment.Links(
            kernelState: { [unowned self] interfaceRef, details, done in
                let index = interfaceRef.index
                if details.ownerCondition { return conditions(of: interfaceRef, with: details, done) }
                guard details == .none else { return kernelState(index, with: details, done) }
                // Wait for the next turn, so that announcements that belong together have all been received.
                EventLoop.soon { self.kernelState(index, mayBeKnown: true, done) }
            },
            deviceState: { [unowned self] interfaceRef, done in
                kernelState(interfaceRef.index) { [unowned self] result in
                    guard case .failure(let failure) = result, failure.kind == .noSuchDevice,
                        let last = lastState(of: interfaceRef)
                    else { return done(result) }
                    done(.success(last))
                }
            },
            takeSnapshot: { [unowned self] interfaceRef, done in
                netlink.takeSnapshot(of: interfaceRef.index) { [asksForScanOwner] in
                    done($0.map { Self.kept($0, of: interfaceRef, withScanOwner: asksForScanOwner) })
                }
            },
            takeBaseline: { interfaceRef, done in
                netlink.takeSnapshot(of: interfaceRef.index) { taken in
                    done(taken.map { $0.isWorthKeeping ? Self.kept($0, of: interfaceRef) : Snapshot() })
                }
            },
            directedScan: { scans.directedScan(to: $1, on: $0.index, $2) },
            abortScan: { netlink.abortScan(for: $1, heardSince: $2, on: $0.index, $3) },
            resolveNeighbours: { netlink.resolveNeighbours(for: $1, on: $0.index) },
            switchPowerSaveOff: { powerSave.keepOff($0, $1, methods.drivers, isDryRun: $2) },
            announce: { announcer.announce($0) },
            restore: { interfaceRef, snapshot, isPuttingBack, done in
                let current = methods.current(snapshot, of: interfaceRef.index)
                netlink.restore(current, on: interfaceRef.index, puttingBack: isPuttingBack) {
                    done(Self.compared($0, with: snapshot, on: interfaceRef))
                }
            })
    }

    /// Adds the owners to a snapshot. Finding the address owner requires reading every process, so this is
    /// done only if a program may have assigned an address.
    /// - Parameter withScanOwner: whether to find the scan owner, too.
    private static func kept(
        _ snapshot: Snapshot, of interfaceRef: InterfaceRef, withScanOwner: Bool = false
    ) -> Snapshot {
        let isKept = snapshot.items.contains { $0.configSource == .provided }
        guard isKept || withScanOwner else { return snapshot }
        let isWireless = OwnerLookup.isWireless(interfaceRef)
        guard isKept || isWireless else { return snapshot }
        let ownership = OwnerLookup().ownership(of: interfaceRef, isWireless: isWireless)
        var snapshot = snapshot
        if withScanOwner { snapshot.scanOwner = ownership.scanOwner }
        guard isKept else { return snapshot }
        let addressed = interfaceRef.with(snapshot.upper)
        snapshot.addressOwner =
            addressed == interfaceRef
            ? ownership.addressOwner : OwnerLookup().ownership(of: addressed).addressOwner
        snapshot.hasNameServers = snapshot.timeout != nil && hasNameServers(addressed)
        return snapshot
    }

    private static func hasNameServers(_ interfaceRef: InterfaceRef) -> Bool {
        DNSServerFiles().haveOwn(of: interfaceRef.name, interfaceRef.index)
    }

    private static func compared(
        _ restoration: Restoration, with snapshot: Snapshot, on interfaceRef: InterfaceRef
    ) -> Restoration {
        var restoration = restoration
        restoration.lacksNameServers =
            snapshot.hasNameServers && !hasNameServers(interfaceRef.with(snapshot.upper))
        return restoration
    }

    private var probes: Environment.Probes {
        let prober = prober
        return Environment.Probes(
            start: { prober.start($0, on: $1.index, interfaceName: $1.name, $2) },
            cancel: { prober.cancel($0, on: $1.index) })
    }
}

extension Request {
    /// The directories in which commands and hooks must not change anything.
    var ownDirectories: [String] { [runDirectory, stateDirectory] }
}

extension KernelState {
    fileprivate func with<Part>(_ part: Part, in place: WritableKeyPath<KernelState, Part>) -> KernelState {
        var kernelState = self
        kernelState[keyPath: place] = part
        return kernelState
    }
}

extension InterfaceRef {
    /// The interface above this port; the interface itself if `upper` is nil.
    fileprivate func with(_ upper: Port.Device?) -> InterfaceRef {
        upper.map { InterfaceRef(id: id, index: $0.index, name: $0.name) } ?? self
    }
}

extension RadioBlock {
    init(_ block: RadioSwitches.Block) {
        switch block {
        case .none: self = .none
        case .soft: self = .soft
        case .hard: self = .hard
        }
    }
}

extension Prober {
    fileprivate func heard(_ notification: NetlinkMonitor.Notification) {
        switch notification {
        case .linkChanged, .linkRemoved, .addressChanged, .addressRemoved, .routeChanged, .routeRemoved,
            .wirelessConnected, .wirelessDisconnected, .overran, .monitorFailed:
            networkChanged(notification.index)
        case .linkClosed, .neighbourChanged, .deauthenticated, .joinAttempted, .wirelessAppeared, .scanBegun,
            .scanFinished:
            break
        }
    }
}

extension RadioConditionQuery {
    fileprivate func heard(_ notification: NetlinkMonitor.Notification) {
        switch notification {
        case .scanFinished(let index): scanFinished(on: index)
        case .linkClosed(let index): closed(index)
        case .linkChanged(let link): if link.isUp { opened(link.index) }
        case .overran: overran()
        case .linkRemoved(let index): removed(index)
        default: break
        }
    }
}
