import Foundation
import Glibc
import Testing

@Suite("status", .needsRoot)
struct StatusTests {
    private static let keys: Set<String> = [
        "time", "interface", "state", "condition", "since", "since_ms", "checked", "checked_ms", "verdict",
        "layer", "reason", "evidence", "reasoning", "signal_dbm", "degraded", "owner", "power_save",
        "under_way", "held",
        "next",
        "next_ms", "actions", "last_action",
    ]

    private func status(_ link: VirtualLink, _ words: String...) throws -> RunOutcome {
        let files = ["--config", link.configuration.path, "--run-dir", link.runDirectory.path]
        return try Program.run(["status"] + files + words)
    }

    @Test("a healthy link's status with its explanation fits on one screen, and the JSON has all keys")
    func healthy() throws {
        let link = try VirtualLink()
        let service = try link.start("run", ["--interval", "1h"])
        try eventually("it is healthy", detail: service.transcript) {
            try status(link, "--quiet").status == 0
        }
        let text = try status(link)
        #expect(text.standardOutput.hasPrefix("\(VirtualLink.near): healthy for "), "\(text)")
        for words in [
            "last check ", "  associated by nobody, addresses and routes by ", "    |- gateway: ok (",
            "`- what would change it: ", "next check in 59m ",
        ] {
            #expect(text.standardOutput.contains(words), "\(words): \(text)")
        }
        #expect(text.standardOutput.contains("nothing done since the service began"), "\(text)")
        #expect(text.standardOutput.split(separator: "\n").count < 24, "one screen: \(text)")
        let json = try status(link, "--json", "near*")
        #expect(json.status == 0 && json.objects.count == 1, "\(json)")
        #expect(json.objects.first.map { Set($0.keys) } == Self.keys, "\(json)")
        let other = try status(link, "wlan*")
        #expect(other.status == 69 && other.standardError.contains("watches \(VirtualLink.near)"), "\(other)")
        try service.endService()
    }

