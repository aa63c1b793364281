import CLinux
import Glibc
import Platform

/// The software switch of one radio, set through /dev/rfkill (rfkill(8), linux/rfkill.h): by its own number,
/// never all of a type.
///
/// Blocking takes all interfaces of the radio down before the call returns, which may take a slow driver
/// seconds. Unblocking does not raise them.
public struct RadioSwitch: Equatable, Sendable {
    /// Why it is not set.
    public enum Problem: Error, Equatable, Sendable {
        /// The radio has no switch, or the machine has no /dev/rfkill.
        case none
        /// Blocked by a switch or key on the machine, which software cannot override.
        case hardBlocked
        /// Blocked by another program or a user, who has to unblock it.
        case softBlocked
        /// The radio has another interface that is up, which would stay down.
        case shared(with: String)
        case refused(SystemError)

        /// The problem as the end of a sentence about the switch of the radio.
        public var description: String {
            switch self {
            case .none: "the radio has no rfkill switch"
            case .hardBlocked: "the radio is switched off by hardware (rfkill)"
            case .softBlocked: "the radio is blocked by somebody else (rfkill)"
            case .shared(let other): "the radio carries \(other), too"
            case .refused(let error): "/dev/rfkill: \(error.description)"
            }
        }
    }

    public static let device = "/dev/rfkill"
    public static let sysfs = "/sys"

    /// N of /sys/class/rfkill/rfkillN.
    public let index: UInt32
    private let device: String
    private let sysfs: String
    /// The open device (``opened()``); nil: it is opened for each order.
    private var descriptor: Int32?

    /// A switch from a record.
    public init(index: UInt32, device: String = device, sysfs: String = sysfs) {
        self.index = index
        self.device = device
        self.sysfs = sysfs
    }

    /// The switch of a radio that may be blocked for the sake of one of its interfaces.
    /// - Parameters:
    ///   - phy: N of phyN.
    ///   - interface: the one that is sick; no other of this radio may be up.
    public static func find(
        ofPhy phy: UInt32, for interface: String, device: String = device, sysfs: String = sysfs
    ) throws(Problem) -> RadioSwitch {
        let sysfsClass = "\(sysfs)/class/rfkill"
        guard
            let index = switches(in: sysfsClass).first(where: {
                Self.phy(ofSwitch: $0, in: sysfsClass) == phy
            }),
            access(device, F_OK) == 0
        else { throw .none }
        let found = RadioSwitch(index: index, device: device, sysfs: sysfs)
        if found.isHardBlocked { throw .hardBlocked }
        if found.isSoftBlocked { throw .softBlocked }
        let others = SysfsClass.names(of: "\(sysfs)/class/net").filter { other in
            other != interface && SysfsClass.number("\(sysfs)/class/net/\(other)/phy80211/index") == phy
                && SysfsClass.isUp(other, sysfs)
        }
        if let other = others.first { throw .shared(with: other) }
        return found
    }

    /// The same for the radio of an interface.
    public static func find(
        for interface: String, device: String = device, sysfs: String = sysfs
    ) throws(Problem) -> RadioSwitch {
        guard let phy = SysfsClass.number("\(sysfs)/class/net/\(interface)/phy80211/index") else {
            throw .none
        }
        return try find(ofPhy: phy, for: interface, device: device, sysfs: sysfs)
    }

    /// Whether it is the switch of this interface's radio.
    public func isOf(_ interface: String) -> Bool {
        let phy = SysfsClass.number("\(sysfs)/class/net/\(interface)/phy80211/index")
        return phy != nil && Self.phy(ofSwitch: index, in: "\(sysfs)/class/rfkill") == phy
    }

    /// Whether software blocks the radio now.
    public var isSoftBlocked: Bool { SmallFile.line("\(directory)/soft") == "1" }
    private var isHardBlocked: Bool { SmallFile.line("\(directory)/hard") == "1" }

    /// Sets the switch, unless it is set so already. Blocks.
    public func set(isBlocked: Bool) throws(Problem) {
        // The kernel silently ignores an order for a switch that has gone.
        guard access(directory, F_OK) == 0 else { throw .none }
        guard isSoftBlocked != isBlocked else { return }
        do throws(SystemError) {
            try write(Self.order(index, isBlocked: isBlocked))
        } catch {
            throw [ENOENT, ENODEV, ENXIO].contains(error.code) ? .none : .refused(error)
        }
    }

    private var directory: String { "\(sysfs)/class/rfkill/rfkill\(index)" }

    /// The same switch with its device open, for a process that is about to give up the right to open it. Never closed.
    func opened() -> RadioSwitch {
        var opened = self
        opened.descriptor = try? open()
        return opened
    }

    private func open() throws(SystemError) -> Int32 {
        try check("open") { Glibc.open(device, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
    }

    private func write(_ order: [UInt8]) throws(SystemError) {
        let descriptor = if let descriptor { descriptor } else { try open() }
        defer { if self.descriptor == nil { close(descriptor) } }
        try checkCount("write") { Glibc.write(descriptor, order, order.count) }
    }

    /// struct rfkill_event with RFKILL_OP_CHANGE.
    static func order(_ index: UInt32, isBlocked: Bool) -> [UInt8] {
        withUnsafeBytes(of: index) { Array($0) } + [
            UInt8(RFKILL_TYPE_WLAN.rawValue), UInt8(RFKILL_OP_CHANGE.rawValue), isBlocked ? 1 : 0, 0,
        ]
    }

    /// The switches of Wi-Fi radios, the lowest first.
    private static func switches(in sysfsClass: String) -> [UInt32] {
        let prefix = "rfkill"
        return SysfsClass.names(of: sysfsClass)
            .filter { $0.hasPrefix(prefix) && SmallFile.line("\(sysfsClass)/\($0)/type") == "wlan" }
            .compactMap { UInt32($0.dropFirst(prefix.count)) }.sorted()
    }

    /// The radio that a switch belongs to: the number of its device, or else the N of its name `phyN`.
    /// - Parameter sysfsClass: /sys/class/rfkill.
    static func phy(ofSwitch index: UInt32, in sysfsClass: String) -> UInt32? {
        let directory = "\(sysfsClass)/rfkill\(index)"
        if let number = SysfsClass.number("\(directory)/device/index") { return number }
        guard let name = SmallFile.line("\(directory)/name"), name.hasPrefix("phy") else { return nil }
        return UInt32(name.dropFirst(3))
    }
}
