import Foundation
import TestSupport
import Testing

@testable import Platform

@Suite("Locating the helper that was installed with the program")
struct HelperLocatorTests {
    private let scratch: Scratch
    private var own: String { scratch.path + "/sbin/own" }
    private static let beside = "sbin/sibling"
    private static let behind = "libexec/wifi-toggler/sibling"

    init() throws {
        scratch = try Scratch()
        try write("sbin/own")
        for directory in ["", "/sbin"] { #expect(chmod(scratch.path + directory, 0o755) == 0) }
    }

    private func write(_ name: String, mode: mode_t = 0o755) throws {
        try scratch.write("#!/bin/sh\n", to: name)
        let path = scratch.path + "/" + name
        #expect(chmod(path, mode) == 0)
        #expect(chmod((path as NSString).deletingLastPathComponent, 0o755) == 0)
    }

    private func find() throws(HelperLocator.Absence) -> String {
        try HelperLocator.find("sibling", own: own)
    }

    @Test("the helper is looked for beside the program, then in libexec")
    func found() throws {
        try write(Self.behind)
        #expect(try find() == "\(scratch.path)/\(Self.behind)")
        try write(Self.beside)
        #expect(try find() == "\(scratch.path)/\(Self.beside)")
    }

    @Test(
        "the directory for shared files is below the program's prefix",
        arguments: [
            ("/usr/sbin/wifi-toggler", "/usr/share/wifi-toggler"),
            ("/usr/local/sbin/wifi-toggler", "/usr/local/share/wifi-toggler"),
            ("/usr/sbin/wifi-toggler (deleted)", "/usr/share/wifi-toggler"),
            ("/sbin/wifi-toggler", "/share/wifi-toggler"), ("/wifi-toggler", nil), ("wifi-toggler", nil),
            ("", nil),
        ] as [(String, String?)])
    func shared(own: String, directory: String?) {
        #expect(HelperLocator.sharedDirectory(own: own) == directory)
    }

    @Test("if the kernel cannot tell what the helper's path leads to, the error is told")
    func unreadable() throws {
        try scratch.write("", to: Self.behind)
        let path = "\(scratch.path)/\(Self.beside)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        #expect(symlink("sibling", path) == 0)
        let error = SystemError(call: "stat", code: ELOOP)
        #expect(throws: HelperLocator.Absence.unreadable(path, error)) { try find() }
    }

    @Test("a helper that does not exist, is no file or is not executable is missing")
    func missing() throws {
        let places = HelperLocator.Absence.missing([
            "\(scratch.path)/sbin", "\(scratch.path)/libexec/wifi-toggler",
        ])
        #expect(throws: places) { try find() }
        try write(Self.beside + "/file")
        #expect(throws: places) { try find() }
        try write(Self.behind, mode: 0o644)
        #expect(throws: places) { try find() }
        #expect(throws: HelperLocator.Absence.missing([])) { try HelperLocator.find("sibling", own: "own") }
    }

    @Test("a helper that others could have changed is refused", arguments: [0o775, 0o757, 0o777] as [mode_t])
    func writable(mode: mode_t) throws {
        try write(Self.behind, mode: mode)
        let untrusted = HelperLocator.Absence.untrusted("\(scratch.path)/\(Self.behind)")
        #expect(throws: untrusted) { try find() }
        #expect(chmod("\(scratch.path)/\(Self.behind)", 0o755) == 0)
        #expect(try find() == "\(scratch.path)/\(Self.behind)")
        #expect(chmod("\(scratch.path)/libexec/wifi-toggler", mode) == 0)
        #expect(throws: untrusted) { try find() }
    }

    @Test("a helper that the group can write is accepted if the group can write the program too")
    func group() throws {
        try write(Self.beside, mode: 0o775)
        #expect(chmod(own, 0o775) == 0)
        #expect(try find() == "\(scratch.path)/\(Self.beside)")
    }

    @Test(
        "the helper must belong to root or to the program's owner", .enabled(if: geteuid() == 0, "needs root")
    )
    func owner() throws {
        try write(Self.beside)
        #expect(chown("\(scratch.path)/\(Self.beside)", 65534, 65534) == 0)
        #expect(throws: HelperLocator.Absence.untrusted("\(scratch.path)/\(Self.beside)")) { try find() }
        #expect(chown(own, 65534, 65534) == 0)
        #expect(try find() == "\(scratch.path)/\(Self.beside)")
        // As if an upgrade had removed the program's own file: then only root's files are trusted.
        #expect(unlink(own) == 0)
        #expect(throws: HelperLocator.Absence.untrusted("\(scratch.path)/\(Self.beside)")) { try find() }
        #expect(chown("\(scratch.path)/\(Self.beside)", 0, 0) == 0)
        #expect(try find() == "\(scratch.path)/\(Self.beside)")
    }
}
