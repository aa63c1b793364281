import Foundation
import TestSupport
import Testing

@testable import Platform

@Suite("A file that is published atomically") struct PublishedFileTests {
    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func status(_ path: String) -> stat {
        var status = stat()
        lstat(path, &status)
        return status
    }

    @Test("the file is replaced as a whole, readable by all, and leaves no other file in the directory")
    func replaced() throws {
        let scratch = try Scratch()
        let file = PublishedFile(scratch.path + "/page.prom")
        try file.write(Array("one\n".utf8))
        let reader = try #require(FileHandle(forReadingAtPath: file.path))
        let mask = umask(0o077)
        try file.write(Array("two\n".utf8))
        umask(mask)
        #expect(try text(file.path) == "two\n")
        #expect(
            reader.readDataToEndOfFile() == Data("one\n".utf8), "who has the old one open reads it to its end"
        )
        #expect(status(file.path).st_mode & 0o7777 == 0o644)
        #expect(DirectoryListing.of(scratch.path, atMost: 9) == ["page.prom"])
        file.remove()
        #expect(DirectoryListing.of(scratch.path, atMost: 9).isEmpty)
        file.remove()
    }

    @Test(
        "the file of a dead writer is removed, unless it is another user's or of another format")
    func abandoned() throws {
        let scratch = try Scratch()
        let page = Array("# HELP page\n".utf8)
        let mine = PublishedFile(scratch.path + "/page.prom")
        let living = PublishedFile(scratch.path + "/page-living.prom")
        for _ in 1...2 { try living.write(page) }
        for name in ["page-dead.prom", "page-dead.other", "page-foreign.prom"] {
            let writer = PublishedFile(scratch.path + "/" + name)
            try writer.write(page)
        }
        if geteuid() == 0 { chown(scratch.path + "/page-foreign.prom", 65534, 65534) }
        try scratch.write("# HELP other\n", to: "page-strange.prom")
        try scratch.write("# HE", to: "page-short.prom")
        try scratch.write("# HELP page\n", to: "precious")
        symlink("precious", scratch.path + "/page-link.prom")
        mkfifo(scratch.path + "/page-pipe.prom", 0o600)
        mine.removeAbandoned(named: { $0.hasSuffix(".prom") }, beginning: Array("# HELP page".utf8))
        var left: Set<String> = [
            "page-living.prom", "page-dead.other", "page-strange.prom", "page-short.prom", "precious",
            "page-link.prom", "page-pipe.prom",
        ]
        if geteuid() == 0 { left.insert("page-foreign.prom") }
        #expect(Set(DirectoryListing.of(scratch.path, atMost: 99)) == left)
        withExtendedLifetime(living) {}
    }

    @Test("a link in place of the file or of the temporary file is replaced, and its target untouched")
    func planted() throws {
        let scratch = try Scratch()
        try scratch.write("precious\n", to: "precious")
        let file = PublishedFile(scratch.path + "/page.prom")
        for name in ["page.prom", ".page.prom.new"] {
            for plant in [symlink, link] {
                #expect(plant(scratch.path + "/precious", scratch.path + "/" + name) == 0)
                try file.write(Array("new\n".utf8))
                #expect(try text(file.path) == "new\n")
                #expect(try text(scratch.path + "/precious") == "precious\n")
                file.remove()
            }
        }
    }

    @Test(
        "a file that cannot be written is an error, and the old file stays",
        arguments: [
            ("/missing/page.prom", ENOENT), ("/", EISDIR), ("/plain/page.prom", ENOTDIR), ("/folder", EISDIR),
        ])
    func refused(_ name: String, _ code: Int32) throws {
        let scratch = try Scratch()
        try scratch.write("", to: "plain")
        try scratch.write("", to: "folder/inside")
        let file = PublishedFile(scratch.path + name)
        do throws(SystemError) {
            try file.write([1])
            Issue.record("it was written")
        } catch { #expect(error.code == code) }
        #expect(Set(DirectoryListing.of(scratch.path, atMost: 9)) == ["plain", "folder"])
    }
}
