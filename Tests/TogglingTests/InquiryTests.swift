import Testing

@testable import Toggling

/// One inquiry, asked and answered by hand.
@Suite("Inquiries") struct InquiryTests {
    private static let now = Instant.seconds(1000)

    private static func inquiry(
        _ probes: [ProbeSpec] = [ProbeSpec(.auto)], glance: Glance? = nil, limit: Duration = .seconds(1)
    ) -> Inquiry {
        Inquiry(
            number: 1, at: now, scope: .full, settings: Sample.settings { $0.probes = probes },
            lastGlance: glance, proofLimit: limit)
    }

    private static func answer(
        _ inquiry: inout Inquiry, _ step: Inquiry.Step, with result: (ProbeRequest.Question) -> ProbeResult
    ) -> Inquiry.Step {
        guard case .ask(let requests) = step else { return step }
        var last = step
        for request in requests { last = inquiry.probeFinished(request.id, result(request.question)) }
        return last
    }

    private static func questions(_ step: Inquiry.Step) -> [ProbeRequest.Question] {
        guard case .ask(let requests) = step else { return [] }
        return requests.map(\.question)
    }

    private static func verdict(_ step: Inquiry.Step) -> Verdict? {
        guard case .conclude(let verdict) = step else { return nil }
        return verdict
    }

    @Test(
        "the kernel alone names the lowest layer at fault",
        arguments: [
            (Sample.survey(radio: .soft), Layer.radio),
            (Sample.survey(radio: .hard), .radio),
            (Sample.survey(link: Sample.link(isUp: false)), .radio),
            (Sample.survey(link: Sample.link(state: .down), association: nil), .association),
            (Sample.survey(link: Sample.link(state: .dormant)), .association),
            (Sample.survey(link: Sample.link(state: .down, carrier: false), isWireless: false), .association),
            (Sample.survey(addresses: []), .address),
            (
                Sample.survey(addresses: [
                    InterfaceAddress(
                        address: Sample.otherGateway, prefixLength: 64, reachesBeyondLink: false)
                ]), .address
            ),
            (
                Sample.survey(addresses: [
                    InterfaceAddress(
                        address: .v4(1), prefixLength: 8, reachesBeyondLink: true, isTentative: true)
                ]), .address
            ),
        ])
    func kernelFaults(survey: Survey, layer: Layer) {
        var inquiry = Self.inquiry()
        let verdict = Self.verdict(inquiry.surveyed(survey, at: Self.now))
        #expect(verdict?.conclusion == .sick)
        #expect(verdict?.layer == layer)
    }

    private static func proven(_ ago: Duration) -> Survey {
        Sample.survey(gateways: [
            Gateway(address: Sample.gateway, neighbour: Neighbour(state: .reachable, confirmed: ago))
        ])
    }

