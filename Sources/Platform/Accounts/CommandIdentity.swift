import Glibc

/// The user as whom a command runs, and the users who may own the command's file.
public struct CommandIdentity: Equatable, Sendable {
    /// The user of the command; nil for the user of this process.
    public var account: UserAccount?
    /// The user IDs, besides root's, that may own the command's file.
    public var owners: Set<UInt32>

    /// The default user. If this process may not change users, this name stands for the user of this process.
    public static let usualUser = "nobody"

    /// Why a command cannot run as a user.
    public enum Problem: Error, Equatable, Sendable {
        case noSuchUser(String)
        case notAllowed(String)
        case unreadable(SystemError)

        public var description: String {
            switch self {
            case .noSuchUser(let user): "there is no user '\(user)' in \(UserAccount.file)"
            case .notAllowed(let user): "this process may not run a program as the user '\(user)'"
            case .unreadable(let error): "\(UserAccount.file): \(error.description)"
            }
        }
    }

    /// The identity for the name of a user. Fails if there is no such user, or if this process may not run
    /// programs as that user.
    public static func of(_ user: String) throws(Problem) -> CommandIdentity {
        try of(user, us: geteuid(), mayChange: Capabilities.includeChangingUsers) {
            name throws(SystemError) in try UserAccount.named(name)
        }
    }

    /// - Parameters:
    ///   - us: the user ID of this process.
    ///   - mayChange: whether this process can run programs as another user.
    static func of(
        _ user: String, us: UInt32, mayChange: Bool,
        accounts: (String) throws(SystemError) -> UserAccount?
    ) throws(Problem) -> CommandIdentity {
        let owners: Set<UInt32> = [us]
        if !mayChange, user == usualUser { return CommandIdentity(account: nil, owners: owners) }
        let account: UserAccount?
        do {
            account = try accounts(user)
        } catch {
            throw .unreadable(error)
        }
        guard let account else { throw .noSuchUser(user) }
        if mayChange { return CommandIdentity(account: account, owners: owners) }
        guard account.user == us else { throw .notAllowed(user) }
        return CommandIdentity(account: nil, owners: owners)
    }
}
