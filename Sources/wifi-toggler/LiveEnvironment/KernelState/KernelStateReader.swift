import Invocation
import Model
import Netlink
import Platform
import Probing
import Recovery
import Reporting
import Service

/// Reads the kernel state of an interface, with the details that are requested.
final class KernelStateReader {
    private let netlink: NetlinkCommands
    private let console: Console
    private let methods: RecoveryMethods
    private let prober: Prober
    /// The rfkill switches; nil if a one-shot command has not needed them yet.
    private var radios: RadioSwitches?
    private let radioCondition: RadioConditionQuery
    private let lostInterfaces: LostInterfaces?
    /// The device without an interface that a one-shot command resets; nil: the interface exists.
    var lostDevice: LostDevice?
    /// The link that a service has ordered this process to reset (``LostDevice/isOrdered(_:_:for:)``). The
    /// reset is carried out even if the link is down, so the link counts as up.
    var orderedReset: InterfaceIndex?
    /// The holds; nil if holds do not apply.
    var holds: HoldStore?
    /// Whether there may be a hold on an interface. If not, a check need not read its files.
    var mayBeHeld: @MainActor (String) -> Bool = { _ in true }
    /// The quiet hours; nil if they do not apply.
    var quiet: QuietHoursClock?

    /// - Parameter radios: the rfkill switches; nil in a one-shot command, which reads them only if it needs them.
    init(
        _ netlink: NetlinkCommands, _ console: Console, _ methods: RecoveryMethods, _ prober: Prober,
        _ radios: RadioSwitches?
    ) {
        self.netlink = netlink
        self.console = console
        self.methods = methods
        self.prober = prober
        self.radios = radios
        radioCondition = RadioConditionQuery { netlink.directedScan(to: $0, on: $1, $2) }
        lostInterfaces = radios == nil ? nil : LostInterfaces()
    }

    static func radios(
        _ console: Console, _ onChange: (@MainActor ([RadioSwitches.Change]) -> Void)? = nil
    ) -> RadioSwitches {
        do throws(SystemError) {
            return try RadioSwitches(onChange: onChange)
        } catch {
            console.fail("could not read /dev/rfkill", error)
        }
    }

    /// Reads the kernel state for a toggler.
    func read(
        _ interfaceRef: InterfaceRef, with details: KernelState.Details,
        _ done: @escaping Environment.Done<KernelState>
    ) {
        if details.rebootState { return readRebootState(interfaceRef, with: details, done) }
        if details.ownerCondition { return readConditions(of: interfaceRef, with: details, done) }
        if details.lossOfInterface { return readLoss(of: interfaceRef, done) }
        let index = interfaceRef.index
        guard details == .none else { return read(index, with: details, done) }
        // Wait for the handlers of all ready descriptors, so that announcements that belong together have all
        // been received.
        EventLoop.soon { self.read(index, mayBeKnown: true, done) }
    }

    /// Reads the kernel state with the `rebootState`. This is nil if the kernel does not report the routes:
    /// then there may be another uplink, which a reboot would cut off.
    private func readRebootState(
        _ interfaceRef: InterfaceRef, with details: KernelState.Details,
        _ done: @escaping Environment.Done<KernelState>
    ) {
        var rest = details
        rest.rebootState = false
        netlink.interfacesWithDefaultRoute { [unowned self] routes in
            read(interfaceRef, with: rest) { [methods] in
                done(
                    $0.map { state in
                        let rebootState = (try? routes.get()).flatMap {
                            methods.rebooter?.state(for: state.link.name, defaultRoutesOver: $0)
                        }
                        return state.with(rebootState, in: \.rebootState)
                    })
            }
        }
    }

    /// Reads the kernel state; if the interface is gone because its device has lost it, its last state.
    private func readLoss(of interfaceRef: InterfaceRef, _ done: @escaping Environment.Done<KernelState>) {
        read(interfaceRef.index) { [unowned self] result in
            guard case .failure(let failure) = result, failure.kind == .noSuchDevice,
                let last = lastState(of: interfaceRef)
            else { return done(result) }
            done(.success(last))
        }
    }

    func heard(_ notification: NetlinkMonitor.Notification) {
        // An rfkill block that is not announced would look like a device that fails.
        if case .linkClosed = notification, radios?.isWatching != true { return }
        radioCondition.heard(notification)
    }

    func heard(_ changes: [RadioSwitches.Change]) {
        if changes.contains(where: { $0.block != .none }) { radioCondition.blocked() }
    }

    /// The rfkill block of a radio.
    /// - Parameter phy: the number of the radio, N in phyN.
    func block(ofPhy phy: UInt32) -> RadioBlock {
        let radios = radios ?? Self.radios(console)
        self.radios = radios
        return radios.block(ofPhy: phy)
    }

