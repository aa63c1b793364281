import Model

/// A host as users write it: an IP address or a name.
enum HostText {
    /// The limits of RFC 1035, section 2.3.4, in bytes.
    private static let longestName = 253
    private static let longestLabel = 63

    /// Parses a host; nil: the text is neither an address nor a host name (RFC 1123). A name whose last label
    /// is a number is refused too, because it is a mistyped address.
    static func parse(_ text: String) -> ProbeTarget? {
        if let address = IPAddress(text) { return .address(address) }
        guard (1...longestName).contains(text.utf8.count) else { return nil }
        // The search is for bytes: in a String, a full stop and a combining mark after it are one Character.
        let dot = UInt8(ascii: ".")
        let name = text.utf8.last == dot ? text.utf8.dropLast() : text.utf8[...]
        let labels = name.split(separator: dot, omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel), let last = labels.last, !last.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return .name(text)
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...longestLabel).contains(label.count)
            && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || $0 == hyphen }
    }
}
