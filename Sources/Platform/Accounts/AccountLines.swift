/// Parses files of accounts such as passwd(5) and group(5): one account a line, with fields separated by
/// colons.
///
/// The parser works on bytes. In a String, a carriage return and a line feed form one Character, which would
/// not end a line.
enum AccountLines {
    /// The fields of the first line with this name; nil if there is no such line, or if it does not have
    /// `count` fields. Later lines with the name do not count.
    static func fields(_ bytes: [UInt8], of name: String, count: Int) -> [ArraySlice<UInt8>]? {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard let first = fields.first, first.elementsEqual(name.utf8) else { continue }
            return fields.count == count ? fields : nil
        }
        return nil
    }

    /// A decimal number; nil if it is invalid. The highest number is invalid, because it means "do not
    /// change" to setresuid(2) and chown(2).
    static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self)).flatMap { $0 == .max ? nil : $0 }
    }
}
