/// The name of a user, as useradd(8) accepts it.
enum UserText {
    private static let longest = 32

    /// Whether the text consists of letters, digits, `_`, `.` and `-`, begins with a letter or `_`, and is not
    /// longer than a name may be.
    static func isName(_ text: String) -> Bool {
        guard (1...longest).contains(text.utf8.count), let first = text.utf8.first else { return false }
        return isLetter(first) && text.utf8.allSatisfy { isLetter($0) || isOther($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
    private static func isOther(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }
}
