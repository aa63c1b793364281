import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("Login records of utmp and logind") struct LoginRecordsTests {
    private static let four: [UInt8] = [192, 0, 2, 7]
    private static let six: [UInt8] = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]

    private static func record(_ address: [UInt8], type: Int32 = USER_PROCESS) -> [UInt8] {
        var record = utmp()
        record.ut_type = Int16(type)
        withUnsafeMutableBytes(of: &record.ut_addr_v6) { $0.copyBytes(from: address) }
        return withUnsafeBytes(of: record) { Array($0) }
    }

    @Test("the remote addresses of open logins are found, of both families, each once")
    func utmpFile() {
        let bytes =
            Self.record(Self.four) + Self.record(Self.six) + Self.record(Self.four) + Self.record([])
            + Self.record([192, 0, 2, 8], type: DEAD_PROCESS)
            + Self.record([192, 0, 2, 9], type: LOGIN_PROCESS)
        #expect(LoginRecords.peers(utmp: bytes) == [Self.four, Self.six])
    }

    private static func record(of user: String, process: Int32, type: Int32 = USER_PROCESS) -> [UInt8] {
        var record = utmp()
        record.ut_type = Int16(type)
        record.ut_pid = process
        withUnsafeMutableBytes(of: &record.ut_user) { $0.copyBytes(from: Array(user.utf8)) }
        return withUnsafeBytes(of: record) { Array($0) }
    }

    @Test("a user counts as logged in while the process of the login exists")
    func user() {
        let ours = getpid()
        #expect(LoginRecords.user(utmp: Self.record(of: "alice", process: ours)) == "alice")
        let others =
            Self.record(of: "gone", process: .max) + Self.record(of: "none", process: 0)
            + Self.record(of: "all", process: -1)
            + Self.record(of: "getty", process: ours, type: LOGIN_PROCESS)
        #expect(LoginRecords.user(utmp: others) == nil)
        #expect(LoginRecords.user(utmp: others + Self.record(of: "bob", process: 1)) == "bob")
        #expect(LoginRecords.user(utmp: Array(Self.record(of: "alice", process: ours).dropLast())) == nil)
        // A name that fills the whole field has no NUL at its end.
        let long = String(repeating: "x", count: 32)
        #expect(LoginRecords.user(utmp: Self.record(of: long, process: ours)) == long)
    }

    @Test(
        "a session counts as its user's unless it is closing, a greeter's or a background session",
        arguments: [
            ("UID=1000\nUSER=alice\nSTATE=active\nTYPE=tty\nCLASS=user\n", "alice"),
            ("UID=0\nSTATE=online\nREMOTE=1\nCLASS=user-early\n", "0"),
            ("USER=alice\nSTATE=closing\nCLASS=user\n", nil),
            ("USER=gdm\nSTATE=active\nCLASS=greeter\n", nil),
            ("USER=alice\nSTATE=active\nCLASS=manager\n", nil),
            ("USER=root\nSTATE=active\nCLASS=background\n", nil), ("", nil), ("CLASS=user\n", nil),
            ("USER\nCLASS\n=user\n", nil),
        ] as [(String, String?)])
    func userOfSession(text: String, user: String?) { #expect(LoginRecords.user(session: text) == user) }

    @Test("a truncated record counts as no login")
    func part() {
        let bytes = Self.record(Self.four)
        for count in [0, 1, bytes.count - 1] {
            #expect(LoginRecords.peers(utmp: Array(bytes[..<count])).isEmpty)
        }
        #expect(LoginRecords.peers(utmp: bytes + bytes.dropLast()).count == 1)
    }

    @Test("a mapped IPv6 address is read as IPv4")
    func mapped() {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff] + Self.four
        #expect(LoginRecords.peers(utmp: Self.record(mapped)) == [Self.four])
        #expect(LoginRecords.peer(session: "REMOTE=1\nREMOTE_HOST=::ffff:192.0.2.7\n") == Self.four)
    }

    @Test(
        "a session of logind gives its remote address, if it has one",
        arguments: [
            ("UID=0\nREMOTE=1\nREMOTE_HOST=192.0.2.7\nLEADER=99\n", four),
            ("REMOTE_HOST=2001:db8::7\nREMOTE=1\n", six),
            ("REMOTE=0\nREMOTE_HOST=192.0.2.7\n", nil), ("REMOTE_HOST=192.0.2.7\n", nil),
            ("REMOTE=1\nREMOTE_HOST=gateway.example.net\n", nil), ("REMOTE=1\n", nil), ("", nil),
            ("REMOTE=1\nREMOTE_HOST=\n", nil), ("REMOTE=1\nREMOTE_HOST=192.0.2\n", nil),
        ] as [(String, [UInt8]?)])
    func session(text: String, peer: [UInt8]?) { #expect(LoginRecords.peer(session: text) == peer) }

    @Test("the zone of a link-local address is ignored (fe80::7%wlan0)")
    func linkLocal() {
        let peer = LoginRecords.peer(session: "REMOTE=1\nREMOTE_HOST=fe80::7%wlan0\n")
        #expect(peer?.first == 0xfe && peer?.last == 7)
    }

    @Test("records of utmp and of logind count; pipes in the directory, and missing files, give no login")
    func both() throws {
        let scratch = try Scratch()
        let records = LoginRecords(utmp: scratch.path + "/utmp", sessions: scratch.path)
        #expect(records.peers().isEmpty)
        try Data(Self.record(Self.four)).write(to: URL(filePath: scratch.path + "/utmp"))
        try scratch.write("REMOTE=1\nREMOTE_HOST=2001:db8::7\n", to: "12")
        #expect(mkfifo(scratch.path + "/12.ref", 0o600) == 0)
        #expect(records.peers() == [Self.four, Self.six] && records.user() == nil)
        try scratch.write("USER=alice\nCLASS=user\n", to: "13")
        #expect(records.user() == "alice")
        #expect(LoginRecords(utmp: "/nowhere/utmp", sessions: "/nowhere").peers().isEmpty)
    }
}
