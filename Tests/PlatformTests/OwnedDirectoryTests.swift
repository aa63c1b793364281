import Glibc
import Testing

@testable import Platform

@Suite("A directory of ours") struct OwnedDirectoryTests {
    private func replaced(_ scratch: Scratch, isKept: Bool) throws -> (OwnedDirectory, String) {
        let path = scratch.path + "/state"
        let directory = OwnedDirectory(path, isKept: isKept)
        try StateFile("x", in: directory).write([1])
        #expect(rename(path, path + ".away") == 0)
        return (directory, path)
    }

    @Test("looked up for each use, it is what has its name now, made anew if need be")
    func lookedUp() throws {
        let scratch = try Scratch()
        let (directory, path) = try replaced(scratch, isKept: false)
        #expect(try StateFile("x", in: directory).read() == nil)
        try StateFile("y", in: directory).write([2])
        #expect(access(path + "/y", F_OK) == 0)
    }

    @Test("kept, it is looked up once: by all who share it, for reading, writing and locks")
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

    @Test("what was not there when it was asked for first is found later")
    func later() throws {
        let scratch = try Scratch()
        let directory = OwnedDirectory(scratch.path + "/state", isKept: true)
        #expect(try StateFile("x", in: directory).read() == nil)
        try StateFile("x", in: directory).write([3])
        #expect(try StateFile("x", in: directory).read() == [3])
    }

    @Test("a record of a bounce is seen at either stage")
    func records() throws {
        let scratch = try Scratch()
        let directory = OwnedDirectory(scratch.path)
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

    @Test("who acts here is who the kernel says")
    func identity() { #expect(UserAccount.ofProcess == geteuid()) }

    // MARK: Whole files

    private func content(_ path: String, largest: Int) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        return try WholeFile.bytes(descriptor, status, largest: largest)
    }

    @Test("all of a file is read, whatever its length", arguments: [0, 1, 4095, 4096, 4097, 100_000])
    func length(_ count: Int) throws {
        let scratch = try Scratch()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try TextFile.write(bytes, to: scratch.path + "/x")
        #expect(try content(scratch.path + "/x", largest: 1 << 20) == bytes)
    }

    @Test("a file of /proc, which has no length, is read to its end")
    func proc() throws {
        // Longer than what is read at a time.
        let bytes = try content("/proc/self/maps", largest: 1 << 24)
        #expect(bytes.last == UInt8(ascii: "\n") && bytes.count > 8192)
        #expect(String(decoding: bytes.suffix(1024), as: UTF8.self).contains("[stack]"))
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
            try TextFile.bytes(scratch.path + "/x", largest: 100)
        }
    }
}
