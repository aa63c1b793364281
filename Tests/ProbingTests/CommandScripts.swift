import Foundation
import Glibc

/// Scripts of one test, in a directory that only their owner can change, removed with it.
final class CommandScripts {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/wifi-toggler-scripts-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        chmod(path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A script of the shell, and its path. It is copied into place by another process: while a program is open
    /// for writing, be it only in a child that another test has just begun to make, it cannot be run (ETXTBSY).
    func write(_ text: String, to name: String = "check", mode: mode_t = 0o755) throws -> String {
        let file = path + "/" + name
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: file + ".new"))
        let copy = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [file + ".new", file])
        copy.waitUntilExit()
        try FileManager.default.removeItem(atPath: file + ".new")
        chmod(file, mode)
        return file
    }

    /// What a script wrote into this file of the directory; nil: nothing yet. Whoever runs it may write there.
    func read(_ name: String) -> String? {
        let text = (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? ""
        return text.hasSuffix("\n") ? text : nil
    }

    /// An empty file that everybody may write to.
    func open(_ name: String) {
        _ = FileManager.default.createFile(atPath: path + "/" + name, contents: nil)
        chmod(path + "/" + name, 0o666)
    }
}

/// Waits until something holds, 20 s at most; answers whether it came to hold.
@MainActor func eventually(_ holds: @MainActor () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while !holds() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
