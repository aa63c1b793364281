import Testing

@testable import Model
@testable import Toggling

/// Checks of name servers, the Internet and portals: which layer is at fault, and how many probes must agree.
@Suite("Layers beyond the gateway") struct UpstreamResultTests {
    private static let now = Instant.seconds(1000)
    private static let page = HTTPQuestion(url: "http://example.net/")
    private static let otherPage = HTTPQuestion(url: "https://example.org/", expectation: .body("ok"))
    private static let server = IPAddress.v4(0x0808_0808)

    private static let dns = ProbeSpec(.dns(name: "example.net", server: nil))
    /// A probe of a name server on this machine.
    private static let local = ProbeSpec(.dns(name: "example.net", server: .v4(0x7F00_0035)))
    private static let tcp = ProbeSpec(.tcp(.address(server), port: 443))
    private static let icmp = ProbeSpec(.icmp(.address(server)))
    private static let http = ProbeSpec(.http(page))
    private static let otherHTTP = ProbeSpec(.http(otherPage))
    private static let command = ProbeSpec(.command(path: "/usr/local/bin/check"))

    private static let good = Sample.answered
    private static let silent = Sample.silent
    private static let unknown = Sample.blocked
    private static func wrong(_ layer: Layer) -> ProbeResult {
        .refuted(layer: layer, roundTrip: .milliseconds(5), detail: "no")
    }

    private static func required(_ spec: ProbeSpec) -> ProbeSpec { ProbeSpec(spec.method, isRequired: true) }

    /// The verdict of a check with these results of probes, and the questions that it asked.
    private static func ask(
        _ probes: [(ProbeSpec, ProbeResult)], quorum: Int = 1, gateway: ProbeResult = good
    ) -> (verdict: Verdict?, asked: [ProbeRequest.Question]) {
        let settings = Sample.settings {
            $0.probes = probes.map(\.0)
            $0.quorum = quorum
        }
        var check = HealthCheck(number: 1, begun: now, scope: .full, settings: settings)
        var step = check.kernelStateRead(Sample.kernelState(), at: now)
        var asked: [ProbeRequest.Question] = []
        for _ in 0..<5 {
            if step == .kernelState(.none) { step = check.kernelStateRead(Sample.kernelState(), at: now) }
            if case .conclude(let verdict) = step { return (verdict, asked) }
            guard case .ask(let requests) = step else { break }
            asked += requests.map(\.question)
            for request in requests where step != .wait || check.rounds.outstanding.contains(request.id) {
                let result = probes.first { request.question.isAsked(by: $0.0) }?.1
                step = check.probeFinished(request.id, result ?? gateway)
                if case .conclude(let verdict) = step { return (verdict, asked) }
            }
        }
        return (nil, asked)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var probes: [(ProbeSpec, ProbeResult)]
        var quorum = 1
        var conclusion: Verdict.Conclusion
        var layer: Layer?
        var reason: Reason?
        var line: UInt

        init(
            _ name: String, _ probes: [(ProbeSpec, ProbeResult)], quorum: Int = 1,
            _ conclusion: Verdict.Conclusion, _ layer: Layer? = nil, _ reason: Reason? = nil,
            line: UInt = #line
        ) {
            testDescription = name
            (self.probes, self.quorum, self.conclusion) = (probes, quorum, conclusion)
            (self.layer, self.reason, self.line) = (layer, reason, line)
        }
    }

    private static let question = ProbeRequest.Question.http(page)
    private static let name = ProbeRequest.Question.dns(name: "example.net", server: nil)
    private static let doubt = Reason.couldNotAsk(
        Failure(kind: .notPermitted, code: 1, description: "not permitted"))

