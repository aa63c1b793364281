import CLinux
import Glibc
import Synchronization

/// The owner of an open directory of this program, and the rights with which its files are handled.
///
/// A service may run as a user of its own (``account``), who then owns its directories. One-shots of root
/// share its locks and records: in such a directory they use that user's rights over files, and no more
/// (setfsuid(2)). So the service can use what they create, and names that this user has put there cannot make
/// root do anything that the user could not do alone.
public struct DirectoryCredentials: Sendable {
    /// The service's own user.
    public static let account = "wifi-toggler"

    let user: uid_t
    let group: gid_t

    /// Whether this process acts as another user here, which only root may.
    var isStandIn: Bool { UserAccount.ofProcess == 0 && user != 0 }

    /// The user who will own files made here.
    var maker: uid_t { isStandIn ? user : UserAccount.ofProcess }

    /// Runs file operations in the calling thread with the owner's rights over files.
    /// - Throws: what the body throws, and EPERM if these rights cannot be taken.
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
        // Neither call reports a failure; called again with an invalid number they return the current one.
        guard setfsuid(.max) == Int32(bitPattern: user), setfsgid(.max) == Int32(bitPattern: group) else {
            throw SystemError(call: "setfsuid", code: EPERM)
        }
        return try body()
    }

    /// The file operations of this process, which has one thread, have the owner's rights from now on, also after it has
    /// given up the capability for that (CAP_SETUID). The owner may not send it signals: these depend on its other
    /// users (kill(2)).
    func keepActing() {
        guard isStandIn else { return }
        _ = setfsgid(group)
        _ = setfsuid(user)
        Self.actsForGood.store(true, ordering: .relaxed)
    }

    private static let actsForGood = Atomic<Bool>(false)

    /// Whether that is the service's own user. The file is read only if nothing else explains an owner.
    static func isService(_ user: uid_t, in file: String = UserAccount.file) -> Bool {
        guard user != 0, let account = try? UserAccount.named(account, in: file) else { return false }
        return account.user == user
    }
}

extension DirectoryCredentials {
    /// - Throws: the directory cannot be examined (fstat(2)).
    init(of directory: Int32) throws(SystemError) {
        let status = try status(of: directory)
        self.init(user: status.st_uid, group: status.st_gid)
    }
}
