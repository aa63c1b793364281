import Foundation
import Testing

/// A temporary directory of one test, removed with it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/platform-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// A program with the content of a text, which replaces any earlier one. Another process writes it:
    /// otherwise a child of another test could have it open for writing for a moment, and it could not be
    /// executed (ETXTBSY).
    func makeProgram(_ name: String, from text: String) throws {
        let install = Process()
        install.executableURL = URL(fileURLWithPath: "/usr/bin/install")
        install.arguments = ["-m", "755", "\(path)/\(text)", "\(path)/\(name)"]
        try install.run()
        install.waitUntilExit()
    }
}

/// Waits until a condition holds, 20 s at most; returns whether it did.
@MainActor func eventually(_ holds: @MainActor () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while !holds() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
