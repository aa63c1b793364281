/// A hardware address of six bytes.
public struct MACAddress: TextCoded, Hashable, Sendable {
    public var bytes: [UInt8]

    /// From exactly six bytes, otherwise nil.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 6 else { return nil }
        self.bytes = Array(bytes)
    }

    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
    }
}

/// Hardware addresses as people write them.
extension MACAddress {
    /// Reads six bytes of two hexadecimal digits with `:` or `-` between them, otherwise nil.
    public init?(text: String) {
        for separator: Character in [":", "-"] {
            let parts = text.split(separator: separator, omittingEmptySubsequences: false)
            let bytes = parts.compactMap { $0.utf8.count == 2 ? Self.byte($0) : nil }
            if parts.count == bytes.count, let address = MACAddress(bytes) {
                self = address
                return
            }
        }
        return nil
    }

    /// Parses what `description` writes, and nothing else.
    public init?(canonical text: String) {
        guard let address = MACAddress(text: text), address.description == text else { return nil }
        self = address
    }

    private static func byte(_ text: Substring) -> UInt8? {
        // UInt8(_:radix:) also takes a sign.
        text.allSatisfy(\.isHexDigit) ? UInt8(text, radix: 16) : nil
    }
}
