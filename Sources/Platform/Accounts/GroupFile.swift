/// Reads the groups of this machine from /etc/group (group(5)), and from nowhere else, for the reason that
/// ``UserAccount`` gives.
public enum GroupFile {
    public static let path = "/etc/group"

    /// The number of a group (gid_t); nil if there is no such group, or if the file cannot be read.
    public static func number(of name: String, in file: String = path) -> UInt32? {
        guard let bytes = try? SmallFile.bytes(file, largest: SmallFile.largestText) else { return nil }
        return parse(bytes, name)
    }

    static func parse(_ bytes: [UInt8], _ name: String) -> UInt32? {
        AccountLines.fields(bytes, of: name, count: 4).flatMap { AccountLines.number($0[2]) }
    }
}
