import Glibc
import Platform

/// Resets a network interface's device on its bus (USB, PCI or SDIO). The interface disappears, and comes
/// back with another index.
///
/// The names in the ``bindings`` determine all files that are written.
public struct BusReset: Equatable, Sendable {
    public typealias Problem = DriverBinding.Problem

    /// The function that has the interface; for an SDIO card, followed by the card's other functions and the
    /// host.
    public let bindings: [DriverBinding]
    /// Two steps, the gentler one first.
    private var steps: [ResetStep]
    /// The device that shares the host with the SDIO card, so that the host must not be reset; nil if there
    /// is none.
    private var neighbour: String?

    /// The reset for bindings from a record; nil if they do not form a valid reset.
    public init?(_ bindings: [DriverBinding]) {
        guard let steps = ResetStep.all(for: bindings) else { return nil }
        self.bindings = bindings
        self.steps = steps
    }

    var function: DriverBinding { bindings[0] }
    /// Whether the device has lost its interface. Then a device that is gone is looked for on its bus, unless
    /// it was unplugged.
    var isOfLoss = false
    /// Whether the device was named by a process that is not trusted (``verified(by:)``).
    var isNamedByUntrusted = false

    // MARK: Planning

    /// The reset of an interface's device.
    /// - Throws: `shared` if something other than this interface would be lost with the device, `unavailable`
    ///   if the device cannot be reset.
    public static func of(
        _ interface: String, sysfs: String = DriverBinding.sysfs
    ) throws(Problem) -> BusReset {
        let function = try DriverBinding.find(interface, sysfs: sysfs)
        guard var found = BusReset([function]), let card = found.card else {
            throw .unavailable("device on USB, PCI or SDIO")
        }
        if let other = DeviceTree.foreigner(beneath: card, functions: found.functionsOfCard)
            ?? otherInterface(than: interface, below: card)
            ?? DriverBinding.upper(of: interface, sysfs: sysfs)
        {
            throw .shared(with: other)
        }
        if function.bus == "sdio" { try found.add(card) }
        guard found.steps[0].isPossible else { throw .unavailable("device that its bus can reset") }
        return found
    }

    /// The object that the function is a part of: a USB device, or an SDIO card; nil: there is none.
    private var above: String? {
        BusAddress.USB(function.device)?.device ?? BusAddress.sdioCard(function.device)
    }

    /// The directory of the object that the function is a part of, or of the function itself if there is no
    /// such object; nil: the function is not on its bus.
    var card: String? {
        guard let own = SysfsFile.realPath(function.deviceDirectory),
            case let card = above == nil ? own : SysfsFile.parent(own),
            card.hasSuffix("/\(above ?? function.device)")
        else { return nil }
        return card
    }

    /// The bus and driver by which other functions of the same object are recognised (`DeviceTree`); nil: the
    /// function is not a part of such an object.
    var functionsOfCard: (bus: String, driver: String)? { above.map { _ in (function.bus, function.driver) } }

    /// Whether adding the device again would scan its PCI bus now: the device is gone, the bus is not.
    var scansBus: Bool { steps[1].back.contains { $0.isDue && $0.file.isThere } }

    /// The host controller of the SDIO card; nil on other buses, or if the host must not be reset.
    var host: DriverBinding? { bindings.last.flatMap { $0.bus == function.bus ? nil : $0 } }

    /// Adds the other functions of an SDIO card, and its host if no other device shares the host.
    /// - Parameter released: the functions that have no driver now, and to which the driver of this function
    ///   is bound again.
    mutating func add(_ card: String, released: Set<String> = []) throws(Problem) {
        let (bus, sysfs) = (function.bus, function.sysfs)
        let others = SysfsClass.names(of: card).filter { name in
            name != function.device && BusAddress.sdioCard(name).map { card.hasSuffix("/\($0)") } == true
        }
        let bound = others.compactMap { name in
            (SymbolicLink.lastPart("\(card)/\(name)/driver")
                ?? (released.contains(name) ? function.driver : nil))
                .flatMap { DriverBinding(bus: bus, driver: $0, device: name, sysfs: sysfs) }
        }
        let all = [function] + bound
        // The path of the card is HOST/mmc_host/mmc1/mmc1:0001.
        let hosts = SysfsFile.parent(SysfsFile.parent(card))
        let host = SysfsFile.parent(hosts)
        var (controller, other): (DriverBinding?, String?)
        if hosts == "\(host)/mmc_host" {
            other = DeviceTree.foreigner(beneath: host, sparing: card)
            if other == nil { controller = DriverBinding.ofDevice(host, sysfs: sysfs) }
        }
        guard let found = controller.flatMap({ BusReset(all + [$0]) }) ?? BusReset(all) else {
            throw .unavailable("device that its bus can reset")
        }
        self = found
        neighbour = other
    }

