import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("A trusted directory") struct TrustedDirectoryTests {
    private func replaced(_ scratch: Scratch, isKept: Bool) throws -> (TrustedDirectory, String) {
        let path = scratch.path + "/state"
        let directory = TrustedDirectory(path, isKept: isKept)
        try StateFile("x", in: directory).write([1])
        #expect(rename(path, path + ".away") == 0)
        return (directory, path)
    }

    @Test("a directory that is not kept open is looked up for each use, and created if missing")
    func lookedUp() throws {
        let scratch = try Scratch()
        let (directory, path) = try replaced(scratch, isKept: false)
        #expect(try StateFile("x", in: directory).read() == nil)
        try StateFile("y", in: directory).write([2])
        #expect(access(path + "/y", F_OK) == 0)
    }

    @Test("a directory that is kept open is looked up once, for reading, writing and locks")
    func kept() throws {
        let scratch = try Scratch()
        let (directory, path) = try replaced(scratch, isKept: true)
        #expect(try StateFile("x", in: directory).read() == [1])
        try RotatingFile("y", in: directory, largest: 100).append([2])
        let lock = try InterfaceLock.acquire(interface: "z", directory: directory, label: "test", wait: .zero)
        #expect(access(path, F_OK) != 0 && access(path + ".away/y", F_OK) == 0)
        #expect(access(path + ".away/z.lock", F_OK) == 0)
        withExtendedLifetime(lock) {}
    }

    @Test("a directory that was missing at first is found later")
    func later() throws {
        let scratch = try Scratch()
        let directory = TrustedDirectory(scratch.path + "/state", isKept: true)
        #expect(try StateFile("x", in: directory).read() == nil)
        try StateFile("x", in: directory).write([3])
        #expect(try StateFile("x", in: directory).read() == [3])
    }

    @Test("an intent record is found while the link is down, and while it settles")
    func records() throws {
        let scratch = try Scratch()
        let directory = TrustedDirectory(scratch.path)
        #expect(!IntentFile.isThere(for: "wlan0", in: directory))
        let file = try IntentFile(interface: "wlan0", in: directory)
        try file.write([1])
        #expect(IntentFile.isThere(for: "wlan0", in: directory))
        #expect(!IntentFile.isThere(for: "wlan1", in: directory))
        file.settle()
        #expect(IntentFile.isThere(for: "wlan0", in: directory))
        file.remove()
        #expect(!IntentFile.isThere(for: "wlan0", in: directory))
    }

    @Test("an intent record is replaced by another, which alone is left")
    func replacedRecord() throws {
        let scratch = try Scratch()
        let file = try IntentFile(interface: "wlan0", directory: scratch.path)
        try file.write([1, 2, 3])
        // A process that was killed has left it. It does not lend its mode.
        try Data([7]).write(to: URL(fileURLWithPath: "\(scratch.path)/wlan0.next"))
        chmod("\(scratch.path)/wlan0.next", 0o666)
        let next = try IntentFile(interface: "wlan0", directory: scratch.path)
        try next.replace(with: [4, 5], isPublic: false)
        file.wasReplaced(by: next)
        let record = try IntentFile.read(interface: "wlan0", directory: scratch.path)
        #expect(record?.stage == .keptDown && record?.record == [4, 5])
        var status = stat()
        #expect(stat("\(scratch.path)/wlan0.intent", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(access("\(scratch.path)/wlan0.next", F_OK) != 0)
        let renamed = try IntentFile(interface: "wlan1", directory: scratch.path)
        try renamed.replace(with: [6], isPublic: true)
        next.wasReplaced(by: renamed)
        #expect(try IntentFile.interfaces(in: scratch.path) == ["wlan1"])
        #expect(stat("\(scratch.path)/wlan1.intent", &status) == 0 && status.st_mode & 0o777 == 0o644)
        try Data([7]).write(to: URL(fileURLWithPath: "\(scratch.path)/wlan1.next"))
        renamed.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    @Test("a record that cannot be replaced stays")
    func irreplaceableRecord() throws {
        let scratch = try Scratch()
        let file = try IntentFile(interface: "wlan0", directory: scratch.path)
        try file.write([1, 2, 3])
        mkdir("\(scratch.path)/wlan0.next", 0o700)
        let next = try IntentFile(interface: "wlan0", directory: scratch.path)
        #expect(throws: SystemError(call: "openat", code: EISDIR)) {
            try next.replace(with: [4, 5], isPublic: false)
        }
        #expect(try IntentFile.read(interface: "wlan0", directory: scratch.path)?.record == [1, 2, 3])
        mkdir("\(scratch.path)/wlan1.intent", 0o700)
        let other = try IntentFile(interface: "wlan1", directory: scratch.path)
        #expect(throws: SystemError(call: "renameat", code: EISDIR)) {
            try other.replace(with: [4, 5], isPublic: false)
        }
        #expect(access("\(scratch.path)/wlan1.next", F_OK) != 0)
    }

    @Test("the user of the process is the kernel's effective user")
    func identity() { #expect(UserAccount.ofProcess == geteuid()) }
}
