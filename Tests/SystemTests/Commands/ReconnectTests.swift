import Testing

@Suite("reconnect", .needsRoot)
struct ReconnectTests {
    /// Short time-outs, so that three verdicts do not take half a minute.
    static let quick = ["--recheck", "100ms", "--timeout", "2s", "--delay", "200ms", "--settle", "10s"]

    @Test("on a healthy link the status is 0, --quiet prints nothing, and nothing is changed")
    func healthy() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let outcome = try link.run("reconnect", ["--quiet"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.words.isEmpty, "\(outcome)")
        #expect(try trace.isUntouched())
    }

    @Test("known targets of earlier runs are kept, even if this run does not probe them")
    func keepsWhatWasLearned() throws {
        let link = try VirtualLink()
        let target = "icmp \(VirtualLink.farAddress)"
        #expect(try link.run("reconnect", ["--probe", "icmp:\(VirtualLink.farAddress)"]).status == 0)
        let file = link.directory.appendingPathComponent("state/\(VirtualLink.near).learned")
        #expect(try String(contentsOf: file, encoding: .utf8).contains(target))
        #expect(try link.run("reconnect").status == 0)
        #expect(try link.run("toggle", ["--delay", "100ms"]).status == 0)
        #expect(try String(contentsOf: file, encoding: .utf8).contains(target))
    }

    @Test("on a healthy link --verbose says why nothing is done")
    func healthyVerbose() throws {
        let link = try VirtualLink()
        let outcome = try link.run("reconnect", ["--verbose"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.words.contains("healthy"), "\(outcome)")
        #expect(outcome.words.contains(VirtualLink.farAddress), "\(outcome)")
    }

    @Test("on a silent far end one bounce makes the link healthy, and the last JSON object says so")
    func sick() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        try link.muteFarEnd()
        let trace = try LinkTrace(link)
        let outcome = try link.run("reconnect", ["--json", "--fall", "3"] + Self.quick)
        #expect(outcome.status == 0, "\(outcome)")
        let last = try #require(outcome.objects.last)
        #expect(last["action"] as? String == "bounced", "\(outcome)")
        #expect(last["verdict"] as? String == "healthy", "\(outcome)")
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }

    @Test("--quiet prints an error if the bounce does not help, and the status is 1")
    func incurable() throws {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.muteFarEnd()
        let outcome = try link.run(
            "reconnect", ["--quiet", "--fall", "1"] + Self.quick + ["--settle", "1s"])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.standardError.contains(VirtualLink.farAddress), "\(outcome)")
        #expect(try link.isUp)
    }

    @Test("if the far end answers again before the third verdict, the link is not bounced")
    func recovering() throws {
        let link = try VirtualLink()
        try link.muteFarEnd()
        let trace = try LinkTrace(link)
        let program = try link.start("reconnect", ["--fall", "3", "--recheck", "8s", "--timeout", "1s"])
        try eventually("the first verdict", detail: program.transcript) {
            program.standardError.contains("sick")
        }
        try link.cureFarEnd()
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try trace.isUntouched())
    }

    @Test("a fault beyond the gateway causes no bounce, the status is 1, and the layer is internet")
    func beyond() throws {
        let link = try VirtualLink()
        let probe = ["--probe", "tcp:\(VirtualLink.absentAddress):9"]
        try link.makeKnownTarget(answering: probe)
        let trace = try LinkTrace(link)
        let outcome = try link.run("reconnect", ["--json"] + Self.quick + probe)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.objects.last?["layer"] as? String == "internet", "\(outcome)")
        #expect(outcome.objects.last?["action"] as? String == "skipped", "\(outcome)")
        #expect(try trace.isUntouched())
    }

    @Test("with --bounce-on internet a fault beyond the gateway causes a bounce, and the status stays 1")
    func bounceOn() throws {
        let link = try VirtualLink()
        let probe = ["--probe", "tcp:\(VirtualLink.absentAddress):9", "--bounce-on", "gateway,internet"]
        try link.makeKnownTarget(answering: probe)
        let trace = try LinkTrace(link)
        let outcome = try link.run("reconnect", ["--json"] + Self.quick + probe)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.objects.last?["layer"] as? String == "internet", "\(outcome)")
        #expect(outcome.objects.last?["action"] as? String == "bounced", "\(outcome)")
        #expect(!trace.changes.isEmpty)
    }

    @Test("a gateway that cannot be determined is no reason for a bounce, and the status is 2")
    func unknown() throws {
        let link = try VirtualLink(gateway: .none)
        let trace = try LinkTrace(link)
        let outcome = try link.run("reconnect", Self.quick)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(try trace.isUntouched())
    }

    @Test("--dry-run decides, but changes nothing")
    func dryRun() throws {
        let link = try VirtualLink()
        try link.muteFarEnd()
        let trace = try LinkTrace(link)
        let outcome = try link.run("reconnect", ["--json", "--dry-run"] + Self.quick)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.objects.last?["action"] as? String == "skipped", "\(outcome)")
        #expect(try trace.isUntouched())
    }
}
