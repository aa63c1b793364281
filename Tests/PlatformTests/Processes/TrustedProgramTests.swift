import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct TrustedProgramTests {
    /// A trusted directory with a trusted program, and then this change.
    private static func prepared(_ change: (String) throws -> Void) throws -> (Scratch, String) {
        let scratch = try Scratch()
        try scratch.write("#!/bin/sh\n", to: "bin/check")
        chmod(scratch.path + "/bin", 0o755)
        chmod(scratch.path + "/bin/check", 0o755)
        try change(scratch.path)
        return (scratch, scratch.path + "/bin/check")
    }

    /// The reason why the program is not trusted, without the scratch directory's path.
    private static func problem(
        of name: String = "bin/check", owners: Set<UInt32> = [geteuid()],
        _ change: (String) throws -> Void = { _ in }
    ) throws -> String? {
        let (scratch, _) = try prepared(change)
        return TrustedProgram.problem(of: scratch.path + "/" + name, owners: owners)?.description
            .replacing(scratch.path + "/", with: "")
    }

    @Test("a program of this user in a directory of this user, below a sticky directory, is trusted")
    func trusted() throws {
        #expect(try Self.problem() == nil)
        #expect(TrustedProgram.problem(of: "/usr/bin/env", owners: []) == nil)
        #expect(try Self.problem { chmod($0, 0o1777) } == nil)
    }

    @Test(
        "a program that others can write or replace is not trusted",
        arguments: [
            ("bin/check", 0o775, "bin/check"), ("bin/check", 0o757, "bin/check"), ("bin", 0o775, "bin"),
            ("bin", 0o757, "bin"), ("bin", 0o1777, "bin"), (".", 0o777, ""), (".", 0o770, ""),
        ] as [(String, mode_t, String)])
    func writable(place: String, mode: mode_t, named: String) throws {
        let words = try #require(try Self.problem { chmod($0 + "/" + place, mode) })
        #expect(words.hasSuffix("\(named) is writable by its group or by others"), "\(words)")
    }

    @Test("a directory is checked even if a combining character follows the slash behind it")
    func combiningMark() throws {
        let name = "bin/\u{5a3}check"
        let words = try Self.problem(of: name) { directory in
            symlink("check", "\(directory)/\(name)")
            chmod(directory + "/bin", 0o757)
        }
        #expect(words == "bin is writable by its group or by others")
    }

    @Test("a symbolic link, a directory or a pipe is not trusted as a program")
    func kinds() throws {
        #expect(
            try Self.problem(of: "bin/link") { symlink("check", $0 + "/bin/link") }
                == "bin/link is a symbolic link")
        #expect(
            try Self.problem(of: "link/check") { symlink("bin", $0 + "/link") } == "link is a symbolic link")
        #expect(try Self.problem(of: "bin") == "bin is not a regular file")
        #expect(
            try Self.problem(of: "bin/pipe") { mkfifo($0 + "/bin/pipe", 0o755) }
                == "bin/pipe is not a regular file")
        #expect(try Self.problem(of: "bin/check/x") == "bin/check is not a directory")
        #expect(try Self.problem(of: "bin/none") == "bin/none: No such file or directory")
        #expect(TrustedProgram.problem(of: "/", owners: []) == .notRegular("/"))
    }

    @Test(
        "a program, or a directory above it, that belongs to another user is not trusted",
        .enabled(if: geteuid() == 0))
    func owners() throws {
        for place in ["bin/check", "bin", "."] {
            let change = { (path: String) in _ = chown(path + "/" + place, 12345, 0) }
            let words = try #require(try Self.problem(change), "\(place)")
            #expect(words.hasSuffix("belongs to the user 12345"), "\(words)")
            #expect(try Self.problem(owners: [12345], change) == nil, "\(place)")
        }
    }
}

@Suite struct UserAccountTests {
    private static let text = """
        root:x:0:0:root:/root:/bin/bash
        short:x:7:7
        nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin
        all:x:4294967295:1::/:/bin/sh
        many:x:1:4294967296::/:/bin/sh
        minus:x:-1:1::/:/bin/sh
        nobody:x:1:1::/:/bin/sh
        """

    @Test(
        "an account is read from the first line with its name, if that line is complete",
        arguments: [
            ("root", UserAccount(user: 0, group: 0)), ("nobody", UserAccount(user: 65534, group: 65533)),
            ("nob", nil), ("", nil), ("short", nil), ("all", nil), ("many", nil), ("minus", nil),
        ])
    func parsed(name: String, account: UserAccount?) {
        #expect(UserAccount.parse(Array(Self.text.utf8), name) == account)
    }

    @Test("this machine's passwd file names root")
    func file() throws {
        #expect(try UserAccount.named("root") == UserAccount(user: 0, group: 0))
        #expect(try UserAccount.named("root", in: "/nonexistent") == nil)
    }
}
