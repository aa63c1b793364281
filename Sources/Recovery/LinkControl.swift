import Model
import Netlink
import Platform

/// Takes links down and up again: by the administrative state, by the rfkill switch of the radio, by
/// unbinding the driver, or by resetting the device on its bus.
@MainActor public struct LinkControl {
    public typealias Done = @MainActor (Result<Void, Failure>) -> Void

    /// The time limit for a link command or an rfkill switch. A driver that is stopping may keep the kernel's
    /// network lock (RTNL) for seconds.
    private static let linkCommandTimeout: Duration = .seconds(10)
    /// The time limit for unbinding a driver, or for taking a device away from its bus.
    private static let unbindTimeout: Duration = .seconds(30)

    private let netlink: NetlinkCommands
    /// The directory of the locks and records, including the records of unbound drivers (``RebindMark``).
    public var directory = ""
    /// The rules about drivers.
    public var drivers = DriverTable()
    private let units = ResetUnitRunner()

    public init(_ netlink: NetlinkCommands) { self.netlink = netlink }

    /// Determines how to restore a link. Call it before the link is taken down.
    /// - Throws: the method is not possible, or a rule forbids it.
    public func undo(for interface: String, _ method: Method) throws(Failure) -> LinkUndo {
        try permit(method, on: interface)
        return switch method {
        case .bounce, .reassociate, .owner, .restartOwner, .hook, .reboot: .link
        case .rfkill: .radio(try Self.radio(of: interface))
        case .rebind: .driver(try driver(of: interface))
        case .reset: try reset(of: interface)
        }
    }

    /// Checks whether a rule forbids a method for the driver of this interface.
    /// - Throws: a rule forbids it (`unavailable`).
    public func permit(_ method: Method, on interface: String) throws(Failure) {
        guard let name = SysfsDriver.name(ofInterface: interface),
            let rule = drivers.objection(to: method, with: name)
        else { return }
        throw .forbidden(by: rule, for: name)
    }

    private static func radio(of interface: String) throws(Failure) -> RadioSwitch {
        do throws(RadioSwitch.Problem) { return try .find(for: interface) } catch { throw Failure(error) }
    }

    private func reset(of interface: String) throws(Failure) -> LinkUndo {
        let reset: BusReset
        do throws(DriverBinding.Problem) { reset = try .of(interface) } catch { throw Failure(error) }
        // A process that runs in a reset unit must not start another such unit.
        guard directory != ResetUnit.runDirectory, MethodAccess.ofThisProcess.needsResetUnit(for: interface),
            let unit = ResetUnit(interface, reset)
        else { return .reset(reset) }
        return .unit(unit)
    }

    /// Determines how to restore an interface that its device has lost.
    public func undo(for interface: String, ofLoss reset: BusReset) -> LinkUndo {
        guard !reset.isPermitted, let unit = ResetUnit(interface, reset) else { return .reset(reset) }
        return .unit(unit)
    }

    /// Whether this process, or a unit that it starts, can reset a device that has lost its interface, and no rule
    /// forbids it.
    public func mayReset(_ reset: BusReset) -> Bool {
        let hasUnit = directory == ResetUnit.serviceDirectory && ResetUnit.isInstalled()
        return (reset.isPermitted || hasUnit) && drivers.objection(to: .reset, with: reset.driverName) == nil
    }

    private func driver(of interface: String) throws(Failure) -> DriverBinding {
        let binding: DriverBinding
        do throws(DriverBinding.Problem) { binding = try .of(interface) } catch { throw Failure(error) }
        let wasDone: Bool
        do throws(SystemError) { wasDone = try RebindMark(binding, directory: directory).isSet() } catch {
            throw unmarked(error)
        }
        guard !wasDone else { throw .doneBefore }
        return binding
    }

    private func unmarked(_ error: SystemError) -> Failure {
        Failure(kind: .cannotWrite, code: error.code, description: "\(directory): \(error.description)")
    }

    // MARK: Down

    /// Takes the link down in the way that `undo` undoes.
    /// - Parameter done: called once, never inside this call.
    public func lower(_ index: InterfaceIndex, by undo: LinkUndo, _ done: @escaping Done) {
        switch undo {
        case .link: setAdministrativeState(up: false, of: index, done)
        case .radio(let radio): Self.turn(radio, isBlocked: true, done)
        case .driver(let binding):
            // Set the mark first, so that no process unbinds the driver again in this boot, even if this one
            // dies here.
            do throws(SystemError) { try RebindMark(binding, directory: directory).set() } catch {
                let failure = unmarked(error)
                return EventLoop.soon { done(.failure(failure)) }
            }
            Self.work(on: binding, within: Self.unbindTimeout, done) { () throws(DriverBinding.Problem) in
                try binding.unbind()
            }
        case .reset(let reset):
            Self.work(on: reset.function, within: Self.unbindTimeout, done) {
                () throws(DriverBinding.Problem) in
                try reset.takeAway()
            }
        case .unit(let unit): units.start(unit, index, done)
        }
    }

    // MARK: Up

