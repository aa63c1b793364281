import Glibc
import Platform

/// The driver of a network interface's device, which can be unbound and bound again through the device's bus
/// (/sys/bus/BUS/drivers/DRIVER/{unbind,bind}). The interface disappears, and comes back with another index.
public struct DriverBinding: Equatable, Sendable {
    /// Why the driver was not unbound or bound.
    public enum Problem: Error, Equatable, Sendable {
        /// The interface is virtual, or its driver cannot be unbound through the bus. The text names what is
        /// missing.
        case unavailable(String)
        /// Something else depends on the device and would be lost, too. The text names it.
        case shared(with: String)
        /// The interface would not come back after binding the driver again.
        case stranding
        case refused(SystemError, path: String)
        /// The device has disappeared.
        case unplugged
        /// The device is on its bus, but the interface has not come back in time.
        case notBack
        /// As `notBack`; and the host of the SDIO card was not reset, because another device shares it. The
        /// text names that device.
        case notBackBeside(String)

        /// Describes the problem in a clause.
        public var description: String {
            switch self {
            case .unavailable(let what): "the interface has no \(what)"
            case .shared(let other): "\(other) uses the same device, and would be interrupted"
            case .stranding: "on an SDIO card the interface would not come back"
            case .refused(let error, let path): "\(path): \(error.description)"
            case .unplugged: "the device is not there any more"
            case .notBack: "the driver did not give the interface back"
            case .notBackBeside(let other):
                "the driver did not give the interface back, and the host controller of the card was not reset,"
                    + " because \(other) uses it, too"
            }
        }
    }

    /// An interface that a driver has created.
    public struct Interface: Equatable, Sendable {
        public var index: Int32
        public var name: String
    }

    public static let sysfs = "/sys"
    /// The bus on which rebinding would lose the interface. The interface belongs to one function of an SDIO
    /// card, but the driver creates the interface when it is bound to another function of the card (bcmsdh.c
    /// of brcmfmac: the interface is on function 1, and appears with function 2). After rebinding only the
    /// interface's function, Wi-Fi would be missing until the next boot.
    private static let strandingBus = "sdio"

    /// The bus, such as `pci`, `usb` or `sdio`.
    public let bus: String
    public let driver: String
    /// The name of the device on its bus, such as `0000:03:00.0` or `1-1.4:1.0`.
    public let device: String
    let sysfs: String
    /// The descriptor of the driver's file `bind` (``opened()``); nil if the file is opened for each use.
    private var openBinder: Int32?

    /// The binding for names from a record; nil if they are invalid.
    public init?(bus: String, driver: String, device: String, sysfs: String = sysfs) {
        guard [bus, driver, device].allSatisfy(Self.isName) else { return nil }
        self.bus = bus
        self.driver = driver
        self.device = device
        self.sysfs = sysfs
    }

    /// The driver of an interface.
    /// - Throws: `stranding`, `unavailable`, or `shared` if something other than this interface would be lost
    ///   without the driver.
    public static func of(_ interface: String, sysfs: String = sysfs) throws(Problem) -> DriverBinding {
        let found = try find(interface, sysfs: sysfs)
        guard found.bus != strandingBus else { throw .stranding }
        let directory = SysfsFile.realPath(found.deviceDirectory) ?? found.deviceDirectory
        if let other = DeviceTree.foreigner(beneath: directory) ?? found.otherInterface(than: interface)
            ?? upper(of: interface, sysfs: sysfs)
        {
            throw .shared(with: other)
        }
        return found
    }

    /// The driver of an interface. Does not check whether anything else depends on the device.
    static func find(_ interface: String, sysfs: String) throws(Problem) -> DriverBinding {
        let link = "\(sysfs)/class/net/\(interface)/device"
        guard SysfsClass.isComponent(interface), let directory = SysfsFile.realPath(link) else {
            throw .unavailable("device")
        }
        // The "subsystem" may be a class instead of a bus, as with mac80211_hwsim.
        guard component("\(link)/subsystem", below: "bus") != nil else { throw .unavailable("bus") }
        guard let found = ofDevice(directory, sysfs: sysfs) else {
            throw .unavailable("driver that its bus can unbind")
        }
        return found
    }

    /// The driver of a device; nil if its bus cannot unbind it.
    /// - Parameter directory: the directory of the device, without symbolic links.
    static func ofDevice(_ directory: String, sysfs: String) -> DriverBinding? {
        guard let bus = component("\(directory)/subsystem", below: "bus"),
            let driver = component("\(directory)/driver", below: "drivers"),
            let device = directory.split(separator: "/").last.map(String.init),
            let found = DriverBinding(bus: bus, driver: driver, device: device, sysfs: sysfs),
            SysfsFile.realPath(found.deviceDirectory) == directory, found.unbinder.isThere,
            found.binder.isThere
        else { return nil }
        return found
    }

    /// An interface on top of this one, such as a bridge; nil if there is none.
    static func upper(of interface: String, sysfs: String) -> String? {
        let upper = "upper_"
        return SysfsClass.names(of: "\(sysfs)/class/net/\(interface)").first { $0.hasPrefix(upper) }
            .map { String($0.dropFirst(upper.count)) }
    }

