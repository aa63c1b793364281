import Glibc
import Platform

/// The driver of a network interface's device, which can be unbound and bound again through the device's bus
/// (/sys/bus/BUS/drivers/DRIVER/{unbind,bind}). The interface disappears, and comes back under another index.
public struct DriverBinding: Equatable, Sendable {
    /// Why the driver is not unbound or bound.
    public enum Problem: Error, Equatable, Sendable {
        /// A virtual interface, or one whose driver cannot be unbound through the bus; what is missing.
        case unavailable(String)
        /// Something else would be lost with it; its name.
        case shared(with: String)
        /// The interface would not come back when the driver is bound again.
        case stranding
        case refused(SystemError, path: String)
        /// The device is not there any more.
        case unplugged
        /// The driver is bound, and there is no interface.
        case notBack
        /// The same, and the host of the SDIO card was not reset, because something else hangs on it; its name.
        case notBackBeside(String)

        /// The problem as a clause of a sentence.
        public var description: String {
            switch self {
            case .unavailable(let what): "the interface has no \(what)"
            case .shared(let other): "\(other) hangs on the same device"
            case .stranding: "on an SDIO card the interface does not come back from it"
            case .refused(let error, let path): "\(path): \(error.description)"
            case .unplugged: "the device is not there any more"
            case .notBack: "the driver did not give the interface back"
            case .notBackBeside(let other):
                "the driver did not give the interface back, and the card's host is left alone because of \(other)"
            }
        }
    }

    /// An interface that a driver has created.
    public struct Interface: Equatable, Sendable {
        public var index: Int32
        public var name: String
    }

    public static let sysfs = "/sys"
    /// The interface belongs to one function of an SDIO card, and the driver creates it when it is bound to
    /// another one (brcmfmac's bcmsdh.c: to function 2, the interface is on function 1). To bind only the
    /// interface's function again takes Wi-Fi away until the machine reboots.
    private static let strandingBus = "sdio"

    /// `pci`, `usb`, `sdio` and the like.
    public let bus: String
    public let driver: String
    /// Its name on the bus, such as `0000:03:00.0` or `1-1.4:1.0`.
    public let device: String
    let sysfs: String
    /// The driver's open file `bind` (``opened()``); nil: it is opened each time.
    private var openBinder: Int32?

    /// A binding from a record; nil: the names are invalid.
    public init?(bus: String, driver: String, device: String, sysfs: String = sysfs) {
        guard [bus, driver, device].allSatisfy(Self.isName) else { return nil }
        self.bus = bus
        self.driver = driver
        self.device = device
        self.sysfs = sysfs
    }

    /// The driver of an interface, if only this interface would be lost with it.
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

    /// The driver of an interface, whatever else is on the device.
    static func find(_ interface: String, sysfs: String) throws(Problem) -> DriverBinding {
        let link = "\(sysfs)/class/net/\(interface)/device"
        guard SysfsClass.isComponent(interface), let directory = SysfsFile.realPath(link) else {
            throw .unavailable("device")
        }
        // A class, such as that of mac80211_hwsim, is not a bus.
        guard component("\(link)/subsystem", below: "bus") != nil else { throw .unavailable("bus") }
        guard let found = ofDevice(directory, sysfs: sysfs) else {
            throw .unavailable("driver that its bus can take off")
        }
        return found
    }

    /// The driver of a device, if its bus can unbind it; nil: it cannot.
    /// - Parameter directory: the device's own, without symbolic links.
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

    /// The interface that stands on this one, such as a bridge; nil: there is none.
    static func upper(of interface: String, sysfs: String) -> String? {
        let upper = "upper_"
        return SysfsClass.names(of: "\(sysfs)/class/net/\(interface)").first { $0.hasPrefix(upper) }
            .map { String($0.dropFirst(upper.count)) }
    }

    // MARK: State

    /// Whether the device is on its bus.
    public var isPlugged: Bool { access(deviceDirectory, F_OK) == 0 }

    /// Whether this driver or another one is bound to the device.
    public var isBound: Bool { access(driverLink, F_OK) == 0 }

    /// The interfaces of the device, in the order of their names.
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

    /// Unbinds the driver from the device, if one is bound. Blocks until the driver is done.
    public func unbind() throws(Problem) {
        guard isPlugged else { throw .unplugged }
        guard isBound else { return }
        try write(unbinder) { !isBound }
    }

    /// Binds the driver to the device, if none is bound. Blocks until the driver is done.
    public func bind() throws(Problem) {
        guard isPlugged else { throw .unplugged }
        guard !isBound else { return }
        // Another process, such as the guard, may be faster.
        try write(binder) { isBound }
    }

    /// The same binding with the file `bind` open, for a process that is about to give up the right to open it. Never
    /// closed.
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

    /// The time between two checks for the interface of a device whose driver was bound.
    private static let checkAgain: Duration = .milliseconds(50)
    /// How long a driver may take to create the interface after it was bound: it may load firmware first.
    public static let timeout: Duration = .seconds(20)
    /// How long it may take until that interface has its old name again.
    public static let namingTimeout: Duration = .seconds(3)

    /// Waits until the device has an interface again and, if the kernel gave it a new name, until udev or
    /// another program has renamed it (not every kernel can rename a link that is up), or until a time-out.
    /// - Parameters:
    ///   - name: the interface's name before.
    ///   - timeout: for the interface; a driver may load firmware first.
    ///   - naming: the time-out for the name.
    ///   - mayBeAway: the device may appear only later.
    ///   - pause: waits; false: stop waiting.
    public func awaitInterface(
        named name: String, within timeout: Duration = timeout, naming: Duration = namingTimeout,
        mayBeAway: Bool = false, pause: (Duration) -> Bool = sleep
    ) throws(Problem) -> Interface {
        let start = ContinuousClock.now
        var seen: (interface: Interface, since: ContinuousClock.Instant)?
        while true {
            let there = interfaces
            if let found = there.first(where: { $0.name == name }) { return found }
            // While it is renamed it may be invisible for a moment.
            if let first = there.first { seen = (first, seen?.since ?? .now) }
            guard isPlugged || mayBeAway else { throw .unplugged }
            let end = seen.map { $0.since + naming } ?? start + timeout
            guard ContinuousClock.now < end, pause(Self.checkAgain) else {
                guard let seen else { throw isPlugged ? .notBack : .unplugged }
                return seen.interface
            }
        }
    }

    /// A pause that always continues the wait.
    public static func sleep(_ duration: Duration) -> Bool {
        let (seconds, attoseconds) = duration.components
        usleep(UInt32(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
        return true
    }

    // MARK: Names

    /// One component of a path, printable and without white space, because it is written into files and
    /// records.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= longestName && name != "." && name != ".."
            && name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "/") }
    }

    /// Two of them fit into a file name (NAME_MAX).
    private static let longestName = 100

    /// The last component of a symbolic link's target, if the one before is as expected.
    private static func component(_ link: String, below parent: String) -> String? {
        guard let parts = SysfsFile.realPath(link)?.split(separator: "/"), parts.count > 1,
            parts[parts.count - 2] == parent
        else { return nil }
        return String(parts[parts.count - 1])
    }
}
