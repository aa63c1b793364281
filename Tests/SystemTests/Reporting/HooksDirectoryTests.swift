import Foundation
import Glibc
import Testing

@Suite("The hooks directory", .needsRoot)
struct HooksDirectoryTests {
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
        try link.install("cat >> ${0%/*}/../events", at: "hooks.d/10-events")
        try link.install(
            #"echo "$WIFI_TOGGLER_EVENT $WIFI_TOGGLER_INTERFACE $WIFI_TOGGLER_VERDICT $WIFI_TOGGLER_LAYER" >> ${0%/*}/../words; exit 7"#,
            at: "hooks.d/20-words")
        try link.install("touch ${0%/*}/../foreign", at: "hooks.d/30-foreign", mode: 0o777)
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
