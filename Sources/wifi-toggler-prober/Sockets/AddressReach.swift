import Model

extension IPAddress {
    /// From where an address can be reached, according to the special-purpose registries (RFC 6890).
    enum Reach: Hashable {
        case `public`
        /// Only within a network: private, shared (carrier-grade NAT) and unique local addresses.
        case local
        /// No name of another host can have the address: unspecified, loopback, link-local, multicast,
        /// broadcast and reserved addresses.
        case nowhere
    }

    var reach: Reach {
        switch self {
        case .v4(let bits): Self.first(Self.blocks4, of: bits, width: 32)
        case .v6(let bits) where bits >> 32 == 0xffff: IPAddress.v4(UInt32(truncatingIfNeeded: bits)).reach
        // An address that embeds an IPv4 address for translation (RFC 6052) has the reach of that address.
        case .v6(let bits) where bits >> 32 == Self.translation:
            IPAddress.v4(UInt32(truncatingIfNeeded: bits)).reach
        case .v6(let bits): Self.first(Self.blocks6, of: bits, width: 128)
        }
    }

    private struct Block<Bits: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
        var prefix: Bits
        var length: Int
        var reach: Reach
    }

    private static func first<Bits>(_ blocks: [Block<Bits>], of bits: Bits, width: Int) -> Reach {
        blocks.first { bits >> Bits(width - $0.length) == $0.prefix >> Bits(width - $0.length) }?.reach
            ?? .public
    }

    private static let blocks4: [Block<UInt32>] = [
        Block(prefix: 0, length: 8, reach: .nowhere),
        Block(prefix: 0x7f00_0000, length: 8, reach: .nowhere),
        Block(prefix: 0xa9fe_0000, length: 16, reach: .nowhere),
        Block(prefix: 0xe000_0000, length: 3, reach: .nowhere),
        Block(prefix: 0x0a00_0000, length: 8, reach: .local),
        Block(prefix: 0xac10_0000, length: 12, reach: .local),
        Block(prefix: 0xc0a8_0000, length: 16, reach: .local),
        Block(prefix: 0x6440_0000, length: 10, reach: .local),
    ]

    /// The prefix 64:ff9b::/96.
    private static let translation: UInt128 = 0x0064_ff9b << 64

    private static let blocks6: [Block<UInt128>] = [
        // This is a network's own prefix for translation (RFC 8215). Its addresses may embed any IPv4
        // address, and only the network knows at which position.
        Block(prefix: 0x0064_ff9b_0001 << 80, length: 48, reach: .public),
        // This is the rest of ::/8, which includes :: and ::1.
        Block(prefix: 0, length: 8, reach: .nowhere),
        Block(prefix: 0xfe80 << 112, length: 10, reach: .nowhere),
        Block(prefix: 0xff00 << 112, length: 8, reach: .nowhere),
        Block(prefix: 0xfc00 << 112, length: 7, reach: .local),
        // This is the discard prefix (RFC 6666).
        Block(prefix: 0x0100 << 112, length: 64, reach: .nowhere),
    ]
}