    /// Reads the kernel state with the conditions of the owners and of the radio. These are asked first: they
    /// may take seconds, and the rest would be outdated by then.
    private func readConditions(
        of interfaceRef: InterfaceRef, with details: KernelState.Details,
        _ done: @escaping Environment.Done<KernelState>
    ) {
        if let lookup = details.failedLookup {
            return readResolverCondition(lookup, interfaceRef, with: details, done)
        }
        methods.resolver[interfaceRef.id] = nil
        OwnerLookup().ownership(of: interfaceRef, asking: netlink) { [unowned self] ownership in
            OwnerConditionQuery().ask(interfaceRef.name, ownership) { [unowned self] owner in
                // If a user has told the owner to disconnect, it does not matter whether the radio works.
                let isUnwanted = owner?.kind == .toldToDisconnect
                askRadio(of: interfaceRef, unless: isUnwanted) { [unowned self] radio in
                    read(interfaceRef.index, with: details) { result in
                        let asked = result.map { $0.with(owner, in: \.ownerCondition) }
                        done(asked.map { $0.with($0.radioCondition ?? radio, in: \.radioCondition) })
                    }
                }
            }
        }
    }

    /// Reads the kernel state with the condition of systemd-resolved. Asks systemd-resolved first, over the
    /// interface that has the addresses.
    private func readResolverCondition(
        _ lookup: FailedLookup, _ interfaceRef: InterfaceRef, with details: KernelState.Details,
        _ done: @escaping Environment.Done<KernelState>
    ) {
        read(interfaceRef.index) { [unowned self] result in
            let device = interfaceRef.with((try? result.get())?.link.port?.upper)
            ResolverLookup(prober: prober).condition(lookup, over: device) { [unowned self] condition in
                methods.resolver[interfaceRef.id] = condition
                read(interfaceRef.index, with: details) {
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
        read(interfaceRef.index) { [radioCondition] result in
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
    func read(
        _ index: InterfaceIndex, with details: KernelState.Details = .none, mayBeKnown: Bool = false,
        _ done: @escaping Environment.Done<KernelState>
    ) {
        if let duration = details.livenessWithin {
            var rest = details
            rest.livenessWithin = nil
            return netlink.liveness(over: index, heardWithin: duration) { [unowned self] liveness in
                read(index, with: rest, mayBeKnown: mayBeKnown) {
                    done($0.map { $0.with(liveness, in: \.liveness) })
                }
            }
        }
        if details.logins {
            var rest = details
            rest.logins = false
            return LoginLookup(netlink).logins(over: index) { [unowned self] logins in
                read(index, with: rest, mayBeKnown: mayBeKnown) {
                    done($0.map { $0.with(logins, in: \.logins) })
                }
            }
        }
        let complete = { [unowned self] (kernelState: KernelState) in
            radioCondition.note(kernelState)
            lostInterfaces?.note(kernelState)
            var kernelState = kernelState
            if kernelState.link.index == orderedReset { kernelState.link.isUp = true }
            if radioCondition.isClosed(kernelState.link) { kernelState.radioCondition = .closed }
            addOrders(to: &kernelState, mayBeKnown: mayBeKnown)
            return kernelState
        }
        netlink.kernelState(
            index, mayBeKnown: mayBeKnown, asksForPowerSave: details.powerSave,
            radio: { [unowned self] in block(ofPhy: $0) },
            { done($0.map(complete)) })
    }

    /// Adds the present hold and quiet hours.
    private func addOrders(to kernelState: inout KernelState, mayBeKnown: Bool) {
        let name = kernelState.link.name
        if !mayBeKnown || mayBeHeld(name) {
            kernelState.administrativeHold = holds?.administrativeHold(of: name)
        }
        kernelState.quietUntil = quiet?.end(for: kernelState.link)
    }

    /// The last state of an interface that its device has lost, with the present hold and quiet hours; nil:
    /// the device has not lost it or may not be reset, or a hook is at work. From this call on, the device
    /// can be reset.
    private func lastState(of interfaceRef: InterfaceRef) -> KernelState? {
        guard !methods.isHookAtWork(on: interfaceRef),
            let (state, reset) = lostInterfaces?.loss(of: interfaceRef.index, if: methods.mayReset)
                ?? lostDevice?.loss()
        else { return nil }
        methods.lost[interfaceRef.id] = reset
        var kernelState = state
        addOrders(to: &kernelState, mayBeKnown: false)
        return kernelState
    }
}

extension KernelState {
    fileprivate func with<Part>(_ part: Part, in place: WritableKeyPath<KernelState, Part>) -> KernelState {
        var kernelState = self
        kernelState[keyPath: place] = part
        return kernelState
    }
}

extension RadioConditionQuery {
    fileprivate func heard(_ notification: NetlinkMonitor.Notification) {
        switch notification {
        case .scanFinished(let index): scanFinished(on: index)
        case .linkClosed(let index): closed(index)
        case .linkChanged(let link):
            if link.isUp { opened(link.index) }
            if link.port != nil { enslaved(link.index) }
        case .overran: overran()
        case .linkRemoved(let index): removed(index)
        default: break
        }
    }
}
