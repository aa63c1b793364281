import Foundation
import Glibc
import Testing

@Suite("status --watch", .needsRoot)
struct StatusWatchTests {
    /// The escape sequences that show the cursor again and leave the alternate screen.
    private static let left = "\u{1b}[?25h\u{1b}[?1049l"

    private func command(_ link: VirtualLink, _ words: String...) -> [String] {
        [Program.path, "status", "--watch", "--config", link.configuration.path]
            + ["--run-dir", link.runDirectory.path] + words
    }

    private func serve(_ link: VirtualLink, _ words: String...) throws -> Child {
        let service = try link.start(
            "run", ReconnectTests.quick + ["--interval", "1h", "--fall", "1"] + words)
        try eventually("it has checked", detail: service.transcript) {
            try Program.run(
                ["status", "-q", "--config", link.configuration.path]
                    + ["--run-dir", link.runDirectory.path]
            ).status == 0
        }
        return service
    }

    @Test("the screen follows the terminal's size, can be suspended, and leaves the terminal as it was")
    func terminal() throws {
        let link = try VirtualLink()
        let service = try serve(link)
        let outcome = try TerminalSession.run(
            command(link),
            [
                .see("\u{1b}[?1049h"), .see("\u{1b}[32m\(VirtualLink.near): healthy for "),
                .see("next check in 59m "),
                .size(columns: 60, rows: 6), .see("more lines: name an interface)"),
                .suspend, .see("\(VirtualLink.near): healthy for "), .key("q"),
            ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.standardOutput.hasSuffix(Self.left), "\(outcome)")
        service.send(SIGTERM)
        _ = try service.outcome()
    }

    @Test("a hold and its end are shown at once, on a terminal and as lines elsewhere")
    func hold() throws {
        let link = try VirtualLink()
        let service = try serve(link)
        let lines = try Child(command(link))
        let held = "no bounce now: held by 'wifi-toggler hold' for another 59m"
        let outcome = try TerminalSession.run(
            command(link),
            [
                .see("next check in 59m "), .run(link.holdCommand(["1h", VirtualLink.near])), .see(held),
                .run(link.holdCommand(["0"])), .see("  nothing done "), .key("q"),
            ])
        #expect(outcome.status == 0, "\(outcome)")
        try eventually("both are lines", detail: lines.transcript) {
            lines.standardOutput.contains(" \(VirtualLink.near): no bounce for another 1h")
                && lines.standardOutput.contains(" \(VirtualLink.near): released: ")
        }
        service.send(SIGTERM)
        _ = try service.outcome()
    }

    /// One of the eight bars, as bytes of UTF-8.
    private static let bar = "(?:\\xe2\\x96[\\x81-\\x88])"

    @Test(
        "each check adds a bar to the round trip, and the screen is redrawn at once at a new size")
    func curves() throws {
        let link = try VirtualLink()
        let service = try serve(link, "--probe", "icmp")
        let sizes: [TerminalSession.Step] = (0..<4).flatMap { _ in
            [
                .size(columns: 60, rows: 6), .see("more lines: name an interface)"),
                .size(columns: 120, rows: 40), .see("round trip "),
            ]
        }
        let outcome = try TerminalSession.run(
            command(link),
            [
                .match("  round trip \(Self.bar) <?[0-9.]+m?s"), .tell(service.processIdentifier, SIGUSR1),
                .match("  round trip \(Self.bar){2} <?[0-9.]+m?s"),
            ] + sizes + [.key("q")])
        #expect(outcome.status == 0, "\(outcome)")
        // The countdown to the next check changes every second: of two screens with the same second but
        // different sizes, one was drawn because of its size.
        let pictures = outcome.standardOutput.split(separator: "\u{1b}[H").dropFirst().compactMap { picture in
            let second = picture.split(separator: "next check in ").dropFirst().first?.split(separator: " (")
                .first
            return second.map { (isShort: picture.contains("more lines"), second: $0) }
        }
        let pairs = zip(pictures, pictures.dropFirst())
        #expect(pairs.contains { $0.isShort != $1.isShort && $0.second == $1.second }, "\(pictures)")
        service.send(SIGTERM)
        _ = try service.outcome()
    }

    @Test("when the service ends, the screen says so and stays, and SIGTERM restores the terminal")
    func ending() throws {
        let link = try VirtualLink()
        let service = try serve(link)
        let outcome = try TerminalSession.run(
            command(link),
            [
                .see("healthy for "), .end(service.processIdentifier), .see("what the service reported "),
                .see("healthy for "), .signal(SIGTERM),
            ],
            environment: ["NO_COLOR": "1", "LC_ALL": "C"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.standardOutput.hasSuffix(Self.left), "\(outcome)")
        #expect(!outcome.standardOutput.contains("\u{1b}[32m") && !outcome.standardOutput.contains("▁"))
        _ = try service.outcome()
    }

    @Test("Ctrl-C and Ctrl-\\ restore the terminal too", arguments: ["\u{3}", "\u{1c}"])
    func keys(key: String) throws {
        let link = try VirtualLink(gateway: .none)
        let outcome = try TerminalSession.run(command(link), [.see("no service answers at"), .key(key)])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.standardOutput.hasSuffix(Self.left), "\(outcome)")
    }

    @Test(
        "without a terminal each change is a line, with --json an object, until the service ends"
    )
    func lines() throws {
        let link = try VirtualLink()
        let service = try serve(link)
        let lines = try Child(command(link))
        let objects = try Child(command(link, "--json", "near*"))
        try eventually("the last event comes first", detail: lines.transcript + objects.transcript) {
            lines.standardOutput.contains(" \(VirtualLink.near): healthy: ")
                && !objects.standardOutput.isEmpty
        }
        service.send(SIGUSR1)
        try eventually("another event", detail: objects.transcript) {
            objects.standardOutput.split(separator: "\n").count == 2
        }
        service.send(SIGTERM)
        _ = try service.outcome()
        let told = [try lines.outcome(), try objects.outcome()]
        #expect(told[0].standardOutput.split(separator: "\n").count == 1, "no news twice: \(told)")
        #expect(told[1].objects.allSatisfy { $0["verdict"] as? String == "healthy" }, "\(told)")
        for outcome in told {
            #expect(outcome.status == 69 && outcome.standardError.contains("does not answer"), "\(outcome)")
        }
        let none = try Child(command(link)).outcome()
        #expect(none.status == 69 && none.standardError.contains("no service answers at"), "\(none)")
    }

    @Test(
        "once nobody reads its output, it ends with 0, without waiting for an event",
        arguments: [[], ["--json"]])
    func noReader(_ options: [String]) throws {
        let link = try VirtualLink()
        let service = try serve(link)
        // The first line comes at once, and the next check is an hour later.
        let script = ["bash", "-c", "\"$@\" | head -n 1; exit ${PIPESTATUS[0]}", "bash"]
        let outcome = try Child(script + command(link) + options).outcome()
        #expect(outcome.status == 0 && outcome.standardError.isEmpty, "\(outcome)")
        #expect(outcome.standardOutput.contains("healthy"), "\(outcome)")
        try service.endService()
    }
}
