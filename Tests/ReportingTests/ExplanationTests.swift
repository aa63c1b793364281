import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("The explanation of a verdict") struct ExplanationTests {
    private static let gateway = IPAddress("192.0.2.1")!
    private static let target = ProbeTarget.address(IPAddress("203.0.113.9")!)

    /// The kernel state of a healthy station.
    private static let fine: [Evidence] = [
        .radio(.none), .administrative(isUp: true),
        .association(
            Association(
                bssid: MACAddress([2, 0, 0, 0, 0, 1])!, ssid: SSID("lab".utf8),
                station: StationInformation(signal: -48, inactive: .milliseconds(20)))),
        .operational(.up, hasCarrier: true),
        .addresses([
            InterfaceAddress(address: IPAddress("192.0.2.5")!, prefixLength: 24, reachesBeyondLink: true)
        ]),
        .gateways([
            Gateway(address: gateway, neighbour: Neighbour(state: .stale, confirmed: .seconds(40)))
        ]),
    ]

    private static func lines(
        _ verdict: Verdict, _ after: Health.Condition = .healthy, row: Int = 1,
        _ change: (inout Settings) -> Void = { _ in }
    ) -> [String] {
        var settings = Settings()
        change(&settings)
        let change = HealthChange(before: .healthy, after: after, streak: row)
        return Explanation(verdict, change: change, settings: settings).lines
    }

    private static func silent(_ question: ProbeRequest.Question) -> Evidence {
        .probe(question, .unanswered(detail: "no answer in 2s"))
    }

    private static let sick = Verdict(
        .sick, layer: .gateway, reason: .gatewaySilent([gateway]),
        evidence: fine + [
            .traffic(received: 0, sent: 9, over: .seconds(60)), silent(.neighbour(gateway)),
            silent(.icmp(.address(gateway))),
        ])

    @Test("each layer has a mark and its evidence, then come the conclusion and what would change it")
    func gatewaySilent() {
        #expect(
            Self.lines(Self.sick) == [
                "|- radio: ok (not blocked; administrative up)",
                "|- association: ok (\"lab\", 02:00:00:00:00:01, signal -48 dBm, last heard 20ms ago;"
                    + " operational up, carrier)",
                "|- address: ok (192.0.2.5/24)",
                "|- gateway: sick (192.0.2.1 (stale, confirmed 40s ago);"
                    + " traffic 0 packets received and 9 sent in 1m;"
                    + " neighbour 192.0.2.1 failed, no answer in 2s; icmp 192.0.2.1 failed, no answer in 2s)",
                "|- dns, internet, portal: not asked",
                "|- conclusion: sick at layer gateway, 1 in a row; health: healthy",
                "|- a bounce: could help",
                "`- what would change it: a reply from 192.0.2.1 would make it healthy;"
                    + " 2 more such verdicts in a row would call for a bounce",
            ])
    }

    @Test("a host that is still heard is listed with the silent gateway, and prevents the bounce")
    func alive() {
        var verdict = Self.sick
        verdict.evidence.append(
            .liveness(
                Liveness(
                    peer: IPAddress("192.0.2.7")!, manner: .connection, heard: .milliseconds(800))))
        let lines = Self.lines(verdict, .sick, row: 3)
        #expect(lines[3].hasSuffix("; heard 192.0.2.7 (TCP, heard 800ms ago))"), "\(lines[3])")
        #expect(lines[6] == "|- a bounce: no, because the link still receives")
        #expect(
            lines.last
                == "`- what would change it: a reply from 192.0.2.1 would make it healthy;"
                + " a bounce is called for only if the other hosts are silent, too")
        verdict.evidence[verdict.evidence.count - 1] = .liveness(
            Liveness(peer: IPAddress("203.0.113.9")!, manner: .connectionBeyond, heard: .seconds(1)))
        #expect(Self.lines(verdict)[5].hasPrefix("|- internet: not asked (heard 203.0.113.9 (TCP, beyond"))
    }

    @Test("one sentence says why a link that is alive is not bounced")
    func aliveSentence() {
        let sign = Liveness(
            peer: IPAddress("192.0.2.7")!, manner: .neighbour, heard: .milliseconds(800))
        #expect(
            NoBounceReason.alive(sign).description(interface: "wlan0", at: .boot)
                == "not bounced: the link still receives from 192.0.2.7 (neighbour, heard 800ms ago)")
    }

    @Test("the settings decide how many more sick verdicts are needed, and whether a bounce follows")
    func settings() {
        #expect(
            Self.lines(Self.sick, row: 1) { $0.fall = 2 }.last!.hasSuffix(
                "; 1 more such verdict in a row would call for a bounce"))
        #expect(Self.lines(Self.sick, .sick, row: 4).last!.hasSuffix("; until then a bounce is called for"))
        let unwanted = Self.lines(Self.sick) { $0.bouncedLayers = [.association] }
        #expect(unwanted[6] == "|- a bounce: could not help, or is not wanted for this layer")
        #expect(unwanted.last == "`- what would change it: a reply from 192.0.2.1 would make it healthy")
        #expect(
            Self.lines(Self.sick) { $0.isForced = true }[6]
                == "|- a bounce: yes, whatever the verdict (force)")
    }

    @Test(
        "the explanation says how many more equal verdicts change the condition"
    )
    func healthy() {
        let verdict = Verdict(
            .healthy, reason: .probeAnswered(.neighbour(Self.gateway)),
            evidence: Self.fine + [
                .probe(.neighbour(Self.gateway), .answered(roundTrip: .milliseconds(3), detail: "reachable"))
            ])
        let lines = Self.lines(verdict, row: 5)
        #expect(
            lines[3].hasPrefix("|- gateway: ok (")
                && lines[3].contains("neighbour 192.0.2.1 ok in 3ms, reachable"))
        #expect(lines[6] == "|- a bounce: not called for")
        #expect(lines.last == "`- what would change it: 3 sick verdicts in a row")
        #expect(
            Self.lines(verdict, .sick, row: 1).last
                == "`- what would change it: 1 more healthy verdict and the outage is over")
    }

    @Test(
        "a gateway that the kernel has confirmed is shown as ok, one that was not probed as not asked"
    )
    func gatewayUnasked() {
        let proved = Verdict(
            .healthy, reason: .gatewayConfirmed(Self.gateway, ago: .milliseconds(300)), evidence: Self.fine)
        #expect(Self.lines(proved)[3].hasPrefix("|- gateway: ok ("))
        let unasked = Verdict(.healthy, reason: .nothingWrongInKernel, evidence: Self.fine)
        #expect(Self.lines(unasked)[3].hasPrefix("|- gateway: not asked ("))
    }

    @Test("the explanation does not blame a fault beyond the gateway on the link")
    func internet() {
        let question = ProbeRequest.Question.icmp(Self.target)
        let verdict = Verdict(
            .sick, layer: .internet, reason: .targetSilent([question]),
            evidence: Self.fine + [
                .probe(.neighbour(Self.gateway), .answered(roundTrip: .milliseconds(3), detail: "reachable")),
                Self.silent(question),
            ])
        let lines = Self.lines(verdict)
        #expect(lines[3].hasPrefix("|- gateway: ok ("))
        #expect(lines[5] == "|- internet: sick (icmp 203.0.113.9 failed, no answer in 2s)")
        #expect(lines[8].hasPrefix("|- a bounce: could not help"))
        #expect(
            lines.last == "`- what would change it: an answer to icmp 203.0.113.9 would make it healthy")
    }

    @Test("a probe that could not be sent is unknown, and no reason for a bounce")
    func unknown() {
        let failure = Failure(kind: .notPermitted, code: 1, description: "Operation not permitted")
        let verdict = Verdict(
            .unknown, layer: .gateway, reason: .couldNotAsk(failure),
            evidence: Self.fine + [.probe(.neighbour(Self.gateway), .unknown(failure))])
        let lines = Self.lines(verdict)
        #expect(lines[3].hasPrefix("|- gateway: unknown (") && lines[3].contains("Operation not permitted"))
        #expect(lines[6] == "|- a bounce: no, nothing is known to be sick")
        #expect(lines.last == "`- what would change it: a probe that can be sent")
    }

    @Test("each line of the explanation is printable ASCII, whatever the reason of the verdict")
    func plain() {
        for reason: Reason in [
            .radioBlocked(.hard), .administrativelyDown, .notAssociated, .closedByKernel, .interfaceLost,
            .notAuthorised(.dormant), .noCarrier, .noAddress, .addressNotReady,
            .gatewayRouteLost([Self.gateway]),
            .gatewayEchoSilent([Self.gateway], over: .seconds(300)), .noGateway, .noAnswerFromSystem,
            .notVerified,
        ] {
            let lines = Self.lines(Verdict(.sick, layer: .association, reason: reason, evidence: Self.fine))
            #expect(lines.count == 4 + 1 + 3, "four layers with evidence, and the others")
            #expect(lines.allSatisfy { $0.utf8.allSatisfy { (0x20..<0x7f).contains($0) } }, "\(lines)")
        }
    }

    @Test("the log line of a bounce has the evidence that caused it")
    func bounceLine() {
        var formatter = LogFormatter(verbosity: .normal)
        let now = Instant(nanoseconds: 0)
        let lines = formatter.lines(for: .step(.beginning(.bounce, Self.sick)), interface: "wlan0", at: now)
        #expect(
            lines.map(\.text) == [
                "wlan0: bouncing the link: the gateway 192.0.2.1 does not answer"
                    + " (traffic 0 packets received and 9 sent in 1m; neighbour 192.0.2.1 failed, no answer in 2s;"
                    + " icmp 192.0.2.1 failed, no answer in 2s)"
            ])
        let asked = formatter.lines(for: .step(.beginning(.bounce, nil)), interface: "wlan0", at: now)
        #expect(asked.map(\.text) == ["wlan0: bouncing the link: requested by toggle or --force"])
    }

    @Test("--verbose shows the explanation below the verdict, with the settings in force")
    func formatted() throws {
        var formatter = LogFormatter(verbosity: .verbose)
        var settings = Settings()
        settings.fall = 9
        let now = Instant(nanoseconds: 0)
        _ = formatter.lines(for: .watching(settings, first: now), interface: "wlan0", at: now)
        let cycle = CycleReport(
            verdict: Self.sick, action: .none,
            change: HealthChange(before: .healthy, after: .healthy, streak: 1),
            next: NextCheck(at: now + .seconds(5), why: .recheck))
        let lines = formatter.lines(for: .cycle(cycle), interface: "wlan0", at: now)
        #expect(lines.count == 9)
        #expect(lines[1].text == "wlan0:   |- radio: ok (not blocked; administrative up)")
        #expect(
            try #require(lines.last).text.hasSuffix(
                "; 8 more such verdicts in a row would call for a bounce"))
    }
}
