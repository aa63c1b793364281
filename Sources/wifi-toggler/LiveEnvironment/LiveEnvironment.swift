import Glibc
import Invocation
import Model
import Netlink
import Platform
import Probing
import Recovery
import Reporting
import Service

/// The real environment of the core: the sockets and timers of this process.
final class LiveEnvironment {
    let netlink: NetlinkCommands
    private let prober: Prober
    let methods: RecoveryMethods
    private var monitor: NetlinkMonitor?
    private let scans: ScanTracker
    let kernelState: KernelStateReader
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
    /// Whether a snapshot must include the scan owner.
    var asksForScanOwner = true
    /// The stored state; nil if nothing is stored.
    var store: StateStore?

    private init(netlink: NetlinkCommands, _ console: Console, _ radios: RadioSwitches?) {
        self.netlink = netlink
        methods = RecoveryMethods(netlink)
        scans = ScanTracker(netlink)
        powerSave = PowerSaveSwitch(netlink, console)
        announcer = Announcer(netlink, console)
        prober = Prober(
            neighbours: Prober.NeighbourTable(
                verify: { netlink.verifyNeighbour($0, on: $1, $2) },
                lookUp: { netlink.neighbour($0, on: $1, $2) }))
        kernelState = KernelStateReader(netlink, console, methods, prober, radios)
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
        let radios = onRadioChange.map { KernelStateReader.radios(console, $0) }
        return LiveEnvironment(netlink: netlink, console, radios)
    }

    /// Starts the monitor. The handler gets all notifications except those about neighbours, which go to the
    /// prober.
    func startMonitor(
        _ topics: NetlinkMonitor.Topics, _ console: Console,
        _ handler: @escaping @MainActor (NetlinkMonitor.Notification) -> Void
    ) {
        let (prober, netlink, scans, kernelState) = (prober, netlink, scans, kernelState)
        do {
            monitor = try NetlinkMonitor(topics) { notification in
                netlink.heard(notification)
                scans.heard(notification)
                kernelState.heard(notification)
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
            now: { .now },
            wake: { instant in
                guard let instant else { return timer.cancel() }
                timer.schedule(at: instant)
            })
    }

    private var links: Environment.Links {
        let (netlink, methods, scans, kernelState) = (netlink, methods, scans, kernelState)
        let (powerSave, announcer) = (powerSave, announcer)
        return Environment.Links(
            kernelState: { kernelState.read($0, with: $1, $2) },
            takeSnapshot: { [unowned self] interfaceRef, done in
                netlink.takeSnapshot(of: interfaceRef.index) { [asksForScanOwner] in
                    done($0.map { Self.kept($0, of: interfaceRef, withScanOwner: asksForScanOwner) })
                }
            },
            takeBaseline: { interfaceRef, done in
                netlink.takeSnapshot(of: interfaceRef.index, isBaseline: true) { taken in
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

extension InterfaceRef {
    /// The interface above this port; the interface itself if `upper` is nil.
    func with(_ upper: Port.Device?) -> InterfaceRef {
        upper.map { InterfaceRef(id: id, index: $0.index, name: $0.name) } ?? self
    }
}

extension Prober {
    fileprivate func heard(_ notification: NetlinkMonitor.Notification) {
        switch notification {
        case .linkChanged, .linkRemoved, .addressChanged, .addressRemoved, .routeChanged, .routeRemoved,
            .nextHopGroupChanged, .nextHopGroupRemoved, .wirelessConnected, .wirelessDisconnected, .overran,
            .monitorFailed:
            networkChanged(notification.index)
        case .linkClosed, .neighbourChanged, .deauthenticated, .joinAttempted, .wirelessAppeared, .scanBegun,
            .scanFinished:
            break
        }
    }
}
