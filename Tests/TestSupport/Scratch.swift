import Foundation

/// A temporary directory of one test, removed with it.
public final class Scratch: Sendable {
    public let path: String

    public init() throws {
        path = FileManager.default.temporaryDirectory.path + "/wifi-toggler-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Makes a program from the file `text`, in place of any earlier program of this name. Another process
    /// writes the program: otherwise a child of another test could have it open for writing for a moment, and
    /// it could not be executed (ETXTBSY).
    public func makeProgram(_ name: String, from text: String) throws {
        let install = Process()
        install.executableURL = URL(fileURLWithPath: "/usr/bin/install")
        install.arguments = ["-m", "755", "\(path)/\(text)", "\(path)/\(name)"]
        try install.run()
        install.waitUntilExit()
    }
}
