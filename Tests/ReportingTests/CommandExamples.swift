import Foundation
import TestSupport

/// What the built program prints on mistakes and for `--help`. None of these commands needs a privilege, finds a
/// service or changes anything.
enum CommandExamples {
    /// The program beside the test bundle.
    private static let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "wifi-toggler")
    private static let usualFile = "/etc/wifi-toggler.conf"

    private static let mistakes = [
        "", "togle", "toggle --dealy 3s", "toggle --delay", "toggle --delay soon", "toggle --delay 90s",
        "toggle wlan0 wlan1", "run --fall 0", "probe --probe pong", "probe --probe tcp:192.0.2.1",
        "probe --probe http://example.net/", "reconnect --method bounce,rfkil", "hold", "history --since now",
        "replay /nonexistent", "probe nowhere0", "probe lo", "status --run-dir /nonexistent",
        "history --state-dir /nonexistent",
    ]

    /// Contents of the configuration file.
    private static let files = [
        "interval = 2m", "[default]\ninterval = soon", "[default]\nintervall = 2m", "[default\ninterval = 2m",
        "[defualt]\ninterval = 2m", "[default]\nquiet-hours = 22:00", "[default]\ncheck = yes",
        "[wlan0]\nmetrics = /var/lib/wifi.prom", "[default]\nmethod = auto,bounce",
    ]

    /// Each mistake, what the program prints, and its exit status.
    static func errors() throws -> [String] {
        let scratch = try Scratch()
        try scratch.write("", to: "conf")
        let usage = try mistakes.flatMap { try lines($0, file: "\(scratch.path)/conf") }
        let configuration = try files.flatMap { text in
            try scratch.write(text + "\n", to: "conf")
            return text.split(separator: "\n").map { "\(usualFile) has: \($0)" }
                + (try lines("run --check", file: "\(scratch.path)/conf"))
        }
        return usage + configuration
    }

    static func help() throws -> [String] { try run(["--help"]).lines }

    private static func lines(_ words: String, file: String) throws -> [String] {
        var arguments = words.split(separator: " ").map(String.init)
        // The machine's own file would change the result.
        if arguments.count > 1, arguments[0] != "replay" {
            arguments.insert(contentsOf: ["--config", file], at: 1)
        }
        let (lines, status) = try run(arguments)
        return ["$ wifi-toggler \(words)"] + lines.map { $0.replacing(file, with: usualFile) }
            + ["(exit status \(status))"]
    }

    /// Its output and its errors, in the order in which they come.
    private static func run(_ arguments: [String]) throws -> (lines: [String], status: Int32) {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init),
            process.terminationStatus
        )
    }
}
