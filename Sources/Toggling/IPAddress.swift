/// An IPv4 or IPv6 address in network byte order.
public enum IPAddress: Hashable, Sendable {
    /// The 32 bits of an IPv4 address, the first byte the highest (in_addr, ip(7)).
    case v4(UInt32)
    /// The 128 bits of an IPv6 address, the first byte the highest (in6_addr, ipv6(7)).
    case v6(UInt128)

    /// From the bytes of an address attribute: 4 for IPv4, 16 for IPv6, otherwise nil.
    public init?(bytes: ArraySlice<UInt8>) {
        var bits: UInt128 = 0
        for byte in bytes { bits = bits << 8 | UInt128(byte) }
        switch bytes.count {
        case 4: self = .v4(UInt32(truncatingIfNeeded: bits))
        case 16: self = .v6(bits)
        default: return nil
        }
    }

    public init?(bytes: [UInt8]) { self.init(bytes: bytes[...]) }

    /// The bytes, first byte first: 4 or 16 of them.
    public var bytes: [UInt8] {
        switch self {
        case .v4(let bits): (0..<4).map { UInt8(truncatingIfNeeded: bits >> (24 - 8 * $0)) }
        case .v6(let bits): (0..<16).map { UInt8(truncatingIfNeeded: bits >> (120 - 8 * $0)) }
        }
    }

    public var isIPv6: Bool {
        if case .v6 = self { true } else { false }
    }

    /// Whether this is an IPv6 link-local address (fe80::/10, RFC 4291), which needs an interface to be used.
    public var isIPv6LinkLocal: Bool {
        guard case .v6(let bits) = self else { return false }
        return bits >> 118 == 0xfe80 >> 6
    }
}
