import Model

/// The name of a user, as useradd(8) accepts it.
enum UserText {
    private static let longest = 32

    /// Whether the text consists of letters, digits, `_`, `.` and `-`, begins with a letter or `_`, and is not
    /// longer than a name may be.
    static func isName(_ text: String) -> Bool {
        guard (1...longest).contains(text.utf8.count), let first = text.utf8.first else { return false }
        return (first.isASCIILetter || first == UInt8(ascii: "_"))
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_.-".utf8.contains($0) }
    }
}
