import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("A small file") struct SmallFileTests {
    private func content(_ path: String, largest: Int) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        return try SmallFile.content(descriptor, status, largest: largest)
    }

    @Test("a file of any length is read whole", arguments: [0, 1, 4095, 4096, 4097, 100_000])
    func length(_ count: Int) throws {
        let scratch = try Scratch()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try SmallFile.write(bytes, to: scratch.path + "/x")
        #expect(try content(scratch.path + "/x", largest: 1 << 20) == bytes)
    }

    @Test("a file with a second hard link, or of another user, is not written")
    func strangers() throws {
        let scratch = try Scratch()
        try scratch.write("theirs", to: "x")
        #expect(link(scratch.path + "/x", scratch.path + "/y") == 0)
        var refused = ["y"]
        if geteuid() == 0 {
            try scratch.write("theirs", to: "z")
            #expect(chown(scratch.path + "/z", 65_534, 65_534) == 0)
            refused.append("z")
        }
        for name in refused {
            let path = scratch.path + "/" + name
            #expect(throws: SystemError(call: "open", code: EPERM)) { try SmallFile.write([1, 2], to: path) }
            #expect(SmallFile.line(path) == "theirs")
        }
    }

    @Test("a file of /proc, whose size is 0, is read to its end")
    func proc() throws {
        // Longer than what is read at a time.
        let bytes = try content("/proc/self/maps", largest: 1 << 24)
        #expect(bytes.last == UInt8(ascii: "\n") && bytes.count > 8192)
        #expect(String(decoding: bytes.suffix(1024), as: UTF8.self).contains("[stack]"))
        let arguments = try content("/proc/self/cmdline", largest: 1 << 20)
        #expect(arguments.starts(with: CommandLine.arguments[0].utf8))
    }

    @Test("a file over the limit is refused after little more than the limit has been read")
    func tooLarge() throws {
        let scratch = try Scratch()
        try SmallFile.write([UInt8](repeating: 1, count: 50_000), to: scratch.path + "/x")
        let read = try content(scratch.path + "/x", largest: 100)
        #expect(read.count > 100 && read.count < 50_000)
        #expect(throws: SystemError(call: "read", code: EFBIG)) {
            try SmallFile.bytes(scratch.path + "/x", largest: 100)
        }
    }
}
