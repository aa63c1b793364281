import CLinux

/// An event of one rfkill switch, as /dev/rfkill reports it (struct rfkill_event, linux/rfkill.h).
struct RadioEvent: Equatable, Sendable {
    enum Operation: Equatable, Sendable { case added, removed, changed }

    /// The number of the switch: N in /sys/class/rfkill/rfkillN.
    var index: UInt32
    /// Whether the switch belongs to a Wi-Fi radio (RFKILL_TYPE_WLAN), and not to Bluetooth or another radio.
    var isWLAN: Bool
    var operation: Operation
    var isSoftBlocked: Bool
    var isHardBlocked: Bool

    /// The size of an event in bytes. Newer kernels append to it only on request.
    static let size = 8

    /// Parses the result of one read(2). Returns nil if the result is too short, or if the operation is
    /// unknown.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.size))
        guard bytes.count == Self.size else { return nil }
        switch UInt32(bytes[5]) {
        case RFKILL_OP_ADD.rawValue: operation = .added
        case RFKILL_OP_DEL.rawValue: operation = .removed
        case RFKILL_OP_CHANGE.rawValue: operation = .changed
        default: return nil
        }
        index = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        isWLAN = UInt32(bytes[4]) == RFKILL_TYPE_WLAN.rawValue
        isSoftBlocked = bytes[6] != 0
        isHardBlocked = bytes[7] != 0
    }
}
