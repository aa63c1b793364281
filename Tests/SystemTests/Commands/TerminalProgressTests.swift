import Foundation
import Glibc
import Testing

@Suite("The progress line on a terminal", .needsRoot)
struct TerminalProgressTests {
    private static let erased = "\r\u{1b}[K"
    private static let holding = "\(VirtualLink.near): keeping the link down, "

    private func command(_ link: VirtualLink, _ words: [String], _ command: String = "toggle") -> [String] {
        ["ip", "netns", "exec", link.nearNamespace, Program.path, command] + link.files
            + ["--any-interface"] + words + [VirtualLink.near]
    }

    @Test(
        "the line says what is awaited, and is erased before a message, with and without a service",
        arguments: [true, false])
    func shown(_ isService: Bool) throws {
        let link = try VirtualLink(gateway: .none)
        var service: Child?
        if isService {
            service = try link.start("run", ["--json", "--interval", "1h", "--probe", "none"])
            try eventually("the first cycle", detail: service?.transcript ?? "") {
                service?.standardOutput.isEmpty == false
            }
        }
        let own = isService ? [] : ["--probe", "none"]
        let outcome = try TerminalSession.run(
            command(link, ["--delay", "1600ms"] + own),
            [
                .see("link down, kept down for 1.6s"), .see("\r\(Self.holding)"), .see("s of 2s\u{1b}[K"),
                .see("\(Self.erased)wifi-toggler: \(VirtualLink.near): link up after "),
                .see("\(VirtualLink.near): back "),
            ], environment: ["NO_COLOR": "1"])
        #expect(outcome.status == 0, "\(outcome)")
        let last = outcome.standardOutput.range(of: "back ", options: .backwards)
        let rest = outcome.standardOutput[(last?.upperBound ?? outcome.standardOutput.startIndex)...]
        #expect(!rest.contains(": keeping") && !rest.contains(": waiting"), "\(outcome)")
        #expect(!outcome.standardOutput.contains("\u{1b}[3"), "no colours: \(outcome)")
        service?.send(SIGTERM)
        _ = try service?.outcome()
    }

    @Test(
        "reconnect shows that it waits for a recheck, with and without a service",
        arguments: [true, false])
    func reconnect(_ isService: Bool) throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        let timeout = [
            "--fall", "2", "--recheck", "800ms", "--timeout", "2s", "--delay", "700ms", "--settle", "10s",
        ]
        var service: Child?
        if isService {
            service = try link.start("run", timeout + ["--json", "--interval", "1h"])
            try eventually("the first cycle", detail: service?.transcript ?? "") {
                service?.standardOutput.isEmpty == false
            }
        }
        try link.muteFarEnd()
        let name = VirtualLink.near
        let outcome = try TerminalSession.run(
            command(link, isService ? [] : timeout, "reconnect"),
            [
                .match("\\r\(name): waiting for the next check, [0-9]+m?s of 1s\u{1b}\\[K"),
                .match("\\r\(name): keeping the link down, [0-9]+m?s of 1s\u{1b}\\[K"),
                .see("\(Self.erased)wifi-toggler: \(name): link up after "), .see("\(name): back "),
            ], environment: ["NO_COLOR": "1"])
        #expect(outcome.status == 0, "\(outcome)")
        let last = outcome.standardOutput.split(separator: "\(name): back ").last ?? ""
        #expect(!last.contains(": keeping") && !last.contains(": waiting"), "\(outcome)")
        service?.send(SIGTERM)
        _ = try service?.outcome()
    }

    @Test(
        "with --json, --quiet or a dumb terminal there is no progress line",
        arguments: [("--json", "xterm"), ("--quiet", "xterm"), ("--any-interface", "dumb")])
    func hidden(_ option: String, _ terminal: String) throws {
        let link = try VirtualLink(gateway: .none)
        let outcome = try TerminalSession.run(
            command(link, ["--delay", "700ms", "--probe", "none", option]), [],
            environment: ["TERM": terminal])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(!outcome.standardOutput.contains(Self.holding), "\(outcome)")
        #expect(!outcome.standardOutput.contains("\u{1b}"), "\(outcome)")
    }

    @Test("the wait for another run's lock is shown as well")
    func lock() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let first = try link.start("toggle", ["--delay", "60s", "--probe", "none"])
        _ = try trace.changes(atLeast: 1)
        let outcome = try TerminalSession.run(
            command(link, ["--delay", "0", "--probe", "none", "--wait", "20s"]),
            [
                .see("\(VirtualLink.near): waiting for another run to release its lock, 0ms of 20s\u{1b}[K"),
                .end(first.processIdentifier), .see(Self.erased), .see("\(VirtualLink.near): back "),
            ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try first.outcome().status == 2)
    }
}
