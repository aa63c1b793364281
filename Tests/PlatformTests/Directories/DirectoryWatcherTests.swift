import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@MainActor @Suite("A watched directory", .timeLimit(.minutes(1)))
struct DirectoryWatcherTests {
    @Test("what comes, is written, is renamed and goes is told by its name; then that the directory has gone")
    func names() async throws {
        let scratch = try Scratch()
        let directory = scratch.path + "/folder"
        #expect(mkdir(directory, 0o755) == 0)
        var told: [String] = []
        var ends = 0
        let watch = try DirectoryWatcher(directory, onChange: { told += $0 ?? ["all"] }, onEnd: { ends += 1 })
        func expect(_ name: String) async {
            #expect(await eventually { told.contains(name) }, "not told of \(name): \(told)")
            told = []
        }
        try Data().write(to: URL(fileURLWithPath: directory + "/made"))
        await expect("made")
        rename(directory + "/made", directory + "/moved")
        await expect("moved")
        unlink(directory + "/moved")
        await expect("moved")
        #expect(ends == 0)
        rmdir(directory)
        #expect(await eventually { ends == 1 })
        withExtendedLifetime(watch) {}
    }

    @Test("what is no directory, or only a link to one, is not watched")
    func none() throws {
        let scratch = try Scratch()
        let file = scratch.path + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        symlink("/", scratch.path + "/link")
        for path in [file, scratch.path + "/link", scratch.path + "/nothing"] {
            #expect(throws: SystemError.self) {
                try DirectoryWatcher(path, onChange: { _ in }, onEnd: {})
            }
        }
    }

    /// An event as the kernel writes it (inotify(7)).
    private static func event(_ mask: Int32, _ name: String = "", padding: Int = 0) -> [UInt8] {
        let body = Array(name.utf8) + [UInt8](repeating: 0, count: padding)
        let header = [1, UInt32(mask), 0, UInt32(body.count)]
        return header.withUnsafeBytes { Array($0) } + body
    }

    @Test("several at once; an overrun may be anything; half an event is not looked at")
    func reading() {
        let two = Self.event(IN_CREATE, "wlan0.hold", padding: 6) + Self.event(IN_DELETE, "hold", padding: 12)
        #expect(DirectoryChange(two[...]).names == ["wlan0.hold", "hold"])
        for missing in 1...16 {
            #expect(DirectoryChange(two.dropLast(missing)[...]).names == ["wlan0.hold"], "\(missing)")
        }
        let overrun = DirectoryChange((two + Self.event(IN_Q_OVERFLOW) + two)[...])
        #expect(overrun.names == nil && !overrun.isOver)
        #expect(DirectoryChange(Self.event(IN_IGNORED)[...]).isOver)
        #expect(DirectoryChange([]).names == [])
    }
}
