import CLinux
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("The credentials for a directory's owner") struct DirectoryCredentialsTests {
    /// The number of the user `nobody`, which the kernel knows too (overflowuid).
    private static let stranger: uid_t = 65534

    @Test(
        "root acts with the file permissions of the directory's owner, and afterwards with its own",
        .enabled(if: geteuid() == 0))
    func standingIn() throws {
        let scratch = try Scratch()
        try scratch.write("root's", to: "closed")
        #expect(chmod(scratch.path + "/closed", 0o600) == 0)
        #expect(chown(scratch.path, Self.stranger, Self.stranger) == 0)
        let directory = open(scratch.path, O_RDONLY | O_DIRECTORY)
        defer { close(directory) }
        let owner = try DirectoryCredentials(of: directory)
        #expect(owner.isStandIn && owner.maker == Self.stranger)
        try owner.act { () throws(SystemError) in
            close(try check("openat") { openat(directory, "made", O_CREAT | O_WRONLY, 0o600) })
        }
        let error = #expect(throws: SystemError.self) {
            try owner.act { () throws(SystemError) in
                try check("openat") { openat(directory, "closed", O_RDONLY) }
            }
        }
        #expect(error?.code == EACCES)
        var made = stat()
        #expect(stat(scratch.path + "/made", &made) == 0)
        #expect(made.st_uid == Self.stranger && made.st_gid == Self.stranger)
        // After the failure above, the thread has root's file permissions again.
        let again = openat(directory, "closed", O_RDONLY)
        #expect(again != -1)
        close(again)
    }

    @Test(
        "the owner can neither signal a root process that acts as the owner, nor gain root from it",
        .enabled(if: geteuid() == 0))
    func keptRights() throws {
        let child = try ForkedProcess.start {
            // As the guard does: within a session, every process may send SIGCONT to any other (kill(2)).
            setsid()
            DirectoryCredentials(user: Self.stranger, group: Self.stranger).keepActing()
            Capabilities.keepNetworkAdministrationAlone()
            raise(SIGSTOP)
            _exit(0)
        }
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        #expect(waitpid(child, nil, WUNTRACED) == child)
        let users = try String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8).split(
            separator: "\n"
        )
        .filter { $0.hasPrefix("Uid:") }
        #expect(users == ["Uid:\t0\t0\t0\t\(Self.stranger)"])
        let attacker = try ForkedProcess.start {
            guard setresuid(Self.stranger, Self.stranger, Self.stranger) == 0 else { _exit(2) }
            _exit([0, SIGCONT, SIGKILL].contains { kill(child, $0) == 0 } ? 1 : 0)
        }
        var status: Int32 = -1
        #expect(waitpid(attacker, &status, 0) == attacker && status == 0, "status \(status)")
    }

    @Test("in a directory of this user's or of root's the process keeps its own credentials")
    func own() throws {
        #expect(!DirectoryCredentials(user: geteuid(), group: getegid()).isStandIn)
        #expect(!DirectoryCredentials(user: 0, group: 0).isStandIn)
        #expect(DirectoryCredentials(user: 0, group: 0).maker == geteuid())
    }

    @Test(
        "the service's user is found by name, and is never root",
        arguments: [
            ("wifi-toggler:x:995:995::/:/sbin/nologin\n", 995, true),
            ("wifi-toggler:x:995:995::/:/sbin/nologin\n", 996, false),
            ("wifi-toggler:x:0:0::/:/sbin/nologin\n", 0, false),
            ("wifi-toggler2:x:995:995::/:/sbin/nologin\n", 995, false), ("", 995, false),
        ] as [(String, uid_t, Bool)])
    func service(_ text: String, _ user: uid_t, _ expected: Bool) throws {
        let scratch = try Scratch()
        try scratch.write(text, to: "passwd")
        #expect(DirectoryCredentials.isService(user, in: scratch.path + "/passwd") == expected)
    }

    @Test("a directory of an unrelated user is not trusted", .enabled(if: geteuid() == 0))
    func strangers() throws {
        let scratch = try Scratch()
        #expect(chown(scratch.path, Self.stranger, Self.stranger) == 0)
        #expect(throws: SystemError(call: "open", code: EPERM)) {
            try OpenDirectory.descriptor(of: scratch.path)
        }
    }
}
