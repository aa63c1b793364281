import CLinux
import Glibc
import Synchronization

/// The owner of an open directory of this program. File operations in the directory use the owner's rights.
///
/// A service may run as a user of its own (``account``), who then owns its directories. One-shot commands of
/// root use the same locks and records. For file operations in a directory of that user, these commands take
/// the user's rights (setfsuid(2)), for two reasons: the service must be able to use the files that the
/// commands create, and files that the user has placed there must not make root do anything that the user
/// could not do.
public struct DirectoryCredentials: Sendable {
    /// The name of the service's own user.
    public static let account = "wifi-toggler"

    let user: uid_t
    let group: gid_t

    /// Whether this process must act as the directory's owner. Only root may act as another user.
    var isStandIn: Bool { UserAccount.ofProcess == 0 && user != 0 }

    /// The user who owns the files that this process creates here.
    var maker: uid_t { isStandIn ? user : UserAccount.ofProcess }

    /// Runs file operations in the calling thread with the owner's rights.
    /// - Throws: what the body throws; or EPERM if the rights cannot be taken.
    @discardableResult
    func act<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result {
        guard isStandIn, !Self.actsForGood.load(ordering: .relaxed) else { return try body() }
        let own = getegid()
        defer {
            _ = setfsuid(geteuid())
            _ = setfsgid(own)
        }
        _ = setfsgid(group)
        _ = setfsuid(user)
        // Neither call reports a failure. Called with an invalid number, each returns the current ID.
        guard setfsuid(.max) == Int32(bitPattern: user), setfsgid(.max) == Int32(bitPattern: group) else {
            throw SystemError(call: "setfsuid", code: EPERM)
        }
        return try body()
    }

    /// Keeps the owner's rights for all file operations of this process, which must have only one thread. The
    /// process keeps these rights when it gives up CAP_SETUID. The owner still cannot send signals to the
    /// process, because kill(2) compares the real and saved user IDs of the process, which stay root's.
    func keepActing() {
        guard isStandIn else { return }
        _ = setfsgid(group)
        _ = setfsuid(user)
        Self.actsForGood.store(true, ordering: .relaxed)
    }

    private static let actsForGood = Atomic<Bool>(false)

    /// Whether this is the ID of the service's own user. Reads /etc/passwd.
    public static func isService(_ user: uid_t, in file: String = UserAccount.file) -> Bool {
        guard user != 0, let account = try? UserAccount.named(account, in: file) else { return false }
        return account.user == user
    }
}

extension DirectoryCredentials {
    /// Reads the owner of an open directory.
    /// - Throws: the error of fstat(2).
    init(of directory: Int32) throws(SystemError) {
        let status = try status(of: directory)
        self.init(user: status.st_uid, group: status.st_gid)
    }
}