    static let layers = [
        Case("all is well", [(dns, good), (tcp, good)], .healthy),
        Case(
            "a name server that refuses is at fault although the Internet answers",
            [(dns, wrong(.dns)), (tcp, good)], .sick, .dns, .answerWrong(name, detail: "no")),
        Case(
            "a silent name server is at fault although the Internet answers",
            [(dns, silent), (icmp, good)], .sick, .dns, .nameServerSilent([name])),
        Case(
            "of two layers at fault the lower one is named",
            [(dns, wrong(.dns)), (tcp, silent)], .sick, .dns),
        Case("the Internet is silent, names are known", [(dns, good), (tcp, silent)], .sick, .internet),
        Case(
            "a portal is told from a silent Internet", [(http, wrong(.portal))], .sick, .portal,
            .portal(question, detail: "no")),
        Case(
            "that a connection is accepted disproves no portal", [(tcp, good), (http, wrong(.portal))], .sick,
            .portal),
        Case(
            "a portal explains that others are silent", [(tcp, silent), (http, wrong(.portal))], .sick,
            .portal),
        Case("a page that comes disproves a portal", [(otherHTTP, good), (http, wrong(.portal))], .healthy),
        Case(
            "a certificate that has run out is the Internet's fault", [(http, wrong(.internet))], .sick,
            .internet, .answerWrong(question, detail: "no")),
        Case("one of two answers is enough within a layer", [(tcp, good), (icmp, silent)], .healthy),
        Case(
            "a page that is silent while others answer is no fault", [(tcp, good), (http, silent)], .healthy),
        Case(
            "a page whose name nobody knows is the fault of name servers that nobody else asked",
            [(tcp, good), (http, wrong(.dns))], .sick, .dns),
        Case(
            "a name server that answers others is not blamed for it where more is to blame",
            [(dns, good), (tcp, silent), (http, wrong(.dns))], .sick, .internet),
        Case(
            "but where nothing else is left, it is", [(dns, good), (http, wrong(.dns))], .sick, .dns,
            .answerWrong(question, detail: "no")),
        Case(
            "a command that says sick is believed", [(command, wrong(.internet))], .sick, .internet,
            .answerWrong(.command("/usr/local/bin/check"), detail: "no")),
        Case(
            "a command that tells nothing proves nothing", [(command, unknown)], .unknown, .internet,
            .commandUndecided(
                "/usr/local/bin/check", Failure(kind: .notPermitted, code: 1, description: "not permitted"))),
        Case(
            "a name server that could not be asked leaves the verdict open", [(dns, unknown), (tcp, good)],
            .unknown, .dns, doubt),
        Case(
            "what could not be asked hides no fault elsewhere", [(dns, unknown), (tcp, silent)], .sick,
            .internet),
        Case("a required page must come", [(tcp, good), (required(http), silent)], .sick, .internet),
        Case(
            "a required page that could not be asked", [(tcp, good), (required(http), unknown)], .unknown,
            .internet),
    ]

    static let quorums = [
        Case("one of two is not two", [(tcp, good), (icmp, silent)], quorum: 2, .sick, .internet),
        Case("two of three are two", [(tcp, good), (icmp, silent), (http, good)], quorum: 2, .healthy),
        Case("the layers are counted apart", [(dns, good), (tcp, good)], quorum: 2, .healthy),
        Case(
            "fewer probes than the quorum: all of them", [(dns, wrong(.dns)), (tcp, good)], quorum: 3, .sick,
            .dns),
        Case(
            "what could not be asked might have made up the number",
            [(tcp, good), (icmp, silent), (command, unknown)], quorum: 2, .unknown, .internet),
        Case(
            "what could not be asked could not have made up the number",
            [(tcp, silent), (icmp, silent), (command, unknown)], quorum: 2, .sick, .internet),
        Case(
            "one silent, one not asked: unknown, never sick", [(tcp, silent), (icmp, unknown)], .unknown,
            .internet, doubt),
        Case(
            "a required probe beside the number", [(tcp, good), (required(icmp), silent), (http, good)],
            quorum: 2, .sick, .internet),
    ]

