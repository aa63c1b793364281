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

        /// The problem as a clause of a sentence.
        public var description: String {
            switch self {
            case .unavailable(let what): "the interface has no \(what)"
            case .shared(let other): "\(other) hangs on the same device"
            case .stranding: "on an SDIO card the interface does not come back from it"
            case .refused(let error, let path): "\(path): \(error.description)"
            case .unplugged: "the device is not there any more"
            case .notBack: "the driver did not give the interface back"
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
    private let sysfs: String
    /// The driver's open file `bind` (``opened()``); nil: it is opened each time.
    private var binder: Int32?

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
        let link = "\(sysfs)/class/net/\(interface)"
        guard !interface.isEmpty, !interface.hasPrefix("."), !interface.utf8.contains(UInt8(ascii: "/")),
            let directory = path("\(link)/device")
        else { throw .unavailable("device") }
        // A class, such as that of mac80211_hwsim, is not a bus.
        guard let bus = component("\(link)/device/subsystem", below: "bus") else { throw .unavailable("bus") }
        guard let driver = component("\(link)/device/driver", below: "drivers"),
            let device = directory.split(separator: "/").last.map(String.init),
            let found = DriverBinding(bus: bus, driver: driver, device: device, sysfs: sysfs),
            path(found.deviceDirectory) == directory, access(found.driverFile(.unbind), F_OK) == 0,
            access(found.driverFile(.bind), F_OK) == 0
        else { throw .unavailable("driver that its bus can take off") }
        guard bus != strandingBus else { throw .stranding }
        if let other = DeviceTree.foreigner(beneath: directory) ?? found.otherInterface(than: interface) {
            throw .shared(with: other)
        }
        let upper = "upper_"
        if let above = SysfsClass.names(of: link).first(where: { $0.hasPrefix(upper) }) {
            throw .shared(with: String(above.dropFirst(upper.count)))
        }
        return found
    }

    // MARK: State

    /// Whether the device is on its bus.
    public var isPlugged: Bool { access(deviceDirectory, F_OK) == 0 }

    /// Whether this driver or another one is bound to the device.
    public var isBound: Bool { access("\(deviceDirectory)/driver", F_OK) == 0 }

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
        try write(.unbind) { !isBound }
    }

    /// Binds the driver to the device, if none is bound. Blocks until the driver is done.
    public func bind() throws(Problem) {
        guard isPlugged else { throw .unplugged }
        guard !isBound else { return }
        // Another process, such as the guard, may be faster.
        try write(.bind) { isBound }
    }

    private enum File: String { case bind, unbind }

    /// The same binding with the file `bind` open, for a process that is about to give up the right to open it. Never
    /// closed.
    func opened() -> DriverBinding {
        var opened = self
        opened.binder = try? open(.bind)
        return opened
    }

    private func open(_ file: File) throws(SystemError) -> Int32 {
        try check("open") { Glibc.open(driverFile(file), O_WRONLY | O_CLOEXEC | O_NOFOLLOW) }
    }

    private func write(_ file: File, isDone: () -> Bool) throws(Problem) {
        let path = driverFile(file)
        let opened = file == .bind ? binder : nil
        do throws(SystemError) {
            let descriptor = if let opened { opened } else { try open(file) }
            defer { if opened == nil { close(descriptor) } }
            let name = Array(device.utf8)
            try checkCount("write") { Glibc.write(descriptor, name, name.count) }
        } catch {
            guard isDone() else { throw isPlugged ? .refused(error, path: path) : .unplugged }
        }
    }

    private var deviceDirectory: String { "\(sysfs)/bus/\(bus)/devices/\(device)" }
    private func driverFile(_ file: File) -> String {
        "\(sysfs)/bus/\(bus)/drivers/\(driver)/\(file.rawValue)"
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
    ///   - pause: waits; false: stop waiting.
    public func awaitInterface(
        named name: String, within timeout: Duration = timeout, naming: Duration = namingTimeout,
        pause: (Duration) -> Bool = sleep
    ) throws(Problem) -> Interface {
        let start = ContinuousClock.now
        var seen: (interface: Interface, since: ContinuousClock.Instant)?
        while true {
            let there = interfaces
            if let found = there.first(where: { $0.name == name }) { return found }
            // While it is renamed it may be invisible for a moment.
            if let first = there.first { seen = (first, seen?.since ?? .now) }
            guard isPlugged else { throw .unplugged }
            let end = seen.map { $0.since + naming } ?? start + timeout
            guard ContinuousClock.now < end, pause(Self.checkAgain) else {
                guard let seen else { throw .notBack }
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
        guard let parts = path(link)?.split(separator: "/"), parts.count > 1,
            parts[parts.count - 2] == parent
        else { return nil }
        return String(parts[parts.count - 1])
    }

    /// Without symbolic links (realpath(3)); nil: it does not exist.
    private static func path(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(
            validating: UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) },
            as: UTF8.self)
    }
}
