import CLinux

/// What /dev/rfkill reports about one switch (struct rfkill_event, linux/rfkill.h).
struct RadioEvent: Equatable, Sendable {
    enum Operation: Equatable, Sendable { case added, removed, changed }

    /// The switch: N of /sys/class/rfkill/rfkillN.
    var index: UInt32
    /// RFKILL_TYPE_WLAN, rather than Bluetooth or another radio.
    var isWLAN: Bool
    var operation: Operation
    var isSoftBlocked: Bool
    var isHardBlocked: Bool

    /// The bytes of one event that every kernel knows; newer kernels append to it on request.
    static let size = 8

    /// From the result of one read(2); nil if it is too short, or its operation is not reported.
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