    /// Undoes `lower` as `undo` says, and sets the link up.
    /// - Parameters:
    ///   - index: the index of the interface, as last known.
    ///   - name: the name of the interface before it was taken down.
    ///   - returned: called with the interface that a driver has created, before the link is set up.
    ///   - done: called once, never inside this call.
    public func raise(
        _ index: InterfaceIndex, named name: String, by undo: LinkUndo,
        returned: @escaping @MainActor (DriverBinding.Interface) -> Void, _ done: @escaping Done
    ) {
        switch undo {
        case .link: setAdministrativeState(up: true, of: index, done)
        case .radio(let radio):
            Self.turn(radio, isBlocked: false) { result in
                guard case .success = result else { return done(result) }
                setAdministrativeState(up: true, of: index, done)
            }
        case .driver(let binding):
            bring(binding, within: DriverBinding.timeout + DriverBinding.namingTimeout, returned, done) {
                () throws(DriverBinding.Problem) in
                try binding.bind()
                return try binding.awaitInterface(named: name)
            }
        case .reset(let reset):
            bring(reset.function, within: BusReset.timeout, returned, done) {
                () throws(DriverBinding.Problem) in
                try reset.giveBack(named: name)
            }
        case .unit(let unit):
            units.awaitEnd(of: unit) { end in
                // systemctl may have been killed before it said how the unit has ended, or before the unit has begun.
                let beginning: Duration = end.isUnknown ? ResetUnit.beginning : .zero
                // A unit that has failed leaves its record: do not wait until the record is removed.
                let timeout = end.isUnknown ? ResetUnit.timeout : .zero
                bring(
                    unit.reset.function, within: ResetUnit.timeout + DriverBinding.timeout, returned,
                    { result in
                        // Report why the unit has failed: that also explains why the interface is missing.
                        if case .failure = result, case .failure = end { return done(end) }
                        done(result)
                    }
                ) { () throws(DriverBinding.Problem) in
                    try unit.awaitEnd(since: index.rawValue, within: timeout, beginning: beginning)
                }
            }
        }
    }

    /// Waits until `body`, which blocks, has brought the interface of this device back, and sets the link up.
    private func bring(
        _ device: DriverBinding, within timeout: Duration,
        _ returned: @escaping @MainActor (DriverBinding.Interface) -> Void,
        _ done: @escaping Done,
        _ body: @escaping @Sendable () throws(DriverBinding.Problem) -> DriverBinding.Interface
    ) {
        Self.work(
            on: device, within: timeout,
            { (result: Result<DriverBinding.Interface, Failure>) in
                switch result {
                case .success(let interface):
                    returned(interface)
                    setAdministrativeState(up: true, of: InterfaceIndex(rawValue: interface.index), done)
                case .failure(let failure): done(.failure(failure))
                }
            }, body)
    }

    private func setAdministrativeState(up: Bool, of index: InterfaceIndex, _ done: @escaping Done) {
        netlink.setAdministrativeState(up: up, of: index, timeout: Self.linkCommandTimeout) {
            done(up ? $0.mapError { $0.ofRaising(index) } : $0)
        }
    }

    // MARK: Off the event loop

    private static func turn(_ radio: RadioSwitch, isBlocked: Bool, _ done: @escaping Done) {
        BlockingWork.perform(on: "rfkill\(radio.index)", within: linkCommandTimeout) {
            Result { () throws(RadioSwitch.Problem) in try radio.set(isBlocked: isBlocked) }
        } _: {
            done($0.mapError { Failure($0) }.flatMap { $0.mapError { Failure($0) } })
        }
    }

    /// Runs `body`, which blocks, when no other such work for this device is under way: as long as a driver
    /// hangs, the kernel keeps the lock of its device, and each further write to its files would hang, too.
    private static func work<Value: Sendable>(
        on device: DriverBinding, within timeout: Duration,
        _ done: @escaping @MainActor (Result<Value, Failure>) -> Void,
        _ body: @escaping @Sendable () throws(DriverBinding.Problem) -> Value
    ) {
        BlockingWork.perform(on: device.deviceDirectory, within: timeout) {
            Result(catching: body)
        } _: {
            done($0.mapError { Failure($0) }.flatMap { $0.mapError { Failure($0) } })
        }
    }
}

extension Failure {
    static let late = Failure(kind: .timedOut, description: "the kernel did not answer in time")
    static let doneBefore = Failure(
        kind: .unavailable,
        description: "the driver was already unbound from this device since the machine started;"
            + " this is done only once per boot")

    /// The failure for a rule, such as `/etc/wifi-toggler/drivers.conf:3 forbids it for the driver mt7925e on
    /// pci (nbramia/LifeOS#484)`.
    static func forbidden(by rule: DriverRule, for name: DriverName) -> Failure {
        let source = rule.source.map { " (\($0))" } ?? ""
        return Failure(
            kind: .unavailable,
            description:
                "\(rule.file):\(rule.line) forbids it for the driver \(name.driver) on \(name.bus)\(source)")
    }
}
