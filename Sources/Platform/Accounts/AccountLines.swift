/// A file of accounts, such as passwd(5) and group(5): one line each, with fields separated by colons.
///
/// Parsed as bytes: a carriage return and its line feed are one Character, which would not end a line.
enum AccountLines {
    /// The fields of the first line with that name, which alone counts; nil: there is none, or it is
    /// incomplete.
    static func fields(_ bytes: [UInt8], of name: String, count: Int) -> [ArraySlice<UInt8>]? {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard let first = fields.first, first.elementsEqual(name.utf8) else { continue }
            return fields.count == count ? fields : nil
        }
        return nil
    }

    /// All ones means "do not change" to setresuid(2) and chown(2), and is no valid number.
    static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self)).flatMap { $0 == .max ? nil : $0 }
    }
}
