import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Platform

@Suite("The hold file of an interface") struct HoldFileTests {
    private static let second: Int64 = 1_000_000_000

    @Test("a hold lasts until its end or its removal, for its interface alone")
    func written() throws {
        let scratch = try Scratch()
        let file = HoldFile(interface: "wlan0", directory: scratch.path)
        #expect(file.read() == nil)
        try file.write(until: 50 * Self.second)
        #expect(file.read(at: 49 * Self.second) == .until(bootNanoseconds: 50 * Self.second))
        #expect(file.read(at: 50 * Self.second) == nil)
        #expect(HoldFile(interface: "wlan1", directory: scratch.path).read(at: 0) == nil)
        #expect(HoldFile(interface: nil, directory: scratch.path).read(at: 0) == nil)
        #expect(try file.remove())
        #expect(try !file.remove())
        #expect(file.read(at: 0) == nil)
    }

    @Test("a hold of an earlier boot has no effect")
    func otherBoot() throws {
        let scratch = try Scratch()
        try scratch.write("00000000-0000-0000-0000-000000000000 9000000000000000000\n", to: "hold")
        #expect(HoldFile(interface: nil, directory: scratch.path).read(at: 0) == nil)
    }

    @Test("a hold file that is swapped for a symbolic link while it is read still holds")
    func race() throws {
        let scratch = try Scratch()
        // The link's target is a hold of another boot: a reader that follows the link finds no hold.
        try scratch.write("00000000-0000-0000-0000-000000000000 1\n", to: "target")
        let isOver = Atomic<Bool>(false)
        let swapper = Thread { [path = scratch.path] in
            while !isOver.load(ordering: .relaxed) {
                symlink(path + "/target", path + "/link")
                rename(path + "/link", path + "/hold")
                _ = FileManager.default.createFile(atPath: path + "/file", contents: Data("for ever".utf8))
                rename(path + "/file", path + "/hold")
            }
        }
        try scratch.write("for ever", to: "hold")
        swapper.start()
        defer {
            isOver.store(true, ordering: .relaxed)
            while !swapper.isFinished { usleep(1000) }
        }
        let file = HoldFile(interface: nil, directory: scratch.path)
        for _ in 0..<20_000 { #expect(file.read() == .untilRemoved) }
    }

    @Test(
        "a hold file without a valid end holds until the file is removed",
        arguments: ["", "\n", "for ever", "now 12x", "a b c", "\u{0}"])
    func anything(_ text: String) throws {
        let scratch = try Scratch()
        try scratch.write(text, to: "hold")
        #expect(HoldFile(interface: nil, directory: scratch.path).read() == .untilRemoved)
    }

    @Test("a symbolic link in place of a hold file is not followed, and counts as a hold")
    func symbolicLink() throws {
        let scratch = try Scratch()
        try scratch.write("00000000-0000-0000-0000-000000000000 1\n", to: "elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/hold", withDestinationPath: "elsewhere")
        let file = HoldFile(interface: nil, directory: scratch.path)
        #expect(file.read() == .untilRemoved)
        try file.write(until: 7)
        #expect(file.read(at: 6) == .until(bootNanoseconds: 7))
        let untouched = try String(contentsOfFile: scratch.path + "/elsewhere", encoding: .utf8)
        #expect(untouched.hasSuffix(" 1\n"))
    }

    @Test("all hold files are listed, including the general one")
    func all() throws {
        let scratch = try Scratch()
        for name in ["wlan1.hold", "wlan0.hold", "hold", "wlan0.lock", ".hold"] {
            try scratch.write("", to: name)
        }
        let found = try HoldFile.all(in: scratch.path).filter { $0.read() != nil }
        #expect(found.count == 3)
        #expect(try HoldFile.all(in: scratch.path + "/none").isEmpty)
        #expect(try HoldFile.names(in: scratch.path)?.sorted() == ["hold", "wlan0.hold", "wlan1.hold"])
        #expect(try HoldFile.names(in: scratch.path + "/none") == nil)
    }
}
