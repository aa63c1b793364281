import Foundation
import TestSupport
import Testing

@testable import Platform

/// A state file is written in place or replaced; either way it has the same content.
@Suite struct StateFileTests {
    private let directory: Scratch
    private var file: StateFile { StateFile("near0.limiter", in: directory.path) }
    private let earlier = Array("what was there\n".utf8)
    private let more = Array("what is there now\n".utf8)

    private func number(of name: String = "near0.limiter") throws -> UInt64 {
        var status = stat()
        try #require(lstat("\(directory.path)/\(name)", &status) == 0)
        return UInt64(status.st_ino)
    }

    init() throws { directory = try Scratch() }

    /// Writes the file, and returns whether it was replaced. Both files existed for a moment, so their inodes
    /// differ.
    private func isReplaced(by bytes: [UInt8], mode: mode_t = 0o600, outlivesPower: Bool = false) throws
        -> Bool
    {
        let before = try number()
        try file.write(bytes, mode: mode, outlivesPower: outlivesPower)
        #expect(try file.read() == bytes)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
                $0.hasSuffix(".new")
            }
                == [])
        return try number() != before
    }

    @Test("content of at least the old length and at most a sector is written in place")
    func writtenOver() throws {
        try file.write(earlier, outlivesPower: false)
        #expect(try !isReplaced(by: more))
        #expect(try !isReplaced(by: [UInt8](repeating: 0x61, count: StateFile.oneStep)))
    }

    @Test(
        "shorter content, more than a sector, or content that must be on disk replaces the file"
    )
    func replaced() throws {
        try file.write(earlier, outlivesPower: false)
        #expect(try isReplaced(by: Array("less\n".utf8)))
        #expect(try isReplaced(by: [UInt8](repeating: 0x61, count: StateFile.oneStep + 1)))
        #expect(try isReplaced(by: [UInt8](repeating: 0x62, count: StateFile.oneStep + 1)))
        #expect(try isReplaced(by: earlier))
        #expect(try isReplaced(by: earlier, outlivesPower: true))
        #expect(try isReplaced(by: earlier, mode: 0o644))
    }

    @Test("an empty file, as a full disk leaves, is replaced")
    func empty() throws {
        try #require(
            FileManager.default.createFile(
                atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600]))
        #expect(try isReplaced(by: earlier))
    }

    @Test("a file with a second hard link, or a symbolic link, is not written into")
    func elsewhere() throws {
        let other = "\(directory.path)/other"
        try file.write(earlier, outlivesPower: false)
        try #require(link(file.path, other) == 0)
        #expect(try isReplaced(by: more))
        #expect(FileManager.default.contents(atPath: other) == Data(earlier))
        try #require(unlink(file.path) == 0 && symlink(other, file.path) == 0)
        #expect(try isReplaced(by: more))
        #expect(FileManager.default.contents(atPath: other) == Data(earlier))
    }
}
