import CLinux
import Glibc

/// A user of this machine, from /etc/passwd (passwd(5)).
///
/// No other source is read: getpwnam(3) loads modules of the name service, which a static executable cannot
/// do, and may wait for a server.
public struct UserAccount: Equatable, Sendable {
    public var user: UInt32
    public var group: UInt32

    /// The effective user ID of this process (geteuid(2)). It never changes: a program that is to run as
    /// another user is started as that user. The kernel passed the ID when the process started (AT_EUID,
    /// getauxval(3)), so no system call is needed.
    public static var ofProcess: UInt32 { uid_t(getauxval(UInt(AT_EUID))) }

    /// The group IDs of this process (getegid(2), getgroups(2)).
    public static var groupsOfProcess: [UInt32] {
        let most = 65_536
        var groups = [gid_t](repeating: 0, count: most)
        let count = getgroups(Int32(most), &groups)
        return [getegid()] + groups.prefix(Int(max(count, 0)))
    }

    public static let file = "/etc/passwd"

    /// The user of this name; nil if there is none.
    /// - Throws: the error of reading the file.
    public static func named(_ name: String, in file: String = file) throws(SystemError) -> UserAccount? {
        try SmallFile.bytes(file, largest: SmallFile.largestText).flatMap { parse($0, name) }
    }

    static func parse(_ bytes: [UInt8], _ name: String) -> UserAccount? {
        guard let fields = AccountLines.fields(bytes, of: name, count: 7),
            let user = AccountLines.number(fields[2]), let group = AccountLines.number(fields[3])
        else { return nil }
        return UserAccount(user: user, group: group)
    }
}
