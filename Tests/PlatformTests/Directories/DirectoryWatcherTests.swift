import Foundation
import Glibc
import TestSupport
import Testing

@testable import Platform

@MainActor @Suite("A watched directory", .timeLimit(.minutes(10)))
struct DirectoryWatcherTests {
    @Test("a created, written, renamed or removed file is reported by name, and then the directory's removal")
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

    @Test("a file, or a symbolic link to a directory, is not watched")
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

    @Test("all events of a read count, an overrun means any change, and an incomplete event is ignored")
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
