/// The groups of this machine, as /etc/group has them (group(5)).
///
/// The file alone is read, for the reason that ``UserAccount`` gives.
public enum GroupFile {
    public static let path = "/etc/group"

    /// The number of a group; nil: there is no such group, or the file cannot be read.
    public static func number(of name: String, in file: String = path) -> UInt32? {
        guard let octets = try? TextFile.octets(file, largest: TextFile.largest) else { return nil }
        return parse(octets, name)
    }

    /// The first line of that name counts; one that is not whole is no group. Octets, not characters: a carriage
    /// return and its line feed are one Character, and would be no end of a line.
    static func parse(_ octets: [UInt8], _ name: String) -> UInt32? {
        for line in octets.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard let first = fields.first, first.elementsEqual(name.utf8) else { continue }
            return fields.count == 4 ? number(fields[2]) : nil
        }
        return nil
    }

    /// All ones means "leave it as it is" to chown(2), and is no group's number.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self)).flatMap { $0 == .max ? nil : $0 }
    }
}
