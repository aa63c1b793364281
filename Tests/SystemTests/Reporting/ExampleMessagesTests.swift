import Foundation
import Glibc
import TestSupport
import Testing

/// The second part of contrib/docs/messages.txt: what commands print on a link, and what the service logs. The first
/// part is made without a link (GoldenMessagesTests). `UPDATE_GOLDEN=1 swift test --filter ExampleMessages` writes it
/// anew, as root.
@Suite("Example messages", .needsRoot)
struct ExampleMessagesTests {
    private let link: VirtualLink

    init() throws { link = try VirtualLink() }

    /// A user without rights.
    private static let nobody = [
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
    ]

    /// The options for a command's own files.
    private func files(_ command: String) -> [String] {
        switch command {
        case "history": ["--state-dir", link.directory.path + "/state"]
        case "status": ["--run-dir", link.runDirectory.path]
        case "hold":
            ["--any-interface", "--config", link.configuration.path, "--run-dir", link.runDirectory.path]
        case "list", "replay": []
        default: link.files + ["--any-interface"]
        }
    }

    /// What a command prints, its results before its messages, and its exit status.
    private func example(
        _ command: String, _ options: String = "", prefix: [String] = []
    ) throws -> [String] {
        let words = options.split(separator: " ").map { String($0) }
        let program = ["ip", "netns", "exec", link.nearNamespace] + prefix + [Program.path, command]
        let outcome = try Child(program + files(command) + words).outcome()
        let title = (["$ wifi-toggler", command] + words).joined(separator: " ")
        let lines = (outcome.standardOutput + outcome.standardError).split(separator: "\n").map { String($0) }
        return ([title] + lines + ["(exit status \(outcome.status))"]).map(usual)
    }

    /// The line as on a user's machine, without what differs from run to run.
    private func usual(_ line: String) -> String {
        line.replacing(link.directory.path + "/run", with: "/run/wifi-toggler")
            .replacing(link.directory.path + "/state", with: "/var/lib/wifi-toggler")
            .replacing(link.directory.path, with: "/etc")
            .replacing(VirtualLink.near, with: "wlan0")
            .replacing(/\b\d+(\.\d+)?(ms|s)\b/, with: "1s")
            .replacing(/wifi-toggler run \d+/, with: "wifi-toggler run 1234")
            .replacing(/next check in .* \(/, with: "next check in 1h (")
            .replacing("(incomplete)", with: "(failed)")
            .replacing(/fe80::[0-9a-f:]+/, with: "fe80::1")
            .replacing(/\b[0-9a-f]{2}(:[0-9a-f]{2}){5}\b/, with: "02:00:00:00:00:01")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/, with: "2027-01-15T14:05:00Z")
            .replacing(/[ ]{2,}/, with: "  ")
    }

    /// Without a service.
    private func commands() throws -> [String] {
        let near = VirtualLink.near
        let quick = "--timeout 1s"
        var lines = try example("history", near) + example("list")
        try link.nearIP("neighbour flush dev \(near)")
        lines += try example("probe", "\(quick) \(near)")
        try link.nearIP("neighbour flush dev \(near)")
        lines += try example("reconnect", "\(quick) \(near)")
        lines += try example("hold", "30m \(near)") + example("hold", "1h") + example("hold", "0 \(near)")
        lines += try example("hold", "0")
        for place in [link.directory, link.configuration] { chmod(place.path, 0o755) }
        lines += try example("toggle", near, prefix: Self.nobody)
        try link.muteFarEnd()
        lines += try example("probe", "\(quick) \(near)")
        lines += try example("reconnect", "\(quick) --fall 1 --dry-run \(near)")
        lines += try example("reconnect", "\(quick) --fall 1 --delay 100ms --settle 5s \(near)")
        return lines
    }

    /// What the service logs from its start to its end, and what commands say meanwhile.
    private func service() throws -> [String] {
        let near = VirtualLink.near
        let hooks = link.directory.path + "/hooks.d"
        // The first event could come before or after the result of the first check.
        try link.install("[ $WIFI_TOGGLER_EVENT != health ] || exit 7", at: "hooks.d/50-tell")
        let options = ["--interval", "1h", "--probe", "none", "--hooks-dir", hooks]
        let service = try link.start("run", options)
        func logged(_ words: String) throws {
            try eventually("it logs '\(words)'", detail: service.transcript) {
                service.standardError.contains(words)
            }
        }
        try logged("ended with status 7")
        var lines = try example("status", "wlan7")
        lines += try example("toggle", "--method bounce --wait 0 \(near)")
        lines += try example("status", near, prefix: Self.nobody)
        try link.configure("[default]\nquiet-hours = 00:00-24:00\ndry-run = yes\n")
        service.send(SIGHUP)
        try logged("dry-run")
        try link.configure("[default]\nquiet-hours = 22:00-06:00\n")
        service.send(SIGHUP)
        try logged("configuration read again")
        service.send(SIGTERM)
        let outcome = try service.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        let log = service.standardError.split(separator: "\n").map { usual(String($0)) }
        return lines + ["The service's log:"] + log
    }

    /// Files and directories that are damaged, or not as they should be.
    private func mishaps() throws -> [String] {
        let near = VirtualLink.near
        let file = link.directory.path + "/file"
        func write(_ text: String, to path: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }
        try write("no trace\n", to: file)
        var lines = try example("replay", file)
        lines += try example("toggle", "--probe none --run-dir \(file) \(near)")
        lines += try example("reconnect", "--timeout 1s --probe none --state-dir \(file) \(near)")
        try write("no record\n", to: "\(link.runDirectory.path)/\(near).intent")
        lines += try example("repair")
        let state = link.directory.appendingPathComponent("state")
        try HistoryFile.write(1, of: near, in: state)
        let history = state.appendingPathComponent(near + ".history")
        try (Data(contentsOf: history) + Data("no entry\n".utf8)).write(to: history)
        chmod(history.path, 0o600)
        lines += try example("history", near)
        chown(link.runDirectory.path, 65534, 65534)
        lines += try example("status") + example("hold", "1h")
        lines += try example("toggle", "--probe none --delay 100ms \(near)")
        return lines
    }

    @Test("the file of example messages has what commands print and the service logs")
    func examples() throws {
        let text = try (commands() + service() + mishaps()).map { $0 + "\n" }.joined()
        #expect(try ExampleMessages.differences(.run, text) == [])
    }
}
