import Foundation
import Glibc
import Testing

@Suite("run --record and replay", .needsRoot)
struct RecordingTests {
    private static let quick = [
        "--interval", "300ms", "--fall", "1", "--timeout", "200ms", "--delay", "100ms", "--settle", "1s",
        "--grace", "0",
    ]

    private static func trace(_ link: VirtualLink) -> URL { link.directory.appendingPathComponent("trace") }

    /// Records a service that bounces once, to its end. Each service has its own state directory; otherwise
    /// the back-off of an earlier one would delay it.
    private func record(_ link: VirtualLink) throws {
        let state = link.directory.appendingPathComponent("state-\(UUID().uuidString)")
        let service = try link.start(
            "run", ["--record", Self.trace(link).path, "--state-dir", state.path] + Self.quick)
        try eventually("it has bounced", detail: service.transcript) {
            service.standardError.contains("after the bounce")
        }
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0)
    }

    private func replay(_ file: URL, _ options: String...) throws -> RunOutcome {
        try Program.run(["replay"] + options + [file.path])
    }

    @Test(
        "a recorded run is replayed without privilege, also with two runs in one file")
    func same() throws {
        let link = try VirtualLink()
        try link.muteFarEnd()
        try record(link)
        let file = Self.trace(link)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let outcome = try replay(file)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.standardOutput.hasSuffix("events: all decisions as recorded\n"), "\(outcome)")
        #expect(outcome.standardError.isEmpty, "\(outcome)")

        try record(link)
        let none = ["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"]
        let both = try Child(["setpriv"] + none + [Program.path, "replay", "--verbose", file.path]).outcome()
        #expect(both.status == 0, "\(both)")
        let story = both.standardOutput
        #expect(story.components(separatedBy: "bouncing the link: the gateway").count == 3, "\(both)")
        #expect(try replay(file, "--quiet").words.isEmpty)
    }

    @Test("recorded one-shots in one file are replayed without a difference")
    func oneShots() throws {
        let link = try VirtualLink()
        try link.muteFarEnd()
        let file = Self.trace(link)
        let quick = ["--timeout", "2s", "--delay", "0", "--settle", "3s"]
        let pace = ["--recheck", "100ms", "--fall", "1"]
        for command in [["probe"], ["reconnect"] + pace, ["toggle"]] {
            let options = command[0] == "probe" ? ["--timeout", "2s"] : quick
            let outcome = try link.run(command[0], ["--record", file.path] + options + command.dropFirst())
            #expect(outcome.status == 1, "\(outcome)")
        }
        let outcome = try replay(file, "--verbose")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.standardOutput.hasSuffix("events: all decisions as recorded\n"), "\(outcome)")
        let bounces = outcome.standardOutput.components(separatedBy: "bouncing the link").count - 1
        #expect(bounces == 2, "\(outcome)")
    }

    @Test("a trace with a different decision ends with 1, the place, and both decisions")
    func tampered() throws {
        let link = try VirtualLink()
        try link.muteFarEnd()
        try record(link)
        let file = Self.trace(link)
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n")
        let event = try #require(lines.firstIndex { $0.contains("guardArmed") }) + 1
        try Data(text.replacing("{\"lowerLink\":", with: "{\"raiseLink\":").utf8).write(to: file)
        let outcome = try replay(file)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.standardOutput.hasPrefix("\(file.path):\(event): near0: event "), "\(outcome)")
        let difference = #"""

              - {"raiseLink":{"_0":"bounce"}}
              + {"lowerLink":{"_0":"bounce"}}

            """#
        #expect(outcome.standardOutput.contains(difference), "\(outcome)")
        #expect(outcome.standardOutput.contains("1 with other decisions than recorded"), "\(outcome)")
    }

    @Test("an invalid trace ends with 65 and its line, an unreadable file with 66")
    func garbage() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("trace")
        let title = "{\"wifi-toggler-trace\":2,\"program\":\"x\"}\n"
        for (text, line) in [
            ("", 1), ("hello\n", 1), ("\0\u{1}\u{ff}", 1), (title + "\n", 2), (title + "{\"at\"", 2),
        ] {
            try Data(text.utf8).write(to: file)
            let outcome = try replay(file)
            #expect(outcome.status == 65, "\(outcome)")
            #expect(outcome.standardError.contains("\(file.path):\(line): "), "\(outcome)")
            #expect(outcome.standardOutput.isEmpty, "\(outcome)")
        }
        let missing = try replay(directory.appendingPathComponent("nothing"))
        #expect(missing.status == 66 && missing.standardError.contains("No such file"), "\(missing)")
        #expect(try replay(directory).status == 66)
    }

    /// What ends a recording before the service ends.
    enum Bound: String, CaseIterable, CustomTestStringConvertible {
        case fullDisk, limitOfProcess

        var testDescription: String { rawValue }
        var words: String {
            switch self {
            case .fullDisk: "No space left on device"
            case .limitOfProcess: "File too large"
            }
        }

        func prefix(_ directory: URL) -> [String] {
            let mounting = "mount -t tmpfs -o size=16k,mode=755 none \(directory.path) && exec \"$@\""
            return switch self {
            case .fullDisk: ["unshare", "--mount", "--", "sh", "-c", mounting, "sh"]
            case .limitOfProcess: ["prlimit", "--fsize=16384", "--"]
            }
        }
    }

    @Test(
        "if the disk or the file is full, the recording ends with one line, and the service goes on",
        arguments: Bound.allCases)
    func bound(_ bound: Bound) throws {
        let link = try VirtualLink()
        let directory = link.directory.appendingPathComponent("small")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        let file = directory.appendingPathComponent("trace")
        let service = try link.start(
            "run", ["--record", file.path, "--interval", "100ms", "--probe", "none"],
            prefix: bound.prefix(directory))
        try eventually("the recording has ended", within: .seconds(60), detail: service.transcript) {
            service.standardError.contains("the recording ends here")
        }
        service.send(SIGUSR2)
        try eventually("the service goes on", detail: service.transcript) {
            service.standardError.contains("near0: healthy; now: waiting")
        }
        // The file as the service sees it, through its root directory.
        let seen = URL(fileURLWithPath: "/proc/\(service.processIdentifier)/root\(file.path)")
        #expect(try replay(seen).status == 0, "what was written is whole")
        service.send(SIGTERM)
        let outcome = try service.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.standardError.components(separatedBy: "recording").count == 2, "\(outcome)")
        #expect(outcome.standardError.contains("\(file.path): \(bound.words); "), "\(outcome)")
    }

    @Test("if not even the title can be written, the run ends with 73, not by a signal")
    func noRoom() throws {
        let link = try VirtualLink()
        let service = try link.start(
            "run", ["--record", Self.trace(link).path], prefix: ["prlimit", "--fsize=10", "--"])
        #expect(try service.outcome().status == 73)
    }

    @Test(
        "a file that cannot serve as a trace file is refused with 73 before anything is changed",
        arguments: ["symlink", "foreign", "half a line", "folder", "second name"])
    func refused(_ what: String) throws {
        let link = try VirtualLink()
        let file = Self.trace(link)
        let other = link.directory.appendingPathComponent("other")
        let text = what == "half a line" ? "{\"wifi-toggler-trace\":2" : "important\n"
        try Data((what == "second name" ? "" : text).utf8).write(to: other)
        switch what {
        case "symlink": try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
        case "second name": try FileManager.default.linkItem(at: other, to: file)
        case "folder": try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        default: try FileManager.default.moveItem(at: other, to: file)
        }
        let trace = try LinkTrace(link)
        let outcome = try link.run("run", ["--record", file.path, "--force"])
        #expect(outcome.status == 73, "\(outcome)")
        #expect(outcome.standardError.contains(file.path), "\(outcome)")
        #expect(try trace.isUntouched())
        if what == "symlink" { #expect(try String(contentsOf: other, encoding: .utf8) == text) }
        if what == "foreign" { #expect(try String(contentsOf: file, encoding: .utf8) == text) }
    }
}
