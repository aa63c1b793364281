import Foundation
import Testing

/// Several runs use one state directory, one after the other, as when cron starts them.
@Suite("The bounce limiter across runs", .needsRoot)
struct BounceLimiterTests {
    private static let quick =
        [
            "--json", "--fall", "1", "--recheck", "100ms", "--probe", "neighbour", "--timeout", "2s",
            "--delay",
            "0", "--settle", "100ms",
        ]

    private func sickLink() throws -> VirtualLink {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.muteFarEnd()
        return link
    }

    private func file(_ link: VirtualLink) -> URL {
        link.directory.appendingPathComponent("state/\(VirtualLink.near).limiter")
    }

    private func text(_ link: VirtualLink) -> String {
        (try? String(contentsOf: file(link), encoding: .utf8)) ?? ""
    }

    /// Runs `reconnect`, and returns its action and the reason.
    private func reconnect(_ link: VirtualLink, _ options: [String] = []) throws -> (
        action: String, reason: String
    ) {
        let outcome = try link.run("reconnect", Self.quick + options)
        #expect(outcome.status == 1, "\(outcome)")
        let last = try #require(outcome.objects.last, "\(outcome)")
        return (last["action"] as? String ?? "", last["reason"] as? String ?? "")
    }

    @Test(
        "a second run does not bounce during the back-off or with a spent budget, and otherwise bounces")
    func cron() throws {
        let link = try sickLink()
        #expect(try link.run("reconnect", Self.quick + ["--dry-run"]).status == 1)
        #expect(!FileManager.default.fileExists(atPath: file(link).path), "a dry run writes nothing")
        #expect(try reconnect(link).action == "bounced")
        #expect(text(link).hasPrefix("wifi-toggler limiter 1\nbounced "), "\(text(link))")
        let written = text(link)
        let held = try reconnect(link)
        #expect(held.action == "held")
        #expect(held.reason.contains("backing off: the next bounce at the earliest in "), "\(held)")
        #expect(try link.run("probe").status == 1)
        #expect(text(link) == written, "what is held has changed nothing")
        let spent = try reconnect(link, ["--backoff", "0", "--budget", "1"])
        #expect(spent.action == "held")
        #expect(spent.reason.contains("the budget of bounces is spent"), "\(spent)")
        #expect(try reconnect(link, ["--backoff", "0"]).action == "bounced")
        #expect(text(link).contains("\noutage 2\n"), "\(text(link))")
        // A bounce on a user's request.
        let toggle = ["--delay", "0", "--settle", "0"]
        #expect(try link.run("toggle", toggle).status == 0)
        #expect(text(link).contains("\noutage 3\n"), "\(text(link))")
    }

    @Test("a restarted service knows the bounces of the previous one")
    func service() throws {
        let link = try sickLink()
        let options = Self.quick + ["--grace", "0", "--interval", "200ms", "--budget", "1", "--backoff", "0"]
        func run(until words: String) throws {
            let service = try link.start("run", options)
            try eventually(words, detail: service.transcript) { service.standardOutput.contains(words) }
            service.send(SIGTERM)
            #expect(try service.outcome().status == 0, "\(service.transcript)")
        }
        try run(until: #""action":"bounced""#)
        let trace = try LinkTrace(link)
        try run(until: "the budget of bounces is spent")
        try trace.catchUp()
        #expect(try trace.isUntouched())
    }

    @Test("a second run does not bounce during the back-off either if the state directory cannot be written")
    func unwritable() throws {
        let link = try sickLink()
        let state = file(link).deletingLastPathComponent()
        try Data().write(to: state)
        #expect(try reconnect(link).action == "bounced")
        #expect(try reconnect(link).action == "held")
        try FileManager.default.removeItem(at: state)
        #expect(try reconnect(link).action == "held", "the bounces are known still")
        #expect(try reconnect(link, ["--backoff", "0"]).action == "bounced")
        #expect(text(link).contains("\noutage 2\n"), "\(text(link))")
        let temporary = link.runDirectory.appendingPathComponent("\(VirtualLink.near).limiter")
        #expect(!FileManager.default.fileExists(atPath: temporary.path))
    }

    @Test("the limits are kept if the state directory is also the directory of the run")
    func oneDirectory() throws {
        let link = try sickLink()
        let directory = ["--state-dir", link.runDirectory.path]
        #expect(try reconnect(link, directory).action == "bounced")
        for _ in 0..<2 { #expect(try reconnect(link, directory).action == "held") }
    }

    @Test("a damaged limiter file prevents no bounce")
    func spoilt() throws {
        let link = try sickLink()
        try FileManager.default.createDirectory(
            at: file(link).deletingLastPathComponent(), withIntermediateDirectories: true)
        let far = "9999999999"
        try Data("wifi-toggler limiter 1\nbounced \(far)\noutage 9\nnext \(far)\nuseless 9 - -\n\u{0}".utf8)
            .write(to: file(link))
        #expect(try reconnect(link).action == "bounced")
    }
}
