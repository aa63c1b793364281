import Toggling

/// A host as people write it: an IP address, or a name.
enum HostText {
    /// The limits of RFC 1035, section 2.3.4, in octets.
    private static let longestName = 253
    private static let longestLabel = 63

    /// nil where it is neither an address nor a host name of RFC 1123. A name whose last label is a number
    /// is no host name either: it is a mistyped address.
    static func parse(_ text: String) -> ProbeTarget? {
        if let address = IPAddress(text) { return .address(address) }
        guard (1...longestName).contains(text.utf8.count) else { return nil }
        let name = text.utf8.last == UInt8(ascii: ".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel), let last = labels.last, !last.utf8.allSatisfy(isDigit) else {
            return nil
        }
        return .name(text)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...longestLabel).contains(label.utf8.count)
            && label.utf8.first != hyphen && label.utf8.last != hyphen
            && label.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == hyphen }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