    @Test("for a sick link on hold the status is 1, and the output says what prevents the bounce")
    func held() throws {
        let link = try VirtualLink()
        try link.muteFarEnd()
        let hold = ["hold", "--any-interface", "1h", "--config", link.configuration.path]
        let held = try Program.run(hold + ["--run-dir", link.runDirectory.path])
        #expect(held.status == 0, "\(held)")
        let options = ReconnectTests.quick + ["--fall", "1", "--interval", "1h", "--grace", "0"]
        let service = try link.start("run", options)
        try eventually("it is sick", detail: service.transcript) { try status(link, "-q").status == 1 }
        let text = try status(link)
        #expect(
            text.standardOutput.contains("no bounce now: held by 'wifi-toggler hold' for another "), "\(text)"
        )
        #expect(text.standardOutput.contains("sick at layer gateway"), "\(text)")
        try service.endService()
    }

    @Test("after a bounce the output says why, how long the link was down, and with what result")
    func bounced() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        try link.muteFarEnd()
        let options = ReconnectTests.quick + ["--fall", "1", "--interval", "1h", "--grace", "0"]
        let began = ContinuousClock.now
        let service = try link.start("run", options)
        try eventually("it has bounced and is healthy", detail: service.transcript) {
            try status(link, "-q").status == 0
        }
        let took = (ContinuousClock.now - began) / .milliseconds(1)
        let json = try status(link, "--json")
        let action = try #require(json.objects.first?["last_action"] as? [String: Any], "\(json)")
        #expect(action["action"] as? String == "bounced" && action["verdict"] as? String == "healthy")
        #expect((action["cause"] as? String)?.hasPrefix("sick at layer gateway: ") == true, "\(json)")
        #expect((action["down_ms"] as? Double ?? 0) > 0, "\(json)")
        #expect((0.001...took).contains(action["recovery_ms"] as? Double ?? -1), "\(json)")
        #expect(json.objects.first?["actions"] as? Int == 1)
        let text = try status(link)
        #expect(text.standardOutput.contains("1 since the service began: bounced (sick at layer"), "\(text)")
        try service.endService()
    }

    @Test("a restarted service reports the last action and its cause, or none if the history is damaged")
    func restarted() throws {
        let link = try VirtualLink(gateway: .none)
        let options = ["--interval", "1h", "--probe", "none", "--settle", "0"]
        func serve() throws -> Child {
            let service = try link.start("run", options)
            try eventually("it has checked", detail: service.transcript) {
                try status(link, "-q").status == 0
            }
            return service
        }
        func action() throws -> [String: Any]? {
            try status(link, "--json").objects.first?["last_action"] as? [String: Any]
        }
        var service = try serve()
        #expect(try action() == nil)
        #expect(try link.run("toggle", ["--delay", "0"]).status == 0)
        let before = try #require(try action())
        try service.endService()
        service = try serve()
        try eventually("it is read", detail: service.transcript) { try action() != nil }
        let after = try #require(try action())
        for key in before.keys where key != "time" && key != "ago_ms" {
            #expect("\(after[key] ?? "")" == "\(before[key] ?? "")", "\(key)")
        }
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let instants = try [before, after].map { try format.parse($0["time"] as? String ?? "") }
        #expect(abs(instants[0].timeIntervalSince(instants[1])) < 0.1, "\(instants)")
        let text = try status(link).standardOutput
        #expect(
            text.contains(
                " ago, before the service began: bounced (requested by toggle or --force); down for "),
            "\(text)")
        try service.endService()
        let file = link.directory.appendingPathComponent("state/\(VirtualLink.near).history")
        let torn = try Data(contentsOf: file).map { $0 == UInt8(ascii: "{") ? UInt8(ascii: "[") : $0 }
        try Data(torn).write(to: file)
        service = try serve()
        // A requested check gives the service the time to read the file.
        #expect(try link.run("reconnect").status == 0)
        #expect(try action() == nil)
        #expect(!service.standardError.contains("history"), "\(service.transcript)")
        try service.endService()
    }

    @Test("for a missing interface the verdict is unknown and the status 2")
    func unknown() throws {
        let link = try VirtualLink(gateway: .none)
        try link.removeCable()
        let service = try link.start("run", ["--interval", "1h"])
        try eventually("the service answers", detail: service.transcript) {
            try status(link, "-q").status != 69
        }
        let text = try status(link)
        #expect(text.status == 2 && text.standardOutput.contains("interface to appear"), "\(text)")
        try service.endService()
    }

    @Test("without a service there is one line with the remedy, and the status is 69")
    func noService() throws {
        let link = try VirtualLink(gateway: .none)
        let outcome = try status(link)
        #expect(outcome.status == 69 && outcome.standardOutput.isEmpty, "\(outcome)")
        let path = link.controlSocket
        #expect(
            outcome.standardError.contains(
                "no service answers at \(path): start it with 'sudo systemctl start"),
            "\(outcome)")
        #expect(outcome.standardError.split(separator: "\n").count == 1, "\(outcome)")
    }

    @Test("another program on the socket can neither steer the terminal nor block the command")
    func hostile() throws {
        let link = try VirtualLink(gateway: .none)
        try link.makeRunDirectory()
        let evil =
            #"{"parameters":{"interfaces":[{"interface":"a\u001b[2J\u009b1m\u202e","condition":"sick"}]}}"#
        for (answer, expected) in [(evil, Int32(1)), ("nonsense", 71), ("", 69)] {
            let server = try link.answerOnce(answer)
            let outcome = try status(link)
            #expect(outcome.status == expected, "\(outcome)")
            let isPlain = outcome.words.unicodeScalars.allSatisfy {
                $0 == "\n" || (" "..<"\u{7f}").contains($0)
            }
            #expect(isPlain, "\(outcome)")
            withExtendedLifetime(server) {}
        }
    }
}
