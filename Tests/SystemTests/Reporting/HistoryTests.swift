import Foundation
import Glibc
import Testing

@Suite("history", .needsRoot)
struct HistoryTests {
    /// Runs `history`. Of the options for files, it accepts only the configuration file and the state
    /// directory.
    private func history(_ link: VirtualLink, _ words: [String], prefix: [String] = []) throws -> RunOutcome {
        try Child(
            prefix + [Program.path, "history", "--config", link.configuration.path, "--state-dir"]
                + [state(link).path] + words
        ).outcome()
    }

    private func state(_ link: VirtualLink) -> URL { link.directory.appendingPathComponent("state") }

    private func file(_ link: VirtualLink) -> URL {
        state(link).appendingPathComponent("\(VirtualLink.near).history")
    }

    private func lines(_ link: VirtualLink) throws -> [Substring] {
        try String(contentsOf: file(link), encoding: .utf8).split(separator: "\n")
    }

    @Test(
        "an outage is in the table, the JSON and the page after the service was killed"
    )
    func cured() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        try link.muteFarEnd()
        let began = ContinuousClock.now
        let service = try link.start(
            "run", ["--interval", "300ms", "--grace", "0", "--fall", "1"] + Self.quick)
        try eventually("it is cured, and that is written down", detail: service.transcript) {
            try service.standardError.contains("back ")
                && lines(link).contains { $0.contains("\"kind\":\"acted\"") }
        }
        let took = (ContinuousClock.now - began) / .milliseconds(1)
        service.send(SIGKILL)
        _ = try service.outcome()
        let handle = try FileHandle(forWritingTo: file(link))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("\n01234567 {\"kind\":\"ac".utf8))
        try handle.close()

        let json = try history(link, ["--json", "--since", "1h", VirtualLink.near])
        #expect(json.status == 0 && json.objects.count == 2, "\(json)")
        let (outage, bounce) = (json.objects.first ?? [:], json.objects.last ?? [:])
        #expect(outage["kind"] as? String == "outage" && outage["layer"] as? String == "gateway", "\(json)")
        #expect(outage["ended_by"] as? String == "bounced" && outage["exact"] as? Bool == true, "\(json)")
        #expect((outage["evidence"] as? [Any])?.isEmpty == false, "\(json)")
        #expect(bounce["kind"] as? String == "bounce" && bounce["use"] as? String == "useful", "\(json)")
        #expect(bounce["by"] as? String == "run", "\(json)")
        #expect((0.001...took).contains(bounce["recovery_ms"] as? Double ?? -1), "\(json)")
        #expect(json.standardError.contains("damaged lines left out: 1"), "\(json)")

        let table = try history(link, ["--quiet"] + [])
        #expect(table.status == 0 && table.words.isEmpty, "\(table)")
        let text = try history(link, [])
        #expect(text.standardOutput.hasPrefix("near0: 1 outage, "), "\(text)")
        #expect(text.standardOutput.contains("useful: back after "), "\(text)")
        #expect(
            try history(link, ["--since", "9999-01-01"]).standardOutput.hasPrefix(
                "near0: no outage; no bounce"))
        try page(of: link)
    }

    /// Writes the page, and checks it with an HTML validator.
    private func page(of link: VirtualLink) throws {
        let page = link.directory.appendingPathComponent("history.html")
        #expect(try history(link, ["--html", page.path]).words.contains("damaged"))
        let checked = try Child(["tidy", "-quiet", "-errors", page.path]).outcome()
        #expect(checked.status == 0 && checked.words.isEmpty, "\(checked)")
        let shown = try history(link, ["--html", "-", "--quiet"])
        #expect(
            shown.standardOutput.contains("<svg ") && shown.standardOutput.hasSuffix("</html>\n"), "\(shown)")
        let elsewhere = try history(link, ["--html", "/proc/nowhere", "--quiet"])
        #expect(elsewhere.status == 73 && elsewhere.words.contains("/proc/nowhere"), "\(elsewhere)")
        try foreignFiles(of: link)
    }

    /// A page must not overwrite another user's file, or a file that has a second name (hard link).
    private func foreignFiles(of link: VirtualLink) throws {
        let names = ["strangers", "twice", "other-name"].map {
            link.directory.appendingPathComponent($0).path
        }
        for name in names.prefix(2) { try Data("kept".utf8).write(to: URL(fileURLWithPath: name)) }
        #expect(chown(names[0], 65534, 65534) == 0 && Glibc.link(names[1], names[2]) == 0)
        for name in names.prefix(2) {
            let refused = try history(link, ["--html", name, "--quiet"])
            #expect(refused.status == 73 && refused.words.contains(name), "\(refused)")
            #expect(try String(contentsOfFile: name, encoding: .utf8) == "kept")
        }
    }

    static let quick = ReconnectTests.quick

    @Test("one-shots are recorded, repeated healthy runs once, dry runs and probes never")
    func oneShots() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        for words in [["probe"], ["toggle", "--dry-run"], ["reconnect", "--dry-run"]] {
            #expect(try link.run(words[0], Array(words.dropFirst())).status < 2)
        }
        #expect(!FileManager.default.fileExists(atPath: file(link).path))
        for _ in 1...3 { #expect(try link.run("reconnect", Self.quick).status == 0) }
        #expect(try lines(link).count == 1)
        #expect(try link.run("toggle", ["--delay", "0"]).status == 0)
        #expect(try lines(link).count == 2)
        try link.muteFarEnd()
        let sick = ["--fall", "1", "--bounce-on", "association", "--timeout", "2s"]
        for _ in 1...2 { #expect(try link.run("reconnect", sick).status == 1) }
        #expect(try lines(link).count == 3)
        let told = try history(link, ["--json"]).objects
        #expect(told.map { $0["kind"] as? String } == ["bounce", "outage"], "\(told)")
        #expect(told.first?["by"] as? String == "toggle" && told.last?["end"] is NSNull, "\(told)")
        let mode = try FileManager.default.attributesOfItem(atPath: file(link).path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test(
        "an unreadable history ends with 77, an untrusted one with 66, a missing one with 69 or 0"
    )
    func refused() throws {
        let link = try VirtualLink()
        let none = try history(link, [])
        #expect(none.status == 0 && none.words.contains("no history is kept here yet"), "\(none)")
        #expect(try history(link, ["--json"]).words.isEmpty)
        #expect(try link.run("toggle", ["--delay", "0", "--probe", "none"]).status == 0)
        let other = try history(link, ["wlan7"])
        #expect(other.status == 69 && other.words.contains("only of near0"), "\(other)")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: link.directory.path)
        let drop = ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
        let nobody = try history(link, [], prefix: ["setpriv"] + drop)
        #expect(nobody.status == 77 && nobody.words.contains("run as root"), "\(nobody)")
        let real = state(link).appendingPathComponent("real")
        try FileManager.default.moveItem(at: file(link), to: real)
        try FileManager.default.createSymbolicLink(at: file(link), withDestinationURL: real)
        let linked = try history(link, [])
        #expect(linked.status == 66 && linked.words.contains("near0.history"), "\(linked)")
        let before = try Data(contentsOf: real)
        let toggled = try link.run("toggle", ["--delay", "0", "--probe", "none"])
        #expect(toggled.status == 0 && toggled.words.contains("near0.history"), "\(toggled)")
        #expect(try Data(contentsOf: real) == before)
    }
}
