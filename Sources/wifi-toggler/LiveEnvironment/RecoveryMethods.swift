import Glibc
import Model
import Netlink
import Platform
import Recovery
import Service

/// Performs the recovery methods on this machine.
final class RecoveryMethods {
    /// How long wpa_supplicant may take to report that it has begun to associate again.
    private static let reassociateTimeout: Duration = .seconds(5)
    /// How long a hook may run. It may load a kernel module.
    private static let hookTimeout: Duration = .seconds(60)

    private let netlink: NetlinkCommands
    private var link: LinkControl
    private let hook = Hook()
    /// The hooks that run, by the ID of the interface.
    private var hooks: [Int: HookRun] = [:]
    /// The number of the last run of a hook.
    private var lastHook = 0
    private let reconnectRequest = ReconnectRequester()
    /// The last restart of an owner, by the ID of the interface.
    private var restarters: [Int: OwnerRestarter] = [:]
    /// What the last query found wrong with systemd-resolved, by the ID of the interface whose lookups of
    /// names fail because of it.
    var resolver: [Int: OwnerCondition] = [:]
    /// How to restore a link that is being taken down, and the index that it had before.
    private struct Undo {
        var way: LinkUndo
        var index: InterfaceIndex
        /// How many attempts to bring the interface back after a reset have failed.
        var failures = 0
    }

    /// By the ID of the interface.
    private var undo: [Int: Undo] = [:]
    /// The resets of devices that have lost their interface, by the ID of the interface.
    var lost: [Int: BusReset] = [:]
    /// After this many failed attempts, an interface that a reset has not brought back counts as gone. Its
    /// device may then be reset again.
    private static let mostFailures = 3
    private var formerIndices = FormerIndices()
    /// The directory of the locks and records, including the marks that say which drivers were unbound.
    var directory: String {
        get { link.directory }
        set { link.directory = newValue }
    }
    /// The rules about drivers, which forbid some methods.
    var drivers: DriverTable {
        get { link.drivers }
        set { link.drivers = newValue }
    }
    /// The directories in which the hooks of a service that is not root must not change anything.
    var ownDirectories: [String] {
        get { hook.protected }
        set { hook.protected = newValue }
    }
    /// Reboots the machine; nil if this run must not.
    var rebooter: Rebooter?
    /// Called when an interface has come back with another index.
    var moved: (InterfaceRef) -> Void = { _ in }

    init(_ netlink: NetlinkCommands) {
        self.netlink = netlink
        link = LinkControl(netlink)
    }

    var environment: Environment.Methods {
        Environment.Methods(
            lower: { [unowned self] in link.lower($0.index, by: undo(of: $0, $1), $2) },
            raise: { [unowned self] in raise($0, $1, $2) },
            perform: { [unowned self] in perform($0, $1, $2, $3) },
            stop: { [unowned self] interfaceRef in
                stopHook(of: interfaceRef)
                reconnectRequest.stop(for: interfaceRef.name)
                restarters[interfaceRef.id]?.stop()
                rebooter?.stop(interfaceRef)
            })
    }

    /// Determines how to restore the link. Call it before the link is taken down.
    /// - Throws: the link cannot be taken down by this method.
    func undo(for interfaceRef: InterfaceRef, _ method: Model.Method) throws(Failure) -> LinkUndo {
        let reset = method == .reset ? lost.removeValue(forKey: interfaceRef.id)?.ofLoss : nil
        let found =
            if let reset { link.undo(for: interfaceRef.name, ofLoss: reset) } else {
                try link.undo(for: interfaceRef.name, method)
            }
        undo[interfaceRef.id] = Undo(way: found, index: interfaceRef.index)
        return found
    }

    /// Whether a device that has lost its interface can be reset.
    func mayReset(_ reset: BusReset) -> Bool { link.mayReset(reset) }