    @Test(
        "the results of the probes and the quorum determine the verdict, its layer and its reason",
        arguments: layers + quorums)
    func judged(_ example: Case) {
        let (verdict, _) = Self.ask(example.probes, quorum: example.quorum)
        let place = SourceLocation(
            fileID: #fileID, filePath: #filePath, line: Int(example.line), column: 1)
        #expect(verdict?.conclusion == example.conclusion, sourceLocation: place)
        #expect(verdict?.layer == example.layer, sourceLocation: place)
        if let reason = example.reason { #expect(verdict?.reason == reason, sourceLocation: place) }
        if example.conclusion == .sick, let verdict {
            #expect(!verdict.callsForBounce(on: .bouncedByDefault), sourceLocation: place)
            #expect(verdict.callsForBounce(on: LayerSet(Layer.allCases)), sourceLocation: place)
        }
    }

    @Test(
        "the gateway is probed to locate the fault, unless an answer came over the link",
        arguments: [
            ([(dns, silent)], true), ([(dns, wrong(.dns))], false), ([(dns, silent), (tcp, good)], false),
            ([(http, wrong(.portal))], false), ([(command, wrong(.internet))], true),
            ([(dns, silent), (command, good)], true), ([(tcp, silent), (http, silent)], true),
            ([(local, wrong(.dns))], true), ([(tcp, silent), (local, good)], true),
            ([(tcp, unknown)], true),
        ] as [([(ProbeSpec, ProbeResult)], Bool)])
    func attributed(probes: [(ProbeSpec, ProbeResult)], asks: Bool) {
        let (verdict, asked) = Self.ask(probes, gateway: Self.silent)
        #expect(asked.contains(.neighbour(Sample.gateway)) == asks)
        #expect(verdict?.layer == (asks ? .gateway : probes[0].0.layer == .dns ? .dns : .portal))
    }

    @Test("all targets beyond the gateway are probed in one round, and an HTTP probe is awaited")
    func oneRound() {
        let settings = Sample.settings { $0.probes = [Self.dns, Self.tcp, Self.http, Self.command] }
        var check = HealthCheck(number: 1, begun: Self.now, scope: .full, settings: settings)
        guard case .ask(let requests) = check.kernelStateRead(Sample.kernelState(), at: Self.now) else {
            Issue.record("nothing was asked")
            return
        }
        #expect(
            requests.map(\.question) == [
                .dns(name: "example.net", server: nil), .tcp(.address(Self.server), port: 443),
                .http(Self.page), .command("/usr/local/bin/check"),
            ])
        #expect(check.probeFinished(requests[0].id, Self.good) == .wait)
        #expect(check.probeFinished(requests[1].id, Self.good) == .wait, "a portal may still be found")
        guard case .conclude(let verdict) = check.probeFinished(requests[2].id, Self.good) else {
            Issue.record("the command need not be waited for")
            return
        }
        #expect(verdict.conclusion == .healthy)
        #expect(check.rounds.takeAbandoned() == [requests[3].id])
    }

    @Test("with a quorum of two, both gateway probes must succeed, despite a confirmation by the kernel")
    func gateways() {
        let other = IPAddress.v4(0x0a4d_0009)
        let settings = Sample.settings {
            $0.probes = [ProbeSpec(.auto), ProbeSpec(.neighbour(other))]
            $0.quorum = 2
        }
        let proven = Sample.kernelState(gateways: [
            Gateway(
                address: Sample.gateway, neighbour: Neighbour(state: .reachable, confirmed: .milliseconds(10))
            )
        ])
        for (result, conclusion) in [
            (Self.good, Verdict.Conclusion.healthy), (Self.silent, .sick), (Self.unknown, .unknown),
        ] {
            var check = HealthCheck(number: 1, begun: Self.now, scope: .full, settings: settings)
            guard case .ask(let requests) = check.kernelStateRead(proven, at: Self.now) else {
                Issue.record("nothing was asked")
                return
            }
            #expect(requests.map(\.question) == [.neighbour(Sample.gateway), .neighbour(other)])
            var step = check.probeFinished(requests[1].id, result)
            #expect(step == .wait)
            step = check.probeFinished(requests[0].id, Self.good)
            if case .ask(let echoes) = step {
                step = check.probeFinished(echoes[0].id, Self.good)
            }
            guard case .conclude(let verdict) = step else {
                Issue.record("\(step)")
                return
            }
            #expect(verdict.conclusion == conclusion)
        }
    }
}

extension ProbeRequest.Question {
    /// Whether this is the question of a configured probe.
    fileprivate func isAsked(by spec: ProbeSpec) -> Bool {
        switch (self, spec.method) {
        case (.tcp(let target, let port), .tcp(let other, let otherPort)):
            target == other && port == otherPort
        case (.icmp(let target), .icmp(let other)): target == other
        case (.dns(let name, _), .dns(let other, _)): name == other
        case (.http(let page), .http(let other)): page == other
        case (.command(let path), .command(let other)): path == other
        case (.neighbour, _), (.icmp, _), (.tcp, _), (.dns, _), (.http, _), (.command, _): false
        }
    }
}
