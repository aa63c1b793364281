/// The part that the BSSIDs of one manufacturer have in common: the first three bytes, without the bit for
/// local administration (IEEE Std 802, 8.4). An access point sets that bit in the BSSIDs that it derives from
/// its own address for additional networks.
public struct BSSIDFamily: TextCoded, Hashable, Sendable {
    private static let length = 3
    private static let locallyAdministered: UInt8 = 0x02

    private let bytes: [UInt8]

    public init(_ bssid: MACAddress) {
        bytes = [bssid.bytes[0] & ~Self.locallyAdministered] + bssid.bytes[1..<Self.length]
    }

    /// Parses six lower-case hexadecimal digits, as `description` writes them; otherwise nil.
    public init?(canonical text: String) {
        guard let bytes = Hexadecimal.bytes(of: Array(text.utf8)[...]), bytes.count == Self.length,
            bytes[0] & Self.locallyAdministered == 0
        else { return nil }
        self.bytes = bytes
    }

    public var description: String {
        String(decoding: Hexadecimal.digits(of: bytes), as: UTF8.self)
    }
}
