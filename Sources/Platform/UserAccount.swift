import Glibc

/// A user of this machine, as /etc/passwd has it (passwd(5)).
///
/// The file alone is read: getpwnam(3) loads the modules of the machine's name service, which a static
/// executable cannot, and may wait for a server.
public struct UserAccount: Equatable, Sendable {
    public var user: UInt32
    public var group: UInt32

    public init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }

    /// The groups of this process (getegid(2), getgroups(2)).
    public static var groupsOfProcess: [UInt32] {
        let most = 65_536
        var groups = [gid_t](repeating: 0, count: most)
        let count = getgroups(Int32(most), &groups)
        return [getegid()] + groups.prefix(Int(max(count, 0)))
    }

    public static let file = "/etc/passwd"

    /// nil: there is no such user.
    /// - Throws: the file cannot be read.
    public static func named(_ name: String, in file: String = file) throws(SystemError) -> UserAccount? {
        try TextFile.read(file).flatMap { parse($0, name) }
    }

    /// The first line of that name counts; one that is not whole is no account.
    static func parse(_ text: String, _ name: String) -> UserAccount? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard let first = fields.first, first == name else { continue }
            guard fields.count == 7, let user = number(fields[2]), let group = number(fields[3]) else {
                return nil
            }
            return UserAccount(user: user, group: group)
        }
        return nil
    }

    /// All ones means "leave it as it is" to setresuid(2), and is nobody's number.
    private static func number(_ text: Substring) -> UInt32? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(text).flatMap { $0 == .max ? nil : $0 }
    }
}