    /// How to restore the link after this method. An entry for another method is outdated and must not be
    /// used: if another program has blocked the radio since then, this program must not unblock it.
    private func undo(of interfaceRef: InterfaceRef, _ method: Model.Method) -> LinkUndo {
        guard let found = undo[interfaceRef.id]?.way, found.method == method else { return .link }
        return found
    }

    /// Converts a snapshot of an interface to its present index.
    func current(_ snapshot: Snapshot, of index: InterfaceIndex) -> Snapshot {
        formerIndices.current(snapshot, of: index)
    }

    private func raise(
        _ interfaceRef: InterfaceRef, _ method: Model.Method, _ done: @escaping Environment.Done<Void>
    ) {
        let found = undo(of: interfaceRef, method)
        if found != .link { undo[interfaceRef.id]?.way = found.again }
        link.raise(
            interfaceRef.index, named: interfaceRef.name, by: found,
            returned: { [unowned self] in follow($0, interfaceRef) },
            { [unowned self] in done(judged($0, interfaceRef, found)) })
    }

    /// The result of an attempt to raise a link. After ``mostFailures`` failed attempts, an interface that a
    /// reset has not brought back counts as gone, because further attempts would only wait for it again.
    private func judged(
        _ result: Result<Void, Failure>, _ interfaceRef: InterfaceRef, _ way: LinkUndo
    ) -> Result<Void, Failure> {
        guard case .failure(let failure) = result, way.method == .reset,
            let state = undo[interfaceRef.id], state.index == interfaceRef.index,
            if_nametoindex(interfaceRef.name) != interfaceRef.index.rawValue
        else { return result }
        undo[interfaceRef.id]?.failures += 1
        guard state.failures + 1 >= Self.mostFailures else { return result }
        return .failure(Failure(kind: .notBack, code: failure.code, description: failure.description))
    }

    private func follow(_ interface: DriverBinding.Interface, _ interfaceRef: InterfaceRef) {
        let index = InterfaceIndex(rawValue: interface.index)
        if let former = undo[interfaceRef.id]?.index {
            formerIndices.moved(from: former, to: index)
            undo[interfaceRef.id]?.index = index
        }
        // If the unit that resets devices returned the interface a while ago, the kernel has already
        // announced its new index.
        guard index != interfaceRef.index else { return }
        moved(InterfaceRef(id: interfaceRef.id, index: index, name: interface.name))
    }

    /// Performs the methods that do not take the link down.
    private func perform(
        _ interfaceRef: InterfaceRef, _ method: Model.Method, _ settings: Settings,
        _ done: @escaping Environment.Done<Void>
    ) {
        do throws(Failure) { try link.permit(method, on: interfaceRef.name) } catch {
            if method == .reboot { rebooter?.refused() }
            return EventLoop.soon { done(.failure(error)) }
        }
        switch method {
        case .reassociate:
            SupplicantControl(interface: interfaceRef.name)
                .reassociate(timeout: Self.reassociateTimeout, done: done)
        case .owner: reconnectRequest.ask(interfaceRef.name, OwnerLookup().ownership(of: interfaceRef), done)
        case .restartOwner:
            let restarter = OwnerRestarter()
            restarters[interfaceRef.id] = restarter
            if settings.methods.isEmpty, let condition = resolver[interfaceRef.id] {
                return restarter.restart(condition, done)
            }
            OwnerLookup().ownership(of: interfaceRef, asking: netlink) { [unowned self] ownership in
                servingInterfaces(beside: interfaceRef) {
                    switch $0 {
                    case .success(let serving):
                        restarter.restart(
                            interfaceRef.name, ownership, evenIfAtWork: !settings.methods.isEmpty,
                            serving: serving, done)
                    case .failure(let failure): done(.failure(failure))
                    }
                }
            }
        case .hook:
            guard let path = settings.hook else { return EventLoop.soon { done(.failure(.noHook)) } }
            runHook(path, interfaceRef, done)
        case .reboot:
            guard let rebooter else { return EventLoop.soon { done(.failure(.noReboot)) } }
            rebooter.begin(interfaceRef, done)
        case .bounce, .rfkill, .rebind, .reset: preconditionFailure("\(method) takes the link down")
        }
    }

