/// What the access points of one maker have in common: the first three bytes of their BSSIDs, without the bit of
/// local administration (IEEE Std 802, 8.4), which an access point sets for the further networks that it makes of
/// its one address.
public struct BSSIDFamily: TextCoded, Hashable, Sendable {
    private static let length = 3
    private static let locallyAdministered: UInt8 = 0x02

    private let bytes: [UInt8]

    public init(_ bssid: MACAddress) {
        bytes = [bssid.bytes[0] & ~Self.locallyAdministered] + bssid.bytes[1..<Self.length]
    }

    /// From six lower-case hexadecimal digits, as `description` has them; nil: these are none.
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
