import Foundation
import Invocation
import Testing

@Suite("Usage")
struct UsageTests {
    struct Mistake: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        /// What the message must contain: the value, the option, the remedy.
        var words: [String]

        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let mistakes = [
        Mistake(arguments: [], words: ["--help"]),
        Mistake(arguments: ["togle"], words: ["togle", "toggle"]),
        Mistake(arguments: ["toggle", "--dealy", "3s"], words: ["--dealy", "--delay"]),
        Mistake(arguments: ["toggle", "--delay", "soon"], words: ["--delay", "soon", "3s"]),
        Mistake(arguments: ["toggle", "--delay", "90s"], words: ["--delay", "90s"]),
        Mistake(arguments: ["toggle", "--delay"], words: ["--delay", "3s"]),
        Mistake(arguments: ["toggle", "wlan0", "wlan1"], words: ["wlan1"]),
        Mistake(arguments: ["run", "--fall", "0"], words: ["--fall", "0"]),
        Mistake(arguments: ["run", "--interval", "-5"], words: ["--interval", "-5"]),
        Mistake(arguments: ["probe", "--probe", "pong"], words: ["--probe", "pong"]),
        Mistake(arguments: ["probe", "--probe", "tcp:192.0.2.1"], words: ["--probe", "tcp:192.0.2.1"]),
        Mistake(
            arguments: ["probe", "--probe", "dns:a@b"], words: ["--probe", "dns:a@b", "not an IP address"]),
        Mistake(arguments: ["probe", "-p", "http://a/"], words: ["--probe", "http://a/", "http:http://"]),
        Mistake(
            arguments: ["probe", "-p", "http:http://a/ 200"],
            words: ["--probe", "'200'", "'http:http://example.net/ status=200'"]),
        Mistake(
            arguments: ["probe", "-p", "command:check"], words: ["--probe", "absolute path", "command:/"]),
        Mistake(arguments: ["probe", "--command-user", "a b"], words: ["--command-user", "a b", "nobody"]),
        Mistake(arguments: ["probe", "../../etc"], words: ["../../etc"]),
        Mistake(arguments: ["history", "--since", "now"], words: ["--since", "'now'", "--since 7d"]),
        Mistake(arguments: ["status", "a", "b"], words: ["status", "'b'", "too many"]),
        Mistake(arguments: ["replay"], words: ["replay", "FILE"]),
        Mistake(arguments: ["replay", "a", "b"], words: ["replay", "'b'", "too many"]),
        Mistake(arguments: ["run", "--record"], words: ["--record", "FILE"]),
        Mistake(arguments: ["hold"], words: ["hold", "DURATION", "30m"]),
        Mistake(arguments: ["hold", "wlan0"], words: ["hold", "'wlan0'", "not a duration", "30m"]),
        Mistake(arguments: ["hold", "1h", "a", "b"], words: ["hold", "'b'", "too many"]),
    ]

    @Test("a mistake on the command line ends with status 64 and a helpful message", arguments: mistakes)
    func mistake(_ mistake: Mistake) throws {
        let outcome = try Program.run(mistake.arguments)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.standardOutput.isEmpty, "\(outcome)")
        for word in mistake.words { #expect(outcome.standardError.contains(word), "\(outcome)") }
        #expect(!outcome.standardError.contains("\\u{"), "lines end where they end: \(outcome)")
    }

