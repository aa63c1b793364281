import Guarding
import Model
import Netlink
import Owners
import Platform
import Probing
import Reporting
import Service
import Toggling

/// The methods of recovery on this machine.
final class RecoveryMethods {
    /// A driver that stops may keep the kernel's lock for seconds.
    private static let linkCommandTimeout: Duration = .seconds(10)
    /// For a driver to leave its device.
    private static let unbindTimeout: Duration = .seconds(30)
    /// For the owner to report that it has begun.
    private static let reassociateTimeout: Duration = .seconds(5)
    /// For a program of the administrator's, which may load a module.
    private static let hookTimeout: Duration = .seconds(60)

    private let netlink: NetlinkCommands
    private let hook = Hook()
    private let reconnectRequest = ReconnectRequester()
    /// How to restore each link that is being taken down.
    private var undo: [Int: IntentRecord.Undo] = [:]
    /// The index of an interface before its driver was unbound, by its current index.
    private var former: [InterfaceIndex: InterfaceIndex] = [:]
    /// The directory for the marks of unbound drivers.
    var directory = ""
    /// Called when an interface has come back under another index.
    var moved: (InterfaceRef) -> Void = { _ in }

    init(_ netlink: NetlinkCommands) { self.netlink = netlink }

    var environment: Environment.Methods {
        Environment.Methods(
            lower: { [unowned self] in lower($0, $1, $2) },
            raise: { [unowned self] in raise($0, $1, $2) },
            perform: { [unowned self] in perform($0, $1, $2, $3) },
            stop: { [unowned self] interfaceRef in
                hook.stop()
                reconnectRequest.stop(for: interfaceRef.name)
            })
    }

    /// Determines how to restore the link, before it is taken down.
    /// - Throws: it cannot be taken down by this method.
    func undo(for interfaceRef: InterfaceRef, _ method: Model.Method) throws(Failure) -> IntentRecord.Undo {
        let found: IntentRecord.Undo =
            switch method {
            case .bounce, .reassociate, .owner, .hook: .link
            case .rfkill: .radio(try Self.radio(of: interfaceRef))
            case .rebind: .driver(try driver(of: interfaceRef))
            }
        undo[interfaceRef.id] = found
        return found
    }

    /// What was determined for this method. An entry for another method is from an earlier ladder: a switch
    /// that another program has set since must not be touched.
    private func undo(of interfaceRef: InterfaceRef, _ method: Model.Method) -> IntentRecord.Undo {
        guard let found = undo[interfaceRef.id], found.method == method else { return .link }
        return found
    }

    /// A snapshot of an interface, converted to its current index.
    func current(_ snapshot: Snapshot, of index: InterfaceIndex) -> Snapshot {
        former[index].map { snapshot.moved(from: $0, to: index) } ?? snapshot
    }

    private static func radio(of interfaceRef: InterfaceRef) throws(Failure) -> RadioSwitch {
        do throws(RadioSwitch.Problem) { return try .find(for: interfaceRef.name) } catch {
            throw Failure(error)
        }
    }

    private func driver(of interfaceRef: InterfaceRef) throws(Failure) -> DriverBinding {
        let binding: DriverBinding
        do throws(DriverBinding.Problem) { binding = try .of(interfaceRef.name) } catch {
            throw Failure(error)
        }
        let wasDone: Bool
        do throws(SystemError) { wasDone = try RebindMark(binding, directory: directory).isSet() } catch {
            throw unmarked(error)
        }
        guard !wasDone else { throw .doneBefore }
        return binding
    }

    private func unmarked(_ error: SystemError) -> Failure {
        Failure(kind: .cannotWrite, code: error.code, words: "\(directory): \(error.words)")
    }

    // MARK: Taking down

    private func lower(
        _ interfaceRef: InterfaceRef, _ method: Model.Method, _ done: @escaping Environment.Done<Void>
    ) {
        switch undo(of: interfaceRef, method) {
        case .link: setAdministrativeState(up: false, of: interfaceRef.index, done)
        case .radio(let radio): Self.turn(radio, isBlocked: true, done)
        case .driver(let binding):
            // Set the mark first: if the machine crashes, it must not try again and again.
            do throws(SystemError) { try RebindMark(binding, directory: directory).set() } catch {
                let failure = unmarked(error)
                return EventLoop.soon { done(.failure(failure)) }
            }
            Self.work(within: Self.unbindTimeout, done) { () throws(DriverBinding.Problem) in
                try binding.unbind()
            }
        }
    }

