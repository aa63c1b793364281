import Foundation
import Glibc
import Testing

@Suite("The hooks directory", .needsRoot)
struct HooksDirectoryTests {
    private func write(_ name: String, _ script: String, mode: mode_t, _ link: VirtualLink) throws {
        let directory = link.directory.appendingPathComponent("hooks.d")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let source = link.directory.appendingPathComponent("script")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: source)
        // Not written by this process: a child of another test would have it open for a moment (ETXTBSY).
        try shell("install -m \(String(mode, radix: 8)) \(source.path) \(directory.path)/\(name)")
    }

    private func objects(_ link: VirtualLink) -> [[String: Any]] {
        let file = link.directory.appendingPathComponent("events")
        return RunOutcome.objects(in: (try? String(contentsOf: file, encoding: .utf8)) ?? "")
    }

    @Test(
        "hooks get a bounce's events as JSON and variables; a failing or untrusted hook is reported"
    )
    func bounce() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        try link.muteFarEnd()
        try write("10-events", "cat >> ${0%/*}/../events", mode: 0o755, link)
        try write(
            "20-words",
            #"echo "$WIFI_TOGGLER_EVENT $WIFI_TOGGLER_INTERFACE $WIFI_TOGGLER_VERDICT $WIFI_TOGGLER_LAYER" >> ${0%/*}/../words; exit 7"#,
            mode: 0o755, link)
        try write("30-foreign", "touch ${0%/*}/../foreign", mode: 0o777, link)
        let hooks = link.directory.path + "/hooks.d"
        let options = ReconnectTests.quick + ["--fall", "1", "--interval", "1h", "--grace", "0"]
        let service = try link.start("run", options + ["--hooks-dir", hooks])
        try eventually("the end of the bounce is told", detail: service.transcript) {
            objects(link).contains { $0["event"] as? String == "bounce-finished" }
        }
        let events = objects(link)
        #expect(events.first?["event"] as? String == "started", "\(events)")
        let end = try #require(events.last)
        #expect(end["action"] as? String == "bounced" && end["verdict"] as? String == "healthy", "\(end)")
        #expect(end["interface"] as? String == VirtualLink.near && end["dropped"] is Int, "\(end)")
        try eventually("the second hook is told", detail: service.transcript) {
            let words = try? String(contentsOfFile: link.directory.path + "/words", encoding: .utf8)
            return words?.contains("bounce-finished \(VirtualLink.near) healthy \n") == true
        }
        for words in ["20-words: ended with status 7", "30-foreign: not run: "] {
            try eventually("it says '\(words)'", detail: service.transcript) {
                service.standardError.ranges(of: "the hook \(hooks)/\(words)").count == 1
            }
        }
        #expect(!FileManager.default.fileExists(atPath: link.directory.path + "/foreign"))
        service.send(SIGTERM)
        let outcome = try service.outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }
}
