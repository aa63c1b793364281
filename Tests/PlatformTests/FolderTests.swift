import Glibc
import Testing

@testable import Platform

@Suite("A directory of ours") struct FolderTests {
    private func replaced(_ scratch: Scratch, isKept: Bool) throws -> (Folder, String) {
        let path = scratch.path + "/state"
        let folder = Folder(path, isKept: isKept)
        try StateFile("x", in: folder).write([1])
        #expect(rename(path, path + ".away") == 0)
        return (folder, path)
    }

    @Test("looked up for each use, it is what has its name now, made anew if need be")
    func lookedUp() throws {
        let scratch = try Scratch()
        let (folder, path) = try replaced(scratch, isKept: false)
        #expect(try StateFile("x", in: folder).read() == nil)
        try StateFile("y", in: folder).write([2])
        #expect(access(path + "/y", F_OK) == 0)
    }

    @Test("kept, it is looked up once: by all who share it, for reading, writing and locks")
    func kept() throws {
        let scratch = try Scratch()
        let (folder, path) = try replaced(scratch, isKept: true)
        #expect(try StateFile("x", in: folder).read() == [1])
        try LedgerFile("y", in: folder, largest: 100).append([2])
        let lock = try InstanceLock.acquire(interface: "z", folder: folder, label: "test", wait: .zero)
        #expect(access(path, F_OK) != 0 && access(path + ".away/y", F_OK) == 0)
        #expect(access(path + ".away/z.lock", F_OK) == 0)
        withExtendedLifetime(lock) {}
    }

    @Test("what was not there when it was asked for first is found later")
    func later() throws {
        let scratch = try Scratch()
        let folder = Folder(scratch.path + "/state", isKept: true)
        #expect(try StateFile("x", in: folder).read() == nil)
        try StateFile("x", in: folder).write([3])
        #expect(try StateFile("x", in: folder).read() == [3])
    }

    @Test("a record of a bounce is seen at either stage")
    func records() throws {
        let scratch = try Scratch()
        let folder = Folder(scratch.path)
        #expect(!IntentFile.isThere(for: "wlan0", in: folder))
        let file = try IntentFile(interface: "wlan0", in: folder)
        try file.write([1])
        #expect(IntentFile.isThere(for: "wlan0", in: folder))
        #expect(!IntentFile.isThere(for: "wlan1", in: folder))
        file.settle()
        #expect(IntentFile.isThere(for: "wlan0", in: folder))
        file.remove()
        #expect(!IntentFile.isThere(for: "wlan0", in: folder))
    }

    @Test("who acts here is who the kernel says")
    func identity() { #expect(UserAccount.ofProcess == geteuid()) }

    // MARK: Whole files

    private func content(_ path: String, largest: Int) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        return try WholeFile.octets(descriptor, status, largest: largest)
    }

    @Test("all of a file is read, whatever its length", arguments: [0, 1, 4095, 4096, 4097, 100_000])
    func length(_ count: Int) throws {
        let scratch = try Scratch()
        let octets = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try TextFile.write(octets, to: scratch.path + "/x")
        #expect(try content(scratch.path + "/x", largest: 1 << 20) == octets)
    }

    @Test("a file of /proc, which has no length, is read to its end")
    func proc() throws {
        let octets = try content("/proc/self/mountinfo", largest: 1 << 20)
        #expect(octets.last == UInt8(ascii: "\n") && !octets.isEmpty)
        let arguments = try content("/proc/self/cmdline", largest: 1 << 20)
        #expect(arguments.starts(with: CommandLine.arguments[0].utf8))
    }

    @Test("of a file that is too large no more is read than shows it")
    func tooLarge() throws {
        let scratch = try Scratch()
        try TextFile.write([UInt8](repeating: 1, count: 50_000), to: scratch.path + "/x")
        let read = try content(scratch.path + "/x", largest: 100)
        #expect(read.count > 100 && read.count < 50_000)
        #expect(throws: SystemError(call: "read", code: EFBIG)) {
            try TextFile.octets(scratch.path + "/x", largest: 100)
        }
    }
}
