import Foundation
import Glibc
import TestSupport
import Testing

/// The second part of contrib/docs/messages.txt: what commands print on a link, and what the service logs.
/// The first part is made without a link (GoldenMessagesTests). As root, `UPDATE_GOLDEN=1 contrib/test --only
/// system --filter ExampleMessages` writes the second part anew. Each scene (a function in the extensions)
/// has its own link.
@Suite("Example messages", .needsRoot)
struct ExampleMessagesTests {
    let link: VirtualLink

    init() throws { link = try VirtualLink() }

    /// A user without rights.
    static let nobody = [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
    ]

    private static let scenes: [(title: String?, lines: @Sendable (Self) throws -> [String])] = [
        (nil, { try $0.commands() + $0.service() + $0.mishaps() }),
        (
            "The command line: interfaces, files and methods",
            { try $0.choices() + $0.replays() + $0.methods() }
        ),
        ("The command probe", { try $0.probes() }),
        ("The command probe, without other evidence", { try $0.strangeHosts() }),
        ("Traces with one event, and traces that are full", { try $0.traces() }),
        ("The command history", { try $0.histories() }),
        ("The command repair", { try $0.repairs() }),
        ("The command repair, with records that root did not write", { try $0.forgedRecords() }),
        ("The control socket, for a command", { try $0.peers() }),
        ("A service that hangs", { try $0.hungService() }),
        ("A unit that resets the device of an interface that is gone", { try $0.lostDevice() }),
        ("The control socket, for the service", { try $0.servers() }),
        ("Locks, directories and devices that cannot be used", { try $0.locks() }),
        ("Too few descriptors", { try $0.fewDescriptors() }),
        ("The status of the service, as systemd shows it", { try $0.serviceManager() }),
        ("A service without an interface", { try $0.idleService() }),
        ("A service whose directories cannot be used", { try $0.directories() }),
        ("A service that may reboot the machine", { try $0.reboots() }),
    ]

    @Test("the file of example messages has what commands print and the service logs")
    func examples() throws {
        var lines: [String] = []
        for scene in Self.scenes {
            if let title = scene.title { lines += ["", "== \(title) =="] }
            lines += try scene.lines(Self())
        }
        let differences = try ExampleMessages.differences(.run, lines.map { $0 + "\n" }.joined())
        #expect(differences == [])
    }

    // MARK: Commands

    /// The options that tell a command where its files are.
    private func files(_ command: String) -> [String] {
        switch command {
        case "history": ["--state-dir", link.directory.path + "/state"]
        case "status": ["--run-dir", link.runDirectory.path]
        case "hold":
            ["--any-interface", "--config", link.configuration.path, "--run-dir", link.runDirectory.path]
        case "list", "replay": []
        case "repair": link.files
        default: link.files + ["--any-interface"]
        }
    }

    /// Runs a command, and returns its standard output, then its standard error, then its exit status.
    /// - Parameter namespace: where the command runs; nil means the near namespace.
    func example(
        _ command: String, _ options: String = "", prefix: [String] = [], namespace: String? = nil
    ) throws -> [String] {
        let words = options.split(separator: " ").map { String($0) }
        let program =
            ["ip", "netns", "exec", namespace ?? link.nearNamespace] + prefix + [Program.path, command]
        return try printed([command] + words, Child(program + files(command) + words).outcome())
    }

    /// What a command has printed.
    func printed(_ words: [String], _ outcome: RunOutcome) -> [String] {
        let title = (["$ wifi-toggler"] + words).joined(separator: " ")
        let lines = (outcome.standardOutput + outcome.standardError).split(separator: "\n").map { String($0) }
        return ([title] + lines + ["(exit status \(outcome.status))"]).map(usual)
    }

    /// The line as a user's machine would show it, without what differs from run to run.
    func usual(_ line: String) -> String {
        line.replacing(link.directory.path + "/run", with: "/run/wifi-toggler")
            .replacing(link.directory.path + "/state", with: "/var/lib/wifi-toggler")
            .replacing(link.directory.path, with: "/etc")
            .replacing(VirtualLink.near, with: "wlan0")
            .replacing("near", with: "wlan")
            .replacing(/<?\b\d+(\.\d+)?(ms|s)\b/, with: "1s")
            .replacing(/process \d+ \(stop/, with: "process 1234 (stop")
            .replacing(/next (check|deadline) in [^;]*?( \(|;)/) { "next \($0.output.1) in 1h\($0.output.2)" }
            .replacing(/\d+ events/, with: "9 events")
            .replacing(/event \d+ at \d+\.\d+ s/, with: "event 9 at 1000.5 s")
            .replacing("(incomplete)", with: "(failed)")
            .replacing(/fe80::[0-9a-f:]+/, with: "fe80::1")
            .replacing(/\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b/, with: "02:00:00:00:00:01")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/, with: "2027-01-15T14:05:00Z")
            .replacing(/[ ]{2,}/, with: "  ")
    }

    // MARK: The service

    /// Waits until a program has logged these words.
    func see(_ words: String, from program: Child) throws {
        try eventually("it logs '\(words)'", detail: program.transcript) {
            program.standardError.contains(words)
        }
    }

    /// Ends the service, and returns its log.
    func log(ending service: Child, of what: String = "the service") throws -> [String] {
        service.send(SIGTERM)
        let outcome = try service.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        return ["The log of \(what):"] + log(service)
    }

    /// What a service has logged.
    func log(_ service: Child) -> [String] {
        service.standardError.split(separator: "\n").map { usual(String($0)) }
    }

    func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
