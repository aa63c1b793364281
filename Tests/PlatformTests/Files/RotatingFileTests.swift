import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("A rotating file") struct RotatingFileTests {
    private static func record(_ number: Int) -> [UInt8] {
        Array("record \(String(repeating: "0", count: 3 - String(number).count))\(number)\n".utf8)
    }

    private static func numbers(_ file: RotatingFile) throws -> [Int] {
        String(decoding: try file.read(), as: UTF8.self).split(separator: "\n").compactMap {
            Int($0.suffix(3))
        }
    }

    private static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    @Test("the latest records are kept in their order, within the size limit")
    func bounded() throws {
        let scratch = try Scratch()
        let file = RotatingFile("x", in: TrustedDirectory(scratch.path + "/state"), largest: 115)
        #expect(try file.read().isEmpty && file.tail(atMost: 5).isEmpty)
        for number in 0..<35 {
            try file.append(Self.record(number))
            #expect(try Self.numbers(file).last == number)
            #expect(Self.size(file.path).map { $0 <= 115 } == true)
        }
        try file.sync()
        #expect(try Self.numbers(file) == Array(20..<35))
        #expect(try file.tail(atMost: 11) == Self.record(34))
        #expect(Self.size(file.path + ".old") == 110)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("a record larger than the limit is written to a file of its own")
    func large() throws {
        let scratch = try Scratch()
        let file = RotatingFile("x", in: TrustedDirectory(scratch.path), largest: 20)
        let large = [UInt8](repeating: 0x61, count: 30)
        try file.append(large)
        try file.append(Self.record(1))
        #expect(try file.read() == large + Self.record(1))
    }

    @Test("a second writer that wants to rotate finds the file rotated, and keeps the old file")
    func second() throws {
        let scratch = try Scratch()
        let file = RotatingFile("x", in: TrustedDirectory(scratch.path), largest: 22)
        for number in 1...2 { try file.append(Self.record(number)) }
        let place = try OpenDirectory(scratch.path, making: false)
        let directory = place.descriptor
        let descriptors = try (1...2).map { _ in try file.open(O_WRONLY | O_APPEND, in: place).descriptor }
        defer { for descriptor in descriptors { close(descriptor) } }
        try file.turnOver(descriptors[0], in: directory)
        flock(descriptors[0], LOCK_UN)
        try file.append(Self.record(3))
        try file.turnOver(descriptors[1], in: directory)
        #expect(try Self.numbers(file) == [1, 2, 3])
        #expect(Self.size(file.path + ".old") == 22)
    }

    @Test("a process that keeps the lock of the file delays no record, and the file grows to twice its limit")
    func locked() throws {
        let scratch = try Scratch()
        let file = RotatingFile("x", in: TrustedDirectory(scratch.path), largest: 22)
        for number in 1...2 { try file.append(Self.record(number)) }
        // Any process that may read the file can lock it like this.
        let reader = open(file.path, O_RDONLY)
        #expect(flock(reader, LOCK_EX) == 0)
        for number in 3...4 { try file.append(Self.record(number)) }
        #expect(throws: SystemError(call: "flock", code: EWOULDBLOCK)) { try file.append(Self.record(5)) }
        #expect(try Self.numbers(file) == [1, 2, 3, 4])
        close(reader)
        try file.append(Self.record(6))
        #expect(try Self.numbers(file) == [1, 2, 3, 4, 6] && Self.size(file.path) == 11)
    }

    @Test("concurrent writers keep their records in order, and rotate only a full file")
    func together() throws {
        let scratch = try Scratch()
        let largest = 110
        let (writers, each) = (4, 100)
        DispatchQueue.concurrentPerform(iterations: writers) { writer in
            let file = RotatingFile("x", in: TrustedDirectory(scratch.path), largest: largest)
            for number in 0..<each {
                try? file.append(Array("w\(writer) \(1000 + number)\n".utf8))
            }
        }
        let file = RotatingFile("x", in: TrustedDirectory(scratch.path), largest: largest)
        let text = String(decoding: try file.read(), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.allSatisfy { $0.utf8.count == 7 && $0.first == "w" }, "\(lines)")
        // The old file is full: no shorter file has replaced it.
        #expect(Self.size(file.path + ".old").map { $0 >= largest / 8 * 8 } == true)
        for writer in 0..<writers {
            let numbers = lines.filter { $0.hasPrefix("w\(writer)") }.compactMap { Int($0.suffix(4)) }
            #expect(numbers == numbers.sorted(), "\(numbers)")
        }
    }

    @Test("a sync includes the old file, also if there is no new file yet")
    func syncs() throws {
        let scratch = try Scratch()
        let file = RotatingFile("x", in: TrustedDirectory(scratch.path), largest: 22)
        try file.append(Self.record(1))
        #expect(rename(file.path, file.path + ".old") == 0)
        try file.sync()
        // The old file is opened: a symbolic link in its place is refused.
        try file.append(Self.record(2))
        #expect(rename(file.path + ".old", file.path + ".real") == 0)
        #expect(symlink(file.path + ".real", file.path + ".old") == 0)
        #expect(throws: SystemError(call: "openat", code: ELOOP)) { try file.sync() }
    }

    @Test("a symbolic link, a pipe and a second hard link are refused without blocking")
    func strange() throws {
        let scratch = try Scratch()
        try Data("1\n".utf8).write(to: URL(fileURLWithPath: scratch.path + "/real"))
        #expect(symlink(scratch.path + "/real", scratch.path + "/link") == 0)
        #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
        #expect(link(scratch.path + "/real", scratch.path + "/second") == 0)
        for (name, codes) in [("link", [ELOOP]), ("pipe", [ENXIO, EINVAL]), ("second", [EPERM])] {
            let file = RotatingFile(name, in: TrustedDirectory(scratch.path), largest: 100)
            do throws(SystemError) {
                try file.append(Self.record(1))
                Issue.record("\(name) was written")
            } catch {
                #expect(codes.contains(error.code), "\(name): \(error)")
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path + "/real")) == Data("1\n".utf8))
        for name in ["link", "pipe"] {
            #expect(throws: SystemError.self) {
                try RotatingFile(name, in: TrustedDirectory(scratch.path), largest: 9).read()
            }
        }
    }

    @Test("a file in an untrusted directory is not written")
    func directory() throws {
        let scratch = try Scratch()
        let open = scratch.path + "/open"
        #expect(mkdir(open, 0o755) == 0 && symlink(open, scratch.path + "/link") == 0)
        let file = RotatingFile("x", in: TrustedDirectory(scratch.path + "/link"), largest: 100)
        #expect(throws: SystemError.self) { try file.append([1]) }
        #expect(throws: SystemError.self) { try file.read() }
        #expect(Self.size(open + "/x") == nil)
    }

    @Test("the rotating files of a directory are listed once each, also if only the old file is left")
    func names() throws {
        let scratch = try Scratch()
        for name in ["a.log", "a.log.old", "b.log.old", "c.other", ".log"] { try scratch.write("", to: name) }
        #expect(RotatingFile.names(in: scratch.path, suffix: ".log", atMost: 100) == ["a", "b"])
        #expect(RotatingFile.names(in: scratch.path + "/none", suffix: ".log", atMost: 100).isEmpty)
    }
}