    // MARK: State

    /// Whether the device is on its bus.
    public var isPlugged: Bool { access(deviceDirectory, F_OK) == 0 }

    /// Whether any driver is bound to the device.
    public var isBound: Bool { access(driverLink, F_OK) == 0 }

    /// Whether the driver of this name is bound to the device.
    func isBound(to driver: String) -> Bool { SymbolicLink.lastPart(driverLink) == driver }

    /// The interfaces of the device, sorted by name.
    public var interfaces: [Interface] {
        SysfsClass.names(of: "\(deviceDirectory)/net").compactMap { name in
            let index = SmallFile.line("\(deviceDirectory)/net/\(name)/ifindex").flatMap { Int32($0) }
            return index.map { Interface(index: $0, name: name) }
        }
    }

    private func otherInterface(than ours: String) -> String? {
        interfaces.map(\.name).first { $0 != ours }
    }

    // MARK: Unbinding and binding

    /// Unbinds the driver from the device, if one is bound. Blocks until the driver has finished.
    public func unbind() throws(Problem) {
        guard isPlugged else { throw .unplugged }
        guard isBound else { return }
        try write(unbinder) { !isBound }
    }

    /// Binds the driver to the device, if none is bound. Blocks until the driver has finished.
    public func bind() throws(Problem) {
        guard isPlugged else { throw .unplugged }
        guard !isBound else { return }
        // Another process, such as the guard, may have bound it meanwhile.
        try write(binder) { isBound }
    }

    /// Opens the file `bind`. A process that is about to lose the right to open it needs this. The file is
    /// never closed.
    func opened() -> DriverBinding {
        var opened = self
        opened.openBinder = binder.opened().descriptor
        return opened
    }

    private func write(_ file: SysfsFile, isDone: () -> Bool) throws(Problem) {
        do throws(SystemError) { try file.write(device) } catch {
            guard isDone() else { throw isPlugged ? .refused(error, path: file.path) : .unplugged }
        }
    }

    var deviceDirectory: String { "\(sysfs)/bus/\(bus)/devices/\(device)" }
    var driverLink: String { "\(deviceDirectory)/driver" }
    var unbinder: SysfsFile { SysfsFile("bus/\(bus)/drivers/\(driver)/unbind", in: sysfs) }
    var binder: SysfsFile {
        SysfsFile("bus/\(bus)/drivers/\(driver)/bind", in: sysfs, descriptor: openBinder)
    }

    // MARK: Coming back

    /// The time between two checks whether the interface has come back.
    private static let checkAgain: Duration = .milliseconds(50)
    /// How long a driver may take to create the interface. It may load firmware first.
    public static let timeout: Duration = .seconds(20)
    /// How long it may take until the new interface has its old name again.
    public static let namingTimeout: Duration = .seconds(3)

    /// Waits until the device has an interface again. If the interface has a new name, waits also until udev
    /// or another program has renamed it. (Not every kernel can rename a link that is up.)
    /// - Parameters:
    ///   - name: the old name of the interface.
    ///   - timeout: the time limit for the interface to appear.
    ///   - naming: the time limit for the renaming.
    ///   - mayBeAway: whether the device itself may still be missing.
    ///   - pause: waits for a duration, and returns false to stop waiting.
    /// - Returns: the interface; with its new name if it was not renamed in time.
    /// - Throws: `notBack` or `unplugged`.
    public func awaitInterface(
        named name: String, within timeout: Duration = timeout, naming: Duration = namingTimeout,
        mayBeAway: Bool = false, pause: (Duration) -> Bool = sleep
    ) throws(Problem) -> Interface {
        let start = ContinuousClock.now
        var seen: (interface: Interface, since: ContinuousClock.Instant)?
        while true {
            let there = interfaces
            if let found = there.first(where: { $0.name == name }) { return found }
            // While an interface is being renamed, it may be invisible for a moment.
            if let first = there.first { seen = (first, seen?.since ?? .now) }
            guard isPlugged || mayBeAway else { throw .unplugged }
            let end = seen.map { $0.since + naming } ?? start + timeout
            guard ContinuousClock.now < end, pause(Self.checkAgain) else {
                guard let seen else { throw isPlugged ? .notBack : .unplugged }
                return seen.interface
            }
        }
    }

    /// Sleeps, and returns true, so that the wait continues.
    public static func sleep(_ duration: Duration) -> Bool {
        let (seconds, attoseconds) = duration.components
        usleep(UInt32(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
        return true
    }

    // MARK: Names

    /// Whether the name is one component of a path, of printable ASCII characters without spaces, and not too
    /// long. It is written into files and records.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName && name != "." && name != ".."
            && name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "/") }
    }

    /// The longest name, in bytes: two names must fit into a file name (NAME_MAX).
    private static let longestName = 100

    /// The last component of a symbolic link's target; nil if the component before it is not `parent`.
    static func component(_ link: String, below parent: String) -> String? {
        guard let parts = SysfsFile.realPath(link)?.split(separator: "/"), parts.count > 1,
            parts[parts.count - 2] == parent
        else { return nil }
        return String(parts[parts.count - 1])
    }
}
