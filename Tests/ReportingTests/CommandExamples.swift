import Foundation
import Invocation
import TestSupport

/// The output of the built program for mistakes, for `--help` and for `--check`. None of these commands needs
/// a privilege, reaches a service or changes anything.
enum CommandExamples {
    /// The program's path, in the same directory as the test bundle.
    private static let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "wifi-toggler")
    private static let usualFile = "/etc/wifi-toggler.conf"

    private static let mistakes = [
        "", "togle", "toggle --dealy 3s", "toggle --delay", "toggle --delay soon", "toggle --delay 90s",
        "toggle wlan0 wlan1", "run --fall 0", "probe --probe pong", "probe --probe tcp:192.0.2.1",
        "probe --probe http://example.net/", "reconnect --method bounce,rfkil", "hold", "history --since now",
        "replay /nonexistent", "probe nowhere0", "probe lo", "status --run-dir /nonexistent",
        "history --state-dir /nonexistent", "run --check --re 1", "list --json=yes", "list --delay 3s",
        "toggle wlan0:1", "toggle a/b", "toggle ..", "toggle abcdefghijklmnop", "list wlan0",
        "run --check --probe none --probe icmp", "run --check --backoff 10m --backoff-max 1m",
        "hold 1h wlan0 wlan1",
        "replay a b", "replay /usr",
    ]

    /// Options with values that they do not accept.
    private static let values: [(option: String, values: [String])] = [
        ("--interval", ["10ms", ""]), ("--fall", ["many"]), ("--restore", ["maybe"]),
        ("--power-save", ["on"]),
        ("--bounce-on", ["gatewy", "radio", "everything"]), ("--log", ["jurnal", "file"]),
        ("--quiet-hours", ["22:00-25:00", "mo-fri 08:00-18:00", "22:00-22:00"]),
        (
            "--method",
            ["reboot", "rfkill:/bin/true", "hook", "bounce,hook:heal", "everything"]
        ),
        (
            "--probe",
            [
                "none:x", "+none", "tcp::443", "tcp:a_b:443", "neighbour:gateway", "tcp:192.0.2.1:99999",
                "tcp:2001:db8::1:443", "dns:", "dns:a..b", "dns:example.net@server",
                "http:http://example.net/ code=200", "http:http://example.net/ status=9",
                "http:http://example.net/ body=", "command:", "command:check", "command:/", "http:",
                "http:example.net", "http:ftp://example.net/", "http:http://me@example.net/", "http:http:///",
                "http:http://a_b/", "http:http://example.net:0/", "http:http://example.net/\u{e4}",
                "http:http://example.net/" + String(repeating: "x", count: 2048),
            ]
        ),
        ("--hooks-dir", ["hooks.d"]), ("--command-user", ["nobody:x"]),
    ]

    /// Contents of the configuration file.
    private static let files = [
        "interval = 2m", "[default]\ninterval = soon", "[default]\nintervall = 2m", "[default\ninterval = 2m",
        "[defualt]\ninterval = 2m", "[default]\nquiet-hours = 22:00", "[default]\ncheck = yes",
        "[wlan0]\nmetrics = /var/lib/wifi.prom", "[default]\nmethod = auto,bounce",
        "[default]\nprobe = tcp:" + String(repeating: "x", count: 300), "[default]\nprobe = icmp\u{1}",
        "[default] interval = 2m", "[wlan[01]]", "[wlan/0]", "[mac=02:00]", "[default]\ncolour = red",
        "[default]\ninterval = 2m # often",
    ]

    /// Each mistake, what the program prints, and its exit status.
    static func errors() throws -> [String] {
        let scratch = try Scratch()
        try scratch.write("", to: "conf")
        let usage = try mistakes.flatMap { try lines($0, file: "\(scratch.path)/conf") }
        let spaced = try lines(["toggle", "wlan 0"], file: "\(scratch.path)/conf")
        let unfit = try values.flatMap { option, values in
            try values.flatMap { value in
                try lines(["run", "--check", option, value], file: "\(scratch.path)/conf")
            }
        }
        let configuration = try files.flatMap { text in
            try scratch.write(text + "\n", to: "conf")
            return text.split(separator: "\n").map { "\(usualFile) has: \(shortened(String($0)))" }
                + (try lines("run --check", file: "\(scratch.path)/conf"))
        }
        return usage + spaced + unfit + configuration
    }

    /// The help of the program and of each command, without lines that an earlier help text has.
    static func help() throws -> [String] {
        var shown: Set<String> = []
        return try ([[]] + Command.allCases.map { [$0.rawValue] }).flatMap { words in
            let lines = try run(words + ["--help"]).lines.filter { line in
                line.isEmpty || shown.insert(line.replacing(/[ ]+/, with: " ")).inserted
            }
            return ["$ wifi-toggler \((words + ["--help"]).joined(separator: " "))"] + joined(lines + [""])
        }.dropLast()
    }

    /// The lines, with each run of empty lines replaced by one.
    private static func joined(_ lines: [String]) -> [String] {
        lines.reduce(into: []) { if !$1.isEmpty || $0.last?.isEmpty == false { $0.append($1) } }
    }

    /// The settings as `--check` prints them, including a value that no configuration file can have.
    static func settings() throws -> [String] {
        let scratch = try Scratch()
        try scratch.write("[wl*]\ninterval = 2m\n", to: "conf")
        return try lines(
            ["run", "--check", "--probe", "http:http://example.net/ body=a ;b"], file: "\(scratch.path)/conf")
    }

    /// Contents of the configuration file, and the warnings about them.
    static func warnings() throws -> [String] {
        let scratch = try Scratch()
        let file = "\(scratch.path)/conf"
        return try [
            "metrics = wifi-toggler.prom", "metrics = /var/lib/prometheus/node-exporter/wifi.txt",
            "method = bounce, owner, bounce", "method = bounce,hook:/usr/local/sbin/a,hook:/usr/local/sbin/b",
            "method = bounce,reboot\nsettle = 0",
            "method = bounce,reboot\nbounce-on = association,dns,internet",
        ].flatMap { text in
            try scratch.write("[default]\n\(text)\n", to: "conf")
            return ("[default]\n" + text).split(separator: "\n").map { "\(usualFile) has: \($0)" }
                + (try lines("run --check", file: file).filter { $0.hasPrefix("wifi-toggler: ") })
        }
    }

    private static func lines(_ words: String, file: String) throws -> [String] {
        try lines(words.split(separator: " ").map(String.init), file: file)
    }

    private static func lines(_ words: [String], file: String) throws -> [String] {
        var arguments = words
        // The machine's own configuration file would change the result.
        if arguments.count > 1, arguments[0] != "replay" {
            arguments.insert(contentsOf: ["--config", file], at: 1)
        }
        let (lines, status) = try run(arguments)
        let shown = words.map { $0.isEmpty || $0.contains(" ") ? "'\($0)'" : shortened($0) }
        return ["$ wifi-toggler \(shown.joined(separator: " "))"]
            + lines.map { $0.replacing(file, with: usualFile) }
            + ["(exit status \(status))"]
    }

    private static func shortened(_ text: String) -> String {
        text.count > 100 ? text.prefix(60) + "…" : text.replacing("\u{1}", with: "^A")
    }

    /// Runs the program, and returns the lines of standard output and standard error in the order in which
    /// they came.
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
