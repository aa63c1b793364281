/// A hardware address of six bytes (ETH_ALEN, linux/if_ether.h).
public struct MACAddress: TextCoded, Hashable, Sendable {
    public var bytes: [UInt8]

    /// Takes exactly six bytes; otherwise nil.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 6 else { return nil }
        self.bytes = Array(bytes)
    }

    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
    }
}

/// The text form of hardware addresses.
extension MACAddress {
    /// Parses six pairs of hexadecimal digits with `:` or `-` between them; otherwise nil.
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
        // UInt8(_:radix:) also accepts a sign.
        text.allSatisfy(\.isHexDigit) ? UInt8(text, radix: 16) : nil
    }
}
