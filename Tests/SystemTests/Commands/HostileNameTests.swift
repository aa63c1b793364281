import Foundation
import Glibc
import Testing

/// The kernel accepts all names of up to 15 bytes but `.`, `..` and those with `/`, `:` or white space
/// (dev_valid_name()). So a name may contain escape sequences for terminals.
@Suite("An interface whose name is an escape sequence", .needsRoot)
struct HostileNameTests {
    /// Each name, and the text that the program prints for it, with the control characters escaped.
    static let names = [
        ("\u{1b}[31m\u{7}\u{8}x", #"\u{1b}[31m\u{7}\u{8}x"#),
        ("\u{9b}2J\u{202e}\u{7f}", #"\u{9b}2J\u{202e}\u{7f}"#),
    ]

    private let link: VirtualLink

    init() throws { link = try VirtualLink(gateway: .none) }

    private func rename(to name: String) throws {
        try link.nearIP("link set \(VirtualLink.near) down")
        try link.nearIP("link set \(VirtualLink.near) name \(name)")
        try link.nearIP("link set \(name) up")
    }

    private func command(_ words: [String]) throws -> RunOutcome {
        try Child(["ip", "netns", "exec", link.nearNamespace, Program.path] + words).outcome()
    }

    /// Expects neither control characters nor marks that change how a terminal shows a line.
    private func expectPlain(_ text: String, _ what: String) {
        let raw = text.unicodeScalars.filter { $0 != "\n" && CharacterSet.controlCharacters.contains($0) }
        #expect(raw.isEmpty, "\(what): \(text.debugDescription)")
    }

    /// Expects the name in the output, in a form that no terminal takes for a command.
    private func expect(_ outcome: RunOutcome, names visible: String, _ what: String) {
        expectPlain(outcome.words, what)
        #expect(outcome.words.contains(visible), "\(what): \(outcome)")
    }

    @Test(
        "without a service, doctor, probe, toggle, reconnect and history escape the interface's name",
        arguments: names)
    func alone(_ name: String, _ visible: String) throws {
        try rename(to: name)
        let (state, configuration) = (Array(link.files.suffix(2)), Array(link.files.prefix(2)))
        let acting = link.files + ["--any-interface"]
        for (words, what) in [
            (["doctor"] + acting + [name], "doctor"),
            (["probe", "--verbose"] + acting + [name], "probe"),
            (["toggle", "--verbose", "--delay", "100ms", "--probe", "none"] + acting + [name], "toggle"),
            (["reconnect", "--verbose", "--probe", "none"] + acting + [name], "reconnect"),
            (["toggle", "--probe", "none"] + acting + [name + "!"], "toggle of another"),
            (["history", "--verbose"] + configuration + state, "history"),
        ] {
            expect(try command(words), names: visible, what)
        }
        for (words, what) in [
            (["probe", "--json"] + acting + [name], "probe"),
            (["toggle", "--json", "--delay", "100ms", "--probe", "none"] + acting + [name], "toggle"),
            (["history", "--json"] + configuration + state, "history"),
        ] {
            let outcome = try command(words)
            expectPlain(outcome.words, "\(what) --json")
            #expect(outcome.objects.contains { $0["interface"] as? String == name }, "\(what): \(outcome)")
        }
        expectPlain(try command(["doctor", "--json"] + acting + [name]).words, "doctor --json")
        let page = link.directory.appendingPathComponent("page.html")
        _ = try command(["history", "--html", page.path] + configuration + state)
        try expectPlain(String(contentsOf: page, encoding: .utf8), "history --html")
    }

    @Test("repair and the guard escape the interface's name", arguments: names)
    func guarded(_ name: String, _ visible: String) throws {
        try rename(to: name)
        func isUp() throws -> Bool { try link.isUp(name) }
        let words = ["--delay", "60s", "--settle", "2s", "--probe", "none"]
        for isGuarded in [true, false] {
            let program = try link.start("toggle", words, interface: name)
            try eventually("the link is kept down", detail: program.transcript) {
                try !isUp() && program.standardError.contains("link down")
            }
            if isGuarded { program.send(SIGKILL) } else { try program.killWithGuard() }
            if isGuarded {
                try eventually("the guard has raised it", detail: program.transcript) {
                    try isUp() && GuardProcesses.mentioning(link.runDirectory.path).isEmpty
                }
            }
            expect(try program.outcome(), names: visible, "toggle")
        }
        for words in [["--dry-run"], []] {
            expect(try link.run("repair", words, interface: nil), names: visible, "repair")
        }
        #expect(try isUp())
    }

    @Test("the service and its clients escape the interface's name", arguments: names)
    func service(_ name: String, _ visible: String) throws {
        try rename(to: name)
        let metrics = link.directory.appendingPathComponent("page.prom")
        let service = try link.start(
            "run", ["--verbose", "--interval", "1h", "--probe", "none", "--metrics", metrics.path],
            interface: name)
        try eventually("the first cycle", detail: service.transcript) {
            service.transcript.contains("healthy")
        }
        var page = ""
        let label = "interface=\"\(visible.replacing("\\", with: "\\\\"))\""
        try eventually("its metrics stand in the file", detail: page) {
            page = (try? String(contentsOf: metrics, encoding: .utf8)) ?? ""
            return page.contains(label)
        }
        expectPlain(page, "--metrics")
        let asking = Array(link.files.prefix(4))
        for words in [["status"] + asking, ["status", "--verbose"] + asking] {
            expect(try command(words), names: visible, "\(words[...1])")
        }
        let status = try command(["status", "--json"] + asking)
        expectPlain(status.words, "status --json")
        #expect(status.objects.first?["interface"] as? String == name, "\(status)")
        expect(try link.runHold(["1h", name]), names: visible, "hold")
        expect(try command(["status"] + asking), names: visible, "status of what is held")
        expect(try link.runHold(["0", name]), names: visible, "hold 0")
        expect(
            try link.run("toggle", ["--verbose", "--delay", "100ms", "--wait", "30s"], interface: name),
            names: visible,
            "toggle by the service")
        try link.nearIP("link delete \(name)")
        try eventually("it is told that it is gone", detail: service.transcript) {
            service.standardError.contains("not there")
        }
        service.send(SIGTERM)
        expect(try service.outcome(), names: visible, "run")
    }
}
