import Model

/// Checks of host names (RFC 1123) before they are resolved.
public enum HostName {
    /// Whether the name has at most 253 bytes, and consists of labels of 1 to 63 letters, digits, hyphens and
    /// underscores. No label may begin with a hyphen; a final dot is allowed.
    public static func isValid(_ name: String) -> Bool {
        guard (1...253).contains(name.utf8.count) else { return false }
        let whole = name.hasSuffix(".") ? name.dropLast() : name[...]
        return whole.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.utf8.first != UInt8(ascii: "-")
                && label.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_".utf8.contains($0) }
        }
    }

    /// Whether the name can be public: it has more than one label, and is in no domain that is reserved for
    /// private use, for tests or as invalid (RFC 6761, RFC 6762, RFC 8375, and the domains of home routers).
    public static func isPublic(_ name: String) -> Bool {
        let labels = name.lowercased().split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return false }
        return !privateTops.contains(String(last)) && !labels.suffix(2).elementsEqual(["home", "arpa"])
    }

    private static let privateTops: Set = [
        "box", "corp", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localhost",
        "private", "test",
    ]
}
