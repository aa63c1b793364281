/// A file of accounts, such as passwd(5) and group(5): a line each, its fields between colons.
///
/// Bytes, not characters: a carriage return and its line feed are one Character, and would be no end of a line.
enum AccountLines {
    /// The fields of the first line of that name, which alone counts; nil: there is none, or it is not whole.
    static func fields(_ bytes: [UInt8], of name: String, count: Int) -> [ArraySlice<UInt8>]? {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard let first = fields.first, first.elementsEqual(name.utf8) else { continue }
            return fields.count == count ? fields : nil
        }
        return nil
    }

    /// All ones means "leave it as it is" to setresuid(2) and chown(2), and is nobody's number.
    static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self)).flatMap { $0 == .max ? nil : $0 }
    }
}