    @Test("each command has a help text", arguments: Command.allCases)
    func help(_ command: Command) throws {
        let outcome = try Program.run([command.rawValue, "--help"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.standardOutput.contains("wifi-toggler \(command.rawValue)"), "\(outcome)")
        #expect(outcome.standardError.isEmpty, "\(outcome)")
    }

    @Test("--help names every command, --version the program")
    func general() throws {
        let help = try Program.run(["--help"])
        #expect(help.status == 0)
        for command in Command.allCases {
            #expect(help.standardOutput.contains("\n  \(command.rawValue) "), "\(help)")
        }
        let version = try Program.run(["--version"])
        #expect(version.status == 0)
        #expect(version.standardOutput.contains("wifi-toggler"))
    }

    @Test(
        "a command whose results cannot be written says so and fails",
        arguments: [["--version"], ["--help"], ["run", "--check", "--config", "/dev/null"]])
    func fullDisk(_ arguments: [String]) throws {
        let outcome = try Child(Program.withFullOutput + [Program.path] + arguments).outcome()
        #expect(outcome.status == 73, "\(outcome)")
        let told = outcome.standardError.components(
            separatedBy: "to standard output: No space left on device")
        #expect(told.count == 2, "told once: \(outcome)")
    }

    @Test("if nobody reads its output, a command ends silently", arguments: [["--help"], ["--version"]])
    func noReader(_ arguments: [String]) throws {
        // The shell starts the program once a write to the pipe has failed, and with the default action for
        // SIGPIPE.
        let script = """
            trap '' PIPE
            (until ! printf . 2>/dev/null; do :; done; exec env --default-signal=PIPE "$@") | :
            exit ${PIPESTATUS[0]}
            """
        let outcome = try Child(["bash", "-c", script, "bash", Program.path] + arguments).outcome()
        #expect(outcome.status == 0 && outcome.standardError.isEmpty, "\(outcome)")
    }

    @Test("a mistake in the configuration file is reported with file and line, status 78")
    func configuration() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("wrong-\(UUID().uuidString)")
        try Data("# first line\n[default]\ninterval = soon\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let outcome = try Program.run(["probe", "--config", file.path, "lo"])
        #expect(outcome.status == 78, "\(outcome)")
        #expect(outcome.standardError.contains("\(file.path):3"), "\(outcome)")
        #expect(outcome.standardError.contains("soon"), "\(outcome)")
        let checked = try Program.run(["run", "--check", "--config", file.path])
        #expect(checked.status == 78 && checked.standardOutput.isEmpty, "\(checked)")
    }

    @Test("with --config /dev/null, no configuration file is read")
    func noConfiguration() throws {
        let outcome = try Program.run(["run", "--check", "--config", "/dev/null"])
        #expect(outcome.status == 0 && outcome.standardOutput.contains("[default]"), "\(outcome)")
        let other = try Program.run(["run", "--check", "--config", "/dev/zero"])
        #expect(other.status == 78 && other.standardError.contains("not a regular file"), "\(other)")
    }

    @Test(
        "run --check without privilege prints the effective configuration, which is itself valid")
    func check() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (file, copy) = (directory.appendingPathComponent("a"), directory.appendingPathComponent("b"))
        try Data("[default]\ninterval = 2m\n[wlan1]\ndelay = 5s\n".utf8).write(to: file)
        let none = ["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"]
        let check = [Program.path, "run", "--check", "--config"]
        let options = ["--fall", "5", "--run-dir", directory.appendingPathComponent("run").path]
        let first = try Child(["setpriv"] + none + check + [file.path] + options).outcome()
        #expect(first.status == 0 && first.standardError.isEmpty, "\(first)")
        for line in ["[default]", "interval = 2m", "fall = 5", "rise = 2", "[wlan1]", "delay = 5s"] {
            #expect(first.standardOutput.contains("\(line)\n"), "\(line): \(first)")
        }
        let quiet = try Child(["setpriv"] + none + check + [file.path, "--quiet"]).outcome()
        #expect(quiet.status == 0 && quiet.words.isEmpty, "\(quiet)")
        try Data("[default]\nquiet = yes\n".utf8).write(to: copy)
        let loud = try Child(["setpriv"] + none + check + [copy.path]).outcome()
        #expect(loud.standardOutput.contains("quiet = yes\n"), "\(loud)")
        try Data(first.standardOutput.utf8).write(to: copy)
        let second = try Child(["setpriv"] + none + check + [copy.path]).outcome()
        #expect(second.status == 0 && second.standardOutput == first.standardOutput, "\(second)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["a", "b"])
    }
}
