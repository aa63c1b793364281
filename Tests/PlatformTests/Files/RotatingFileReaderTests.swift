import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("Reading a rotating file piece by piece") struct RotatingFileReaderTests {
    private static let largest = 1000

    private static func record(_ number: Int) -> [UInt8] { Array("record \(1000 + number)\n".utf8) }

    /// A file with these records; the first of them are in an old file if one file cannot hold all.
    private static func ledger(_ records: Range<Int>, in scratch: Scratch) throws -> RotatingFile {
        let file = RotatingFile("x", in: TrustedDirectory(scratch.path), largest: largest)
        for number in records { try file.append(record(number)) }
        return file
    }

    /// Everything that is left to read. While a piece is not in the page cache, this waits and asks again.
    private static func rest(of reading: RotatingFileReader, atMost most: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            switch try reading.next(atMost: most) {
            case .bytes(let piece):
                #expect(!piece.isEmpty && piece.count <= most)
                bytes += piece
            case .later: usleep(1000)
            case .end: return bytes
            }
        }
        throw Overdue()
    }

    private struct Overdue: Error {}

    @Test(
        "the reader gives the old file and then the new one, in pieces of any size",
        arguments: [1, 7, 1000, 1 << 20])
    func whole(most: Int) throws {
        let scratch = try Scratch()
        let file = try Self.ledger(0..<120, in: scratch)
        let bytes = try file.read()
        #expect(bytes.count > Self.largest)
        #expect(try Self.rest(of: try file.reading(), atMost: most) == bytes)
    }

    @Test("a missing file or directory reads as empty, and an old file alone is read")
    func missing() throws {
        let scratch = try Scratch()
        let file = try Self.ledger(0..<0, in: scratch)
        #expect(try file.reading().next(atMost: 9) == .end)
        #expect(
            try RotatingFile("x", in: TrustedDirectory(scratch.path + "/none"), largest: 9).reading().next(
                atMost: 9) == .end)
        try scratch.write("old", to: "x.old")
        #expect(try Self.rest(of: try file.reading(), atMost: 2) == Array("old".utf8))
    }

    @Test("records written after the start are not read, and a rotated or removed file is still read")
    func meanwhile() throws {
        let scratch = try Scratch()
        let file = try Self.ledger(0..<100, in: scratch)
        let before = try file.read()
        let reading = try file.reading()
        guard case .bytes(let first) = try reading.next(atMost: 100) else { throw Overdue() }
        for number in 100..<400 { try file.append(Self.record(number)) }
        try FileManager.default.removeItem(atPath: file.path)
        #expect(try first + Self.rest(of: reading, atMost: 100) == before)
        // If the file is truncated while it is read, the reader ends there.
        let again = try file.reading()
        #expect(truncate(file.path + ".old", 30) == 0)
        #expect(try Self.rest(of: again, atMost: 20).count == 30)
    }

    @Test("a file that is no longer in the page cache is read with the same content")
    func evicted() throws {
        let scratch = try Scratch()
        let file = try Self.ledger(0..<50, in: scratch)
        try file.sync()
        let bytes = try file.read()
        let descriptor = open(file.path, O_RDONLY)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        close(descriptor)
        #expect(try Self.rest(of: try file.reading(), atMost: 64) == bytes)
    }

    @Test("a file that is rotated between the opening of both files is not read twice")
    func twice() throws {
        let scratch = try Scratch()
        let file = try Self.ledger(0..<5, in: scratch)
        let directory = try OpenDirectory(scratch.path, making: false)
        let new = try #require(try directory.open("x", largest: Self.largest))
        #expect(rename(file.path, file.path + ".old") == 0)
        let old = try #require(try directory.open("x.old", largest: Self.largest))
        let reading = RotatingFileReader([new])
        var known = stat()
        #expect(fstat(old.descriptor, &known) == 0)
        #expect(!reading.begin(with: old))
        // Another test may have opened another file with this descriptor's number in the meantime.
        var found = stat()
        #expect(
            fstat(old.descriptor, &found) == -1 || found.st_ino != known.st_ino
                || found.st_dev != known.st_dev)
        #expect(try Self.rest(of: reading, atMost: 100) == (0..<5).flatMap(Self.record))
    }

    @Test("a symbolic link, a pipe and a file that is too large are not read")
    func strange() throws {
        let scratch = try Scratch()
        try scratch.write("1\n", to: "real")
        try scratch.write(String(repeating: "x", count: 2 * Self.largest + 1), to: "large")
        #expect(symlink(scratch.path + "/real", scratch.path + "/link") == 0)
        #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
        for (name, code) in [("link", ELOOP), ("pipe", EINVAL), ("large", EINVAL)] {
            let file = RotatingFile(name, in: TrustedDirectory(scratch.path), largest: Self.largest)
            #expect(throws: SystemError(call: "openat", code: code)) { try file.reading() }
        }
        // If the old file is a symbolic link, the new file is not read either.
        try scratch.write("1\n", to: "x")
        #expect(symlink(scratch.path + "/real", scratch.path + "/x.old") == 0)
        let file = RotatingFile("x", in: TrustedDirectory(scratch.path), largest: Self.largest)
        #expect(throws: SystemError(call: "openat", code: ELOOP)) { try file.reading() }
    }
}
