import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("An append-only record file") struct RecordFileTests {
    private static let start = Array("title".utf8)

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    @Test("records of several runs are appended, and other users may not read them")
    func grows() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/trace"
        for record in ["title 1\n", "title 2\n"] {
            let file = try RecordFile(path, start: Self.start, largest: 100)
            try file.append(Array(record.utf8))
            try file.append(Array("x\n".utf8))
        }
        #expect(try text(path) == "title 1\nx\ntitle 2\nx\n")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("a record that does not fit is not begun, and existing records count towards the limit")
    func full() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/trace"
        let file = try RecordFile(path, start: Self.start, largest: 10)
        try file.append(Array("title 1\n".utf8))
        #expect(throws: RecordFile.Problem.full) { try file.append(Array("abc".utf8)) }
        try file.append(Array("a\n".utf8))
        #expect(try text(path) == "title 1\na\n")
        let again = try RecordFile(path, start: Self.start, largest: 10)
        #expect(throws: RecordFile.Problem.full) { try again.append([0]) }
    }

    @Test(
        "a file that this program did not begin is left alone", arguments: ["titl", "other\n", "title", "\n"])
    func foreign(text: String) throws {
        let scratch = try Scratch()
        let path = scratch.path + "/trace"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: RecordFile.Problem.foreign) { try RecordFile(path, start: Self.start, largest: 100) }
        #expect(try self.text(path) == text)
    }

    @Test("a file with a second hard link, or of another user, is refused")
    func strangers() throws {
        let scratch = try Scratch()
        let (first, second) = (scratch.path + "/first", scratch.path + "/second")
        try Data("title\n".utf8).write(to: URL(fileURLWithPath: first))
        #expect(link(first, second) == 0)
        var refused = [first, second]
        if geteuid() == 0 {
            refused.append(scratch.path + "/theirs")
            try Data("title\n".utf8).write(to: URL(fileURLWithPath: refused[2]))
            #expect(chown(refused[2], 65_534, 65_534) == 0)
        }
        for path in refused {
            #expect(throws: RecordFile.Problem.refused(SystemError(call: "open", code: EPERM)), "\(path)") {
                try RecordFile(path, start: Self.start, largest: 100)
            }
        }
    }

    @Test("a symbolic link, a pipe and a device are refused without blocking")
    func strange() throws {
        let scratch = try Scratch()
        try Data("title\n".utf8).write(to: URL(fileURLWithPath: scratch.path + "/real"))
        #expect(symlink(scratch.path + "/real", scratch.path + "/link") == 0)
        #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
        for (path, code) in [
            (scratch.path + "/link", ELOOP), (scratch.path + "/pipe", EINVAL), ("/dev/null", EINVAL),
        ] {
            let refused = RecordFile.Problem.refused(SystemError(call: "open", code: code))
            #expect(throws: refused, "\(path)") { try RecordFile(path, start: Self.start, largest: 100) }
        }
    }
}