    private func runHook(
        _ path: String, _ interfaceRef: InterfaceRef, _ done: @escaping Environment.Done<Void>
    ) {
        lastHook += 1
        let number = lastHook
        let process = hook.run(path, for: interfaceRef.name, timeout: Self.hookTimeout) { [unowned self] in
            guard let run = hooks[interfaceRef.id], run.number == number else { return }
            hooks[interfaceRef.id] = nil
            if run.isWanted { done($0) }
            run.ended()
        }
        hooks[interfaceRef.id] = HookRun(number: number, process: process)
    }

    /// Ends the hook of an interface, and drops its result. If the interface is gone, the hook may have removed
    /// it, such as by unloading its driver. Then it goes on, because it alone can bring the interface back.
    private func stopHook(of interfaceRef: InterfaceRef) {
        hooks[interfaceRef.id]?.isWanted = false
        guard if_nametoindex(interfaceRef.name) == interfaceRef.index.rawValue else { return }
        hooks.removeValue(forKey: interfaceRef.id)?.process?.cancel()
    }

    /// Whether a hook is still at work that may bring the interface back.
    func isHookAtWork(on interfaceRef: InterfaceRef) -> Bool { hooks[interfaceRef.id] != nil }

    /// Calls `done` when no hook or restart of an owner is at work that this process must not interrupt by its
    /// end: the interface, or a service that was killed, would stay away.
    func whenDone(with interfaceRef: InterfaceRef, _ done: @escaping @MainActor () -> Void) {
        if hooks[interfaceRef.id] != nil {
            hooks[interfaceRef.id]?.ended = done
        } else if let restarter = restarters[interfaceRef.id], restarter.isAtWork {
            restarter.ended = done
        } else {
            done()
        }
    }

    /// Notes that an interface was absent, and is back with this index.
    func returned(_ old: InterfaceRef, with index: InterfaceIndex) {
        formerIndices.moved(from: old.index, to: index)
    }

    /// Follows an interface that a method has removed, if this link is its replacement: it has the same name.
    /// After lost announcements, another interface may have that name, and this one a new name.
    func replaced(_ old: InterfaceRef, by link: Link) {
        guard link.name == old.name, link.index != old.index, !old.index.isInUse else { return }
        formerIndices.moved(from: old.index, to: link.index)
        moved(InterfaceRef(id: old.id, index: link.index, name: link.name))
    }

    /// Finds the interfaces of this machine that serve other machines now, such as access points.
    private func servingInterfaces(
        beside interfaceRef: InterfaceRef,
        _ done: @escaping Environment.Done<[OwnerRestarter.ServingInterface]>
    ) {
        netlink.wirelessInterfaces { [unowned self] found in
            let wireless: [InterfaceIndex: Wireless]
            do throws(Failure) { wireless = try found.get() } catch { return done(.failure(error)) }
            let serving = wireless.filter { $0.value.role.servesOthers }
            if serving.isEmpty { return done(.success([])) }
            let radio = wireless[interfaceRef.index]?.phy
            netlink.links { links in
                done(
                    links.map { links in
                        links.filter { serving[$0.index] != nil && $0.isOperational }.map {
                            OwnerRestarter.ServingInterface(
                                name: $0.name, ownership: OwnerLookup().ownership(of: $0, isWireless: true),
                                sharesRadio: radio != nil && serving[$0.index]?.phy == radio)
                        }
                    })
            }
        }
    }
}

/// A run of a hook.
private struct HookRun {
    let number: Int
    /// nil: it could not be started, which is reported soon.
    let process: ChildProcess?
    /// Whether its result is still awaited.
    var isWanted = true
    /// Called when it has ended.
    var ended: @MainActor () -> Void = {}
}

extension Failure {
    fileprivate static let noReboot = Failure(kind: .unavailable, description: "only run reboots")
    fileprivate static let noHook = Failure(kind: .unavailable, description: "no hook is configured")
}