    @Test("a fresh proof of the gateway needs no packet, an old one does")
    func freshness() {
        var fresh = Self.inquiry()
        #expect(
            Self.verdict(fresh.surveyed(Self.proven(.milliseconds(900)), at: Self.now))?.conclusion
                == .healthy)
        var old = Self.inquiry()
        let step = old.surveyed(Self.proven(.milliseconds(1100)), at: Self.now)
        #expect(Self.questions(step) == [.neighbour(Sample.gateway)])
    }

    @Test("while suspect, a proof older than the suspicion counts for nothing")
    func suspicion() {
        var inquiry = Self.inquiry(limit: .milliseconds(200))
        let step = inquiry.surveyed(Self.proven(.milliseconds(900)), at: Self.now)
        #expect(Self.questions(step) == [.neighbour(Sample.gateway)])
    }

    @Test("a fresh proof counts for nothing where packets went out since the last look and none came in")
    func mute() {
        let counters = LinkCounters(receivedPackets: 5, sentPackets: 5, receivedBytes: 0, sentBytes: 0)
        let glance = Glance(index: Sample.index, counters: counters, at: Self.now)
        var survey = Self.proven(.milliseconds(100))
        survey.link.counters = LinkCounters(
            receivedPackets: 5, sentPackets: 9, receivedBytes: 0, sentBytes: 0)
        var inquiry = Self.inquiry(glance: glance)
        #expect(Self.questions(inquiry.surveyed(survey, at: Self.now)) == [.neighbour(Sample.gateway)])
    }

    @Test("auto asks the neighbour, then sends an echo, then asks the kernel, then calls the gateway silent")
    func automatic() {
        var inquiry = Self.inquiry()
        var step = inquiry.surveyed(Sample.survey(), at: Self.now)
        #expect(Self.questions(step) == [.neighbour(Sample.gateway)])
        step = Self.answer(&inquiry, step) { _ in Sample.silent }
        #expect(Self.questions(step) == [.icmp(.address(Sample.gateway))])
        step = Self.answer(&inquiry, step) { _ in Sample.silent }
        #expect(step == .survey)
        step = inquiry.surveyed(Sample.survey(), at: Self.now + .seconds(4))
        #expect(Self.verdict(step)?.reason == .gatewaySilent([Sample.gateway]))
    }

    @Test("a gateway whose answer to the neighbour probe came after the time-out is slow, not dead")
    func slow() {
        for (ago, conclusion) in [
            (Duration.seconds(2), Verdict.Conclusion.healthy), (.seconds(5), .sick),
        ] {
            var inquiry = Self.inquiry()
            var step = inquiry.surveyed(Sample.survey(), at: Self.now)
            step = Self.answer(&inquiry, step) { _ in Sample.silent }
            step = Self.answer(&inquiry, step) { _ in Sample.silent }
            #expect(step == .survey)
            step = inquiry.surveyed(Self.proven(ago), at: Self.now + .seconds(4))
            #expect(Self.verdict(step)?.conclusion == conclusion)
        }
    }

    @Test("a required probe of the gateway that is silent is not outweighed by the kernel's proof")
    func requiredAgainstProof() {
        let other = IPAddress.v4(0x0a4d_0009)
        var inquiry = Self.inquiry([ProbeSpec(.auto), ProbeSpec(.neighbour(other), isRequired: true)])
        var step = inquiry.surveyed(Sample.survey(), at: Self.now)
        step = Self.answer(&inquiry, step) { _ in Sample.silent }
        step = Self.answer(&inquiry, step) { _ in Sample.silent }
        #expect(Self.verdict(step)?.reason == .gatewaySilent([Sample.gateway]))
    }

    @Test("one gateway that answers is enough, and the other question is taken back")
    func oneOfTwo() {
        var inquiry = Self.inquiry()
        let survey = Sample.survey(gateways: [
            Gateway(address: Sample.gateway), Gateway(address: .v4(0x0a4d_0003)),
        ])
        guard case .ask(let requests) = inquiry.surveyed(survey, at: Self.now) else {
            Issue.record("nothing was asked")
            return
        }
        let step = inquiry.probeFinished(requests[1].id, Sample.answered)
        #expect(Self.verdict(step)?.conclusion == .healthy)
        #expect(inquiry.takeAbandoned() == [requests[0].id])
    }

    @Test(
        "a gateway that nothing can be sent to yet, for duplicate address detection, is unknown, not silent")
    func duplicateAddressDetection() {
        let v4 = InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)
        let linkLocal = IPAddress("fe80::2")!
        for (isTentative, isAsked) in [(true, false), (false, true)] {
            let v6 = InterfaceAddress(
                address: linkLocal, prefixLength: 64, reachesBeyondLink: false, isTentative: isTentative)
            var inquiry = Self.inquiry()
            let survey = Sample.survey(
                addresses: [v4, v6], gateways: [Gateway(address: Sample.otherGateway)])
            let step = inquiry.surveyed(survey, at: Self.now)
            #expect(Self.questions(step) == (isAsked ? [.neighbour(Sample.otherGateway)] : []))
            if !isAsked { #expect(Self.verdict(step)?.conclusion == .unknown) }
        }
    }

    @Test("where nothing may be sent, nothing is known")
    func notPermitted() {
        var inquiry = Self.inquiry()
        var step = inquiry.surveyed(Sample.survey(), at: Self.now)
        step = Self.answer(&inquiry, step) { _ in Sample.blocked }
        step = Self.answer(&inquiry, step) { _ in Sample.blocked }
        #expect(Self.verdict(step)?.conclusion == .unknown)
    }

    @Test(
        "a gateway that filters echoes is told from a dead one by the kernel's table, where it may not be asked"
    )
    func filtering() {
        for (state, conclusion) in [
            (Neighbour.State.reachable, Verdict.Conclusion.healthy), (.failed, .sick),
        ] {
            var inquiry = Self.inquiry()
            var step = inquiry.surveyed(Sample.survey(), at: Self.now)
            step = Self.answer(&inquiry, step) { _ in Sample.blocked }
            step = Self.answer(&inquiry, step) { _ in Sample.silent }
            #expect(step == .survey)
            let after = Sample.survey(gateways: [
                Gateway(address: Sample.gateway, neighbour: Neighbour(state: state, confirmed: .seconds(1)))
            ])
            step = inquiry.surveyed(after, at: Self.now + .seconds(2))
            #expect(Self.verdict(step)?.conclusion == conclusion)
        }
    }

    @Test("a fault that the kernel knows when it is asked again is the fault")
    func setDownBeforeSecondSurvey() {
        var inquiry = Self.inquiry()
        var step = inquiry.surveyed(Sample.survey(), at: Self.now)
        step = Self.answer(&inquiry, step) { _ in Sample.blocked }
        step = Self.answer(&inquiry, step) { _ in Sample.silent }
        let after = Sample.survey(link: Sample.link(isUp: false), association: nil)
        step = inquiry.surveyed(after, at: Self.now + .milliseconds(50))
        #expect(Self.verdict(step)?.reason == .administrativelyDown)
        #expect(inquiry.survey == after)
    }

    private static let target = ProbeSpec(.tcp(.name("example.net"), port: 443))

    @Test("a silent target is the gateway's fault only if the gateway is silent too")
    func attribution() {
        for (gateway, layer) in [(Sample.answered, Layer.internet), (Sample.silent, .gateway)] {
            var inquiry = Self.inquiry([Self.target])
            var step = inquiry.surveyed(Sample.survey(), at: Self.now)
            #expect(Self.questions(step) == [.tcp(.name("example.net"), port: 443)])
            step = Self.answer(&inquiry, step) { _ in Sample.silent }
            step = Self.answer(&inquiry, step) { _ in gateway }
            step = Self.answer(&inquiry, step) { _ in gateway }
            if step == .survey { step = inquiry.surveyed(Sample.survey(), at: Self.now + .seconds(6)) }
            #expect(Self.verdict(step)?.layer == layer)
            #expect(Self.verdict(step)?.callsForBounce(on: Policy.bouncedLayers) == (layer == .gateway))
        }
    }

    @Test("a required probe must succeed whatever the others say")
    func required() {
        let probes = [ProbeSpec(.neighbour(nil)), ProbeSpec(.icmp(nil), isRequired: true)]
        for (echo, conclusion) in [
            (Sample.answered, Verdict.Conclusion.healthy), (Sample.silent, .sick), (Sample.blocked, .unknown),
        ] {
            var inquiry = Self.inquiry(probes)
            let step = inquiry.surveyed(Sample.survey(), at: Self.now)
            let end = Self.answer(&inquiry, step) { $0.isNeighbour ? Sample.answered : echo }
            #expect(Self.verdict(end)?.conclusion == conclusion)
        }
    }

    @Test("without probes the kernel's word is enough")
    func noProbes() {
        var inquiry = Self.inquiry([ProbeSpec(.none)])
        let verdict = Self.verdict(inquiry.surveyed(Sample.survey(), at: Self.now))
        #expect(verdict?.reason == .nothingWrongInKernel)
    }

    @Test("an answer to a question of an earlier round changes nothing")
    func late() {
        var inquiry = Self.inquiry()
        let step = inquiry.surveyed(Sample.survey(), at: Self.now)
        guard case .ask(let requests) = step else { return }
        _ = inquiry.probeFinished(requests[0].id, Sample.silent)
        #expect(inquiry.probeFinished(requests[0].id, Sample.answered) == .wait)
    }
}
