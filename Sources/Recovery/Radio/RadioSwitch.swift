import CLinux
import Glibc
import Platform

/// The software switch of one radio, which is set through /dev/rfkill (rfkill(8), linux/rfkill.h). This
/// program sets it by its number, and never sets all switches of a type together.
///
/// Blocking a radio sets all of its interfaces down before the call returns. With a slow driver this may take
/// seconds. Unblocking does not set them up again.
public struct RadioSwitch: Equatable, Sendable {
    /// Why the switch was not set.
    public enum Problem: Error, Equatable, Sendable {
        /// The radio has no switch, or the machine has no /dev/rfkill.
        case none
        /// A hardware switch or key blocks the radio. Software cannot override it.
        case hardBlocked
        /// Another program or a user blocks the radio, and has to unblock it.
        case softBlocked
        /// The radio has another interface that is up, and that would stay down afterwards.
        case shared(with: String)
        case refused(SystemError)

        /// Describes the problem in a clause.
        public var description: String {
            switch self {
            case .none: "the radio has no rfkill switch"
            case .hardBlocked: "the radio is switched off by hardware (use the switch or key of the machine)"
            case .softBlocked:
                "another program or a user has blocked the radio (run 'sudo rfkill unblock wlan')"
            case .shared(let other): "\(other) uses the same radio, and would stay down"
            case .refused(let error): "/dev/rfkill: \(error.description)"
            }
        }
    }

    public static let device = "/dev/rfkill"
    public static let sysfs = "/sys"

    /// The number of the switch: N in /sys/class/rfkill/rfkillN.
    public let index: UInt32
    private let device: String
    private let sysfs: String
    /// The descriptor of the open device (``opened()``); nil if the device is opened for each use.
    private var descriptor: Int32?

    /// The switch for a number from a record.
    public init(index: UInt32, device: String = device, sysfs: String = sysfs) {
        self.index = index
        self.device = device
        self.sysfs = sysfs
    }

    /// The switch of a radio. Fails if the radio must not be blocked to recover one of its interfaces.
    /// - Parameters:
    ///   - phy: the number of the radio, N in phyN.
    ///   - interface: the sick interface. No other interface of this radio may be up.
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
        if let other = otherUser(ofPhy: phy, than: interface, sysfs) { throw .shared(with: other) }
        return found
    }

    /// Another interface of this radio that is up; nil: there is none.
    private static func otherUser(ofPhy phy: UInt32, than interface: String, _ sysfs: String) -> String? {
        SysfsClass.names(of: "\(sysfs)/class/net").first { other in
            other != interface && SysfsClass.number("\(sysfs)/class/net/\(other)/phy80211/index") == phy
                && SysfsClass.isUp(other, sysfs)
        }
    }

    /// Whether the interface has a radio of which no other interface is up.
    static func isOnlyUser(_ interface: String, sysfs: String = sysfs) -> Bool {
        SysfsClass.number("\(sysfs)/class/net/\(interface)/phy80211/index").map {
            otherUser(ofPhy: $0, than: interface, sysfs) == nil
        } ?? false
    }

    /// The switch of an interface's radio. Fails if the interface has no radio, and in the same cases as
    /// ``find(ofPhy:for:device:sysfs:)``.
    public static func find(
        for interface: String, device: String = device, sysfs: String = sysfs
    ) throws(Problem) -> RadioSwitch {
        guard let phy = SysfsClass.number("\(sysfs)/class/net/\(interface)/phy80211/index") else {
            throw .none
        }
        return try find(ofPhy: phy, for: interface, device: device, sysfs: sysfs)
    }

    /// Whether this is the switch of the interface's radio.
    public func isOf(_ interface: String) -> Bool {
        let phy = SysfsClass.number("\(sysfs)/class/net/\(interface)/phy80211/index")
        return phy != nil && Self.phy(ofSwitch: index, in: "\(sysfs)/class/rfkill") == phy
    }

    /// Whether software blocks the radio now.
    public var isSoftBlocked: Bool { SmallFile.line("\(directory)/soft") == "1" }
    private var isHardBlocked: Bool { SmallFile.line("\(directory)/hard") == "1" }

    /// Blocks or unblocks the radio, unless that is done already. The call may take seconds.
    public func set(isBlocked: Bool) throws(Problem) {
        // The kernel silently ignores a command for a switch that does not exist.
        guard access(directory, F_OK) == 0 else { throw .none }
        guard isSoftBlocked != isBlocked else { return }
        do throws(SystemError) {
            try write(Self.order(index, isBlocked: isBlocked))
        } catch {
            throw [ENOENT, ENODEV, ENXIO].contains(error.code) ? .none : .refused(error)
        }
    }

    private var directory: String { "\(sysfs)/class/rfkill/rfkill\(index)" }

    /// Opens the device. A process that is about to lose the right to open it needs this. The device is never
    /// closed.
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

    /// The bytes of struct rfkill_event with RFKILL_OP_CHANGE.
    static func order(_ index: UInt32, isBlocked: Bool) -> [UInt8] {
        withUnsafeBytes(of: index) { Array($0) } + [
            UInt8(RFKILL_TYPE_WLAN.rawValue), UInt8(RFKILL_OP_CHANGE.rawValue), isBlocked ? 1 : 0, 0,
        ]
    }

    /// The numbers of the switches of Wi-Fi radios, in ascending order.
    private static func switches(in sysfsClass: String) -> [UInt32] {
        let prefix = "rfkill"
        return SysfsClass.names(of: sysfsClass)
            .filter { $0.hasPrefix(prefix) && SmallFile.line("\(sysfsClass)/\($0)/type") == "wlan" }
            .compactMap { UInt32($0.dropFirst(prefix.count)) }.sorted()
    }

    /// The number of the radio to which a switch belongs: the index of its device, or else the N in its name
    /// `phyN`.
    /// - Parameter sysfsClass: the path of /sys/class/rfkill.
    static func phy(ofSwitch index: UInt32, in sysfsClass: String) -> UInt32? {
        let directory = "\(sysfsClass)/rfkill\(index)"
        if let number = SysfsClass.number("\(directory)/device/index") { return number }
        guard let name = SmallFile.line("\(directory)/name"), name.hasPrefix("phy") else { return nil }
        return UInt32(name.dropFirst(3))
    }
}
