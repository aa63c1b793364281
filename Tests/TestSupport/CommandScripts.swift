import Foundation
import Glibc

/// Scripts of one test, in a directory that only their owner can change, removed with the test.
public final class CommandScripts {
    public let path: String

    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/wifi-toggler-scripts-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        chmod(path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A shell script, and its path. Another process copies it into place: a program cannot be executed
    /// (ETXTBSY) while it is open for writing, even in a child that another test has just started.
    public func write(_ text: String, to name: String = "check", mode: mode_t = 0o755) throws -> String {
        let file = path + "/" + name
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: file + ".new"))
        let copy = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [file + ".new", file])
        copy.waitUntilExit()
        try FileManager.default.removeItem(atPath: file + ".new")
        chmod(file, mode)
        return file
    }

    /// What a script wrote into this file of the directory; nil: nothing yet. The user that it runs as may
    /// write there.
    public func read(_ name: String) -> String? {
        let text = (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? ""
        return text.hasSuffix("\n") ? text : nil
    }

    /// An empty, world-writable file.
    public func open(_ name: String) {
        _ = FileManager.default.createFile(atPath: path + "/" + name, contents: nil)
        chmod(path + "/" + name, 0o666)
    }
}
