import CLinux
import Glibc

/// Whose an open directory of ours is, and with whose rights its files are handled.
///
/// A service may run as a user of its own (``account``), to whom its directories belong then. Root's one-shots share
/// its locks and records: in such a directory they have that user's rights over files, and no more (setfsuid(2)).
/// So what they make can be used by the service too, and whatever that user has put there leads root to nothing
/// that the user could not have done alone.
public struct DirectoryCredentials: Sendable {
    /// The service's own user.
    public static let account = "wifi-toggler"

    let user: uid_t
    let group: gid_t

    /// - Throws: the directory cannot be looked at (fstat(2)).
    init(of directory: Int32) throws(SystemError) {
        var status = stat()
        try check("fstat") { fstat(directory, &status) }
        self.init(user: status.st_uid, group: status.st_gid)
    }

    init(user: uid_t, group: gid_t) {
        self.user = user
        self.group = group
    }

    /// Whether this process stands in for somebody else here: root alone may.
    var isStandIn: Bool { UserAccount.ofProcess == 0 && user != 0 }

    /// To whom files made here belong.
    var maker: uid_t { isStandIn ? user : UserAccount.ofProcess }

    /// Does something with files in the calling thread, with the owner's rights over them.
    /// - Throws: what the body throws, and EPERM where these rights cannot be had.
    @discardableResult
    func act<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result {
        guard isStandIn else { return try body() }
        let own = getegid()
        defer {
            _ = setfsuid(geteuid())
            _ = setfsgid(own)
        }
        _ = setfsgid(group)
        _ = setfsuid(user)
        // Neither call tells of a failure; of who is asked for with a user that there is not, the second one does.
        guard setfsuid(.max) == Int32(bitPattern: user), setfsgid(.max) == Int32(bitPattern: group) else {
            throw SystemError(call: "setfsuid", code: EPERM)
        }
        return try body()
    }

    /// Lets this process act so after it has given up the capability that this takes (CAP_SETUID): to a saved user
    /// everybody may return (credentials(7)).
    func keepActing() {
        guard isStandIn else { return }
        _ = setresgid(.max, .max, group)
        _ = setresuid(.max, .max, user)
    }

    /// Whether that is the service's own user. The file is read where nothing else explains an owner, and then only.
    static func isService(_ user: uid_t, in file: String = UserAccount.file) -> Bool {
        guard user != 0, let account = try? UserAccount.named(account, in: file) else { return false }
        return account.user == user
    }
}
