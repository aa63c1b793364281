import Foundation
import Glibc

/// Scripts of one test, in a directory that only its owner can change. The directory is removed with the
/// test.
public final class CommandScripts {
    public let path: String

    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/wifi-toggler-scripts-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        chmod(path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a shell script, and returns its path. Another process copies the script into place: a program
    /// cannot be executed (ETXTBSY) while it is open for writing, even in a child that another test has just
    /// started.
    public func write(_ text: String, to name: String = "check", mode: mode_t = 0o755) throws -> String {
        let file = path + "/" + name
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: file + ".new"))
        let copy = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [file + ".new", file])
        copy.waitUntilExit()
        try FileManager.default.removeItem(atPath: file + ".new")
        chmod(file, mode)
        return file
    }

    /// What a script wrote into this file; nil: not a whole line yet. Create the file with `open` first if
    /// the script runs as another user.
    public func read(_ name: String) -> String? {
        let text = (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? ""
        return text.hasSuffix("\n") ? text : nil
    }

    /// Creates an empty, world-writable file.
    public func open(_ name: String) {
        _ = FileManager.default.createFile(atPath: path + "/" + name, contents: nil)
        chmod(path + "/" + name, 0o666)
    }
}
