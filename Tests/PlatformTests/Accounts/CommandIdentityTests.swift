import Testing

@testable import Platform

@Suite struct CommandIdentityTests {
    private static let accounts = [
        "nobody": UserAccount(user: 65534, group: 65534), "me": UserAccount(user: 1000, group: 100),
    ]

    private static func identity(_ user: String, mayChange: Bool) throws -> CommandIdentity {
        try .of(user, us: 1000, mayChange: mayChange) { accounts[$0] }
    }

    @Test("without the right to change users, a command runs as the process's user, or not at all")
    func identities() throws {
        let owners: Set<UInt32> = [1000]
        for (user, account) in Self.accounts {
            #expect(
                try Self.identity(user, mayChange: true) == CommandIdentity(account: account, owners: owners))
            #expect(
                try Self.identity(user, mayChange: false) == CommandIdentity(account: nil, owners: owners))
        }
        for mayChange in [true, false] {
            #expect(throws: CommandIdentity.Problem.noSuchUser("you")) {
                try Self.identity("you", mayChange: mayChange)
            }
        }
        #expect(throws: CommandIdentity.Problem.notAllowed("other")) {
            try CommandIdentity.of("other", us: 1000, mayChange: false) { _ in
                UserAccount(user: 1001, group: 1001)
            }
        }
    }
}