    private static func otherInterface(than ours: String, below card: String) -> String? {
        (["."] + SysfsClass.names(of: card)).lazy
            .flatMap { SysfsClass.names(of: "\(card)/\($0)/net") }.first { $0 != ours }
    }

    // MARK: For other processes

    /// Opens the files that give the device back. A process that is about to lose the right to open them
    /// needs this. They are never closed.
    func opened() -> BusReset {
        var opened = self
        for step in steps.indices {
            for write in steps[step].back.indices {
                opened.steps[step].back[write].file = steps[step].back[write].file.opened()
            }
        }
        return opened
    }

    /// The same reset, except that its second step takes nothing away.
    public var gentle: BusReset {
        var gentle = self
        gentle.steps[1].away = []
        return gentle
    }

    /// Whether the interface's function has disappeared from its bus, or has no driver.
    public var isAway: Bool { !function.isBound }

    /// Whether the function has an interface.
    public var hasInterface: Bool { !interfaces.isEmpty }

    /// The interfaces of the function.
    public var interfaces: [DriverBinding.Interface] { function.interfaces }

    // MARK: Away and back

    /// How long it may take until the interface has come back.
    public static let timeout: Duration = .seconds(45)
    /// How long to wait for the interface after the first step, before the second step is taken.
    public static let firstTimeout: Duration = .seconds(10)
    /// How long the device stays away in the second step.
    private static let pause: Duration = .seconds(1)

    /// Takes the device away from its bus by the writes of the first step. If the kernel refuses one of them
    /// after the first, the writes of the second step follow. Blocks. If an untrusted process has named the
    /// device, and the device has no driver, binds its driver first, and is done if that succeeds.
    /// - Throws: `unplugged`, or the error of the first write or of binding the driver; nothing is changed
    ///   then. Later errors are ignored.
    public func takeAway() throws(Problem) {
        guard function.isPlugged else {
            if isOfLoss, canRescan { return }
            throw .unplugged
        }
        if isNamedByUntrusted, !function.isBound, try bindsItself() { return }
        if try !takeAway(steps[0]) { _ = try? takeAway(steps[1]) }
    }

    /// Binds the driver that another process has named. The kernel refuses if the driver does not support the
    /// device (ENODEV).
    /// - Returns: whether the driver is bound; false if the driver supports the device, but has failed.
    /// - Throws: the driver does not support the device, or the kernel could not be asked to bind it.
    private func bindsItself() throws(Problem) -> Bool {
        do throws(Problem) { try function.bind() } catch {
            guard case .refused(let refusal, _) = error, refusal.call == "write", refusal.code != ENODEV
            else { throw error }
            return false
        }
        return true
    }

    /// - Returns: whether the kernel has accepted the whole step.
    private func takeAway(_ step: ResetStep) throws(Problem) -> Bool {
        var (isBegun, isWhole) = (false, true)
        for write in step.away where write.isDue {
            do throws(Problem) { try write.perform() } catch {
                guard isBegun else { throw error }
                isWhole = false
            }
            isBegun = true
        }
        return isWhole
    }

    /// Gives the device back, whichever steps were taken. Blocks.
    /// - Throws: the error of the first write that the kernel refused. The writes after it are tried all the
    ///   same.
    public func restore() throws(Problem) {
        var problem: Problem?
        for step in steps.reversed() {
            for write in step.back where write.isDue {
                do throws(Problem) { try write.perform() } catch { problem = problem ?? error }
            }
        }
        if let problem { throw problem }
    }

    /// Gives the device back and waits for the interface. If the interface does not appear, takes the second
    /// step: takes the device away and gives it back again. Blocks.
    public func giveBack(
        named name: String, within timeout: Duration = firstTimeout,
        pause: (Duration) -> Bool = DriverBinding.sleep
    ) throws(Problem) -> DriverBinding.Interface {
        do throws(Problem) {
            try restore()
            return try awaitInterface(named: name, within: timeout, pause: pause)
        } catch {
            guard steps[1].isPossible else { throw error }
        }
        _ = try takeAway(steps[1])
        _ = pause(Self.pause)
        try restore()
        return try awaitInterface(named: name, pause: pause)
    }

    /// As ``DriverBinding/awaitInterface(named:within:naming:mayBeAway:pause:)``, for a device that may be
    /// off its bus for a moment.
    public func awaitInterface(
        named name: String, within timeout: Duration = DriverBinding.timeout,
        pause: (Duration) -> Bool = DriverBinding.sleep
    ) throws(Problem) -> DriverBinding.Interface {
        do throws(Problem) {
            return try function.awaitInterface(named: name, within: timeout, mayBeAway: true, pause: pause)
        } catch {
            if error == .notBack, let neighbour { throw .notBackBeside(neighbour) }
            throw error
        }
    }
}
