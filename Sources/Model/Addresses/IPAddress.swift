/// An IPv4 or IPv6 address.
public enum IPAddress: TextCoded, Hashable, Sendable {
    /// The 32 bits of an IPv4 address; its first byte is the highest (struct in_addr, ip(7)).
    case v4(UInt32)
    /// The 128 bits of an IPv6 address; its first byte is the highest (struct in6_addr, ipv6(7)).
    case v6(UInt128)

    /// Takes the bytes of an address in network byte order: 4 for IPv4, 16 for IPv6; otherwise nil.
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

    /// The 4 or 16 bytes of the address in network byte order.
    public var bytes: [UInt8] {
        switch self {
        case .v4(let bits): (0..<4).map { UInt8(truncatingIfNeeded: bits >> (24 - 8 * $0)) }
        case .v6(let bits): (0..<16).map { UInt8(truncatingIfNeeded: bits >> (120 - 8 * $0)) }
        }
    }

    public var isIPv6: Bool {
        if case .v6 = self { true } else { false }
    }

    /// Whether this is an IPv6 link-local address (fe80::/10, RFC 4291). Such an address is valid only
    /// together with an interface.
    public var isIPv6LinkLocal: Bool {
        guard case .v6(let bits) = self else { return false }
        return bits >> 118 == 0xfe80 >> 6
    }

    /// Whether this is an address of the loopback interface, which no other host can have.
    public var isLoopback: Bool {
        switch self {
        case .v4(let bits): bits >> 24 == 127
        case .v6(let bits): bits == 1
        }
    }
}

/// The text form of addresses: dotted decimal for IPv4, and RFC 5952 for IPv6.
extension IPAddress: LosslessStringConvertible {
    /// Parses what inet_pton(3) parses: four decimal bytes, or eight groups of up to four hexadecimal digits.
    /// `::` may stand once for a run of zeros, and the last two groups may be dotted decimal. A scope or a
    /// prefix length is an error.
    public init?(_ text: String) {
        if let address = Self.parseV4(text[...]) {
            self = .v4(address)
        } else if let address = Self.parseV6(text) {
            self = .v6(address)
        } else {
            return nil
        }
    }

    public init?(canonical text: String) {
        guard let address = IPAddress(text), address.description == text else { return nil }
        self = address
    }

    public var description: String {
        switch self {
        case .v4(let bits): "\(bits >> 24).\(bits >> 16 & 0xff).\(bits >> 8 & 0xff).\(bits & 0xff)"
        case .v6(let bits): Self.describeV6(bits)
        }
    }

    private static func parseV4(_ text: Substring) -> UInt32? {
        let bytes = text.split(separator: ".", omittingEmptySubsequences: false)
        guard bytes.count == 4 else { return nil }
        var address: UInt32 = 0
        for byte in bytes {
            guard (1...3).contains(byte.utf8.count), byte.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                byte.utf8.count == 1 || byte.first != "0", let value = UInt8(byte)
            else { return nil }
            address = address << 8 | UInt32(value)
        }
        return address
    }

    private static func parseV6(_ text: String) -> UInt128? {
        guard let gap = firstGap(in: text) else {
            guard let groups = parseGroups(text[...], isEnd: true), groups.count == 8 else { return nil }
            return join(groups)
        }
        guard let head = parseGroups(text[..<gap.lowerBound], isEnd: false),
            let tail = parseGroups(text[gap.upperBound...], isEnd: true),
            head.count + tail.count < 8
        else { return nil }
        return join(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    private static func firstGap(in text: String) -> Range<String.Index>? {
        for index in text.indices where text[index...].hasPrefix("::") {
            return index..<text.index(index, offsetBy: 2)
        }
        return nil
    }

    /// Parses groups of hexadecimal digits with `:` between them; otherwise nil.
    /// - Parameter isEnd: whether the text reaches to the end of the address. Only there may the last two
    ///   groups be dotted decimal.
    private static func parseGroups(_ text: Substring, isEnd: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (position, part) in parts.enumerated() {
            if isEnd, position == parts.count - 1, part.contains("."), let v4 = parseV4(part) {
                groups += [UInt16(truncatingIfNeeded: v4 >> 16), UInt16(truncatingIfNeeded: v4)]
                continue
            }
            guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
                let group = UInt16(part, radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups
    }

    private static func join(_ groups: [UInt16]) -> UInt128 { groups.reduce(0) { $0 << 16 | UInt128($1) } }

    private static func describeV6(_ bits: UInt128) -> String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> (112 - 16 * $0)) }
        let text = groups.map { String($0, radix: 16) }
        guard let zeros = longestZeroRun(groups) else { return text.joined(separator: ":") }
        return text[..<zeros.lowerBound].joined(separator: ":") + "::"
            + text[zeros.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of two or more zero groups (RFC 5952, section 4.2).
    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start = 0
        while start < groups.count {
            var end = start
            while end < groups.count, groups[end] == 0 { end += 1 }
            if end - start >= 2, end - start > best?.count ?? 0 { best = start..<end }
            start = max(end, start + 1)
        }
        return best
    }
}