    // MARK: Raising

    private func raise(
        _ interfaceRef: InterfaceRef, _ method: Model.Method, _ done: @escaping Environment.Done<Void>
    ) {
        switch undo(of: interfaceRef, method) {
        case .link: setAdministrativeState(up: true, of: interfaceRef.index, done)
        case .radio(let radio):
            Self.turn(radio, isBlocked: false) { [unowned self] result in
                guard case .success = result else { return done(result) }
                setAdministrativeState(up: true, of: interfaceRef.index, done)
            }
        case .driver(let binding): bind(binding, interfaceRef, done)
        }
    }

    private func bind(
        _ binding: DriverBinding, _ interfaceRef: InterfaceRef, _ done: @escaping Environment.Done<Void>
    ) {
        let name = interfaceRef.name
        let found: Environment.Done<DriverBinding.Interface> = { [unowned self] result in
            switch result {
            case .success(let interface):
                let index = follow(interface, interfaceRef)
                setAdministrativeState(up: true, of: index, done)
            case .failure(let failure): done(.failure(failure))
            }
        }
        Self.work(within: DriverBinding.timeout + DriverBinding.namingTimeout, found) {
            () throws(DriverBinding.Problem) in
            try binding.bind()
            return try binding.awaitInterface(named: name)
        }
    }

    private func follow(_ interface: DriverBinding.Interface, _ interfaceRef: InterfaceRef) -> InterfaceIndex
    {
        let index = InterfaceIndex(rawValue: interface.index)
        guard index != interfaceRef.index else { return index }
        former[index] = former[interfaceRef.index] ?? interfaceRef.index
        moved(InterfaceRef(id: interfaceRef.id, index: index, name: interface.name))
        return index
    }

    private func setAdministrativeState(
        up: Bool, of index: InterfaceIndex, _ done: @escaping Environment.Done<Void>
    ) {
        netlink.setAdministrativeState(up: up, of: index, timeout: Self.linkCommandTimeout, done)
    }

    // MARK: Other methods

    private func perform(
        _ interfaceRef: InterfaceRef, _ method: Model.Method, _ settings: Settings,
        _ done: @escaping Environment.Done<Void>
    ) {
        switch method {
        case .reassociate:
            SupplicantControl(interface: interfaceRef.name)
                .reassociate(timeout: Self.reassociateTimeout, done: done)
        case .owner: reconnectRequest.ask(interfaceRef.name, OwnerLookup().ownership(of: interfaceRef), done)
        case .hook:
            guard let path = settings.hook else { return EventLoop.soon { done(.failure(.noHook)) } }
            hook.run(path, for: interfaceRef.name, timeout: Self.hookTimeout, done)
        case .bounce, .rfkill, .rebind: preconditionFailure("\(method) takes the link down")
        }
    }

    // MARK: Beside the event loop

    private static func turn(
        _ radio: RadioSwitch, isBlocked: Bool, _ done: @escaping Environment.Done<Void>
    ) {
        BlockingWork.perform(within: linkCommandTimeout) {
            Result { () throws(RadioSwitch.Problem) in try radio.set(isBlocked: isBlocked) }
        } _: {
            done(($0?.mapError { Failure($0) }) ?? .failure(.late))
        }
    }

    private static func work<Value: Sendable>(
        within timeout: Duration, _ done: @escaping Environment.Done<Value>,
        _ body: @escaping @Sendable () throws(DriverBinding.Problem) -> Value
    ) {
        BlockingWork.perform(within: timeout) {
            Result(catching: body)
        } _: {
            done(($0?.mapError { Failure($0) }) ?? .failure(.late))
        }
    }
}

extension Failure {
    fileprivate static let late = Failure(kind: .timedOut, words: "the kernel did not answer in time")
    fileprivate static let doneBefore = Failure(
        kind: .unavailable, words: "the driver was taken off once since the machine started")
    fileprivate static let noHook = Failure(kind: .unavailable, words: "no hook is configured")
}
