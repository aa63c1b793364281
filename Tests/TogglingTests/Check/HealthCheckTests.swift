import Testing

@testable import Model
@testable import Toggling

/// Each test leads one check by hand: it reads the check's requests, and gives the answers.
@Suite("Health checks") struct HealthCheckTests {
    private static let now = Instant.seconds(1000)

    private static func check(
        _ probes: [ProbeSpec] = [ProbeSpec(.auto)], counterSample: CounterSample? = nil,
        limit: Duration = .seconds(1)
    ) -> HealthCheck {
        HealthCheck(
            number: 1, begun: now, scope: .full, settings: Sample.settings { $0.probes = probes },
            lastCounterSample: counterSample, proofLimit: limit)
    }

    private static func answer(
        _ check: inout HealthCheck, _ step: HealthCheck.Step,
        with result: (ProbeRequest.Question) -> ProbeResult
    ) -> HealthCheck.Step {
        guard case .ask(let requests) = step else { return step }
        var last = step
        for request in requests { last = check.probeFinished(request.id, result(request.question)) }
        return last
    }

    private static func questions(_ step: HealthCheck.Step) -> [ProbeRequest.Question] {
        guard case .ask(let requests) = step else { return [] }
        return requests.map(\.question)
    }

    private static func verdict(_ step: HealthCheck.Step) -> Verdict? {
        guard case .conclude(let verdict) = step else { return nil }
        return verdict
    }

    @Test("of many gateways the first eight are probed")
    func manyGateways() {
        let gateways = (1...20).map { Gateway(address: .v4($0)) }
        var check = Self.check()
        let step = check.kernelStateRead(Sample.kernelState(gateways: gateways), at: Self.now)
        #expect(Self.questions(step) == gateways.prefix(8).map { .neighbour($0.address) })
    }

    @Test(
        "the kernel state alone names the lowest layer at fault",
        arguments: [
            (Sample.kernelState(radio: .soft), Layer.radio),
            (Sample.kernelState(radio: .hard), .radio),
            (Sample.kernelState(link: Sample.link(isUp: false)), .radio),
            (Sample.kernelState(link: Sample.link(state: .down), association: nil), .association),
            (Sample.kernelState(link: Sample.link(state: .dormant)), .association),
            (
                Sample.kernelState(link: Sample.link(state: .down, carrier: false), isWireless: false),
                .association
            ),
            (Sample.kernelState(addresses: []), .address),
            (
                Sample.kernelState(addresses: [
                    InterfaceAddress(
                        address: Sample.otherGateway, prefixLength: 64, reachesBeyondLink: false)
                ]), .address
            ),
            (
                Sample.kernelState(addresses: [
                    InterfaceAddress(
                        address: .v4(1), prefixLength: 8, reachesBeyondLink: true, isTentative: true)
                ]), .address
            ),
        ])
    func kernelFaults(kernelState: KernelState, layer: Layer) {
        var check = Self.check()
        let verdict = Self.verdict(check.kernelStateRead(kernelState, at: Self.now))
        #expect(verdict?.conclusion == .sick)
        #expect(verdict?.layer == layer)
    }

    private static func proven(_ ago: Duration) -> KernelState {
        Sample.kernelState(gateways: [
            Gateway(address: Sample.gateway, neighbour: Neighbour(state: .reachable, confirmed: ago))
        ])
    }

    @Test("with a recent confirmation of the gateway no probe is sent; with an old one, a probe is sent")
    func freshness() {
        var fresh = Self.check()
        #expect(
            Self.verdict(fresh.kernelStateRead(Self.proven(.milliseconds(900)), at: Self.now))?.conclusion
                == .healthy)
        var old = Self.check()
        let step = old.kernelStateRead(Self.proven(.milliseconds(1100)), at: Self.now)
        #expect(Self.questions(step) == [.neighbour(Sample.gateway)])
    }

    @Test("while a fault is suspected, a confirmation from before the suspicion does not count")
    func suspicion() {
        var check = Self.check(limit: .milliseconds(200))
        let step = check.kernelStateRead(Self.proven(.milliseconds(900)), at: Self.now)
        #expect(Self.questions(step) == [.neighbour(Sample.gateway)])
    }

    @Test("a confirmation does not count if packets were sent since the last check and none received")
    func mute() {
        let counters = LinkCounters(receivedPackets: 5, sentPackets: 5)
        let counterSample = CounterSample(index: Sample.index, counters: counters, at: Self.now)
        var kernelState = Self.proven(.milliseconds(100))
        kernelState.link.counters = LinkCounters(receivedPackets: 5, sentPackets: 9)
        var check = Self.check(counterSample: counterSample)
        #expect(
            Self.questions(check.kernelStateRead(kernelState, at: Self.now)) == [.neighbour(Sample.gateway)])
    }

    @Test("the probe auto asks the neighbour, sends an echo, asks the kernel, then finds a silent gateway")
    func automatic() {
        var check = Self.check()
        var step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
        #expect(Self.questions(step) == [.neighbour(Sample.gateway)])
        step = Self.answer(&check, step) { _ in Sample.silent }
        #expect(Self.questions(step) == [.icmp(.address(Sample.gateway))])
        step = Self.answer(&check, step) { _ in Sample.silent }
        #expect(step == .kernelState(.none))
        step = check.kernelStateRead(Sample.kernelState(), at: Self.now + .seconds(4))
        #expect(Self.verdict(step)?.reason == .gatewaySilent([Sample.gateway]))
    }

    @Test("if the neighbour's answer came after the time-out, the gateway is slow, not dead")
    func slow() {
        for (ago, conclusion) in [
            (Duration.seconds(2), Verdict.Conclusion.healthy), (.seconds(5), .sick),
        ] {
            var check = Self.check()
            var step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
            step = Self.answer(&check, step) { _ in Sample.silent }
            step = Self.answer(&check, step) { _ in Sample.silent }
            #expect(step == .kernelState(.none))
            step = check.kernelStateRead(Self.proven(ago), at: Self.now + .seconds(4))
            #expect(Self.verdict(step)?.conclusion == conclusion)
        }
    }

    @Test("if a required neighbour probe gets no answer, the kernel is not queried for a confirmation")
    func requiredAgainstProof() {
        let other = IPAddress.v4(0x0a4d_0009)
        var check = Self.check([ProbeSpec(.auto), ProbeSpec(.neighbour(other), isRequired: true)])
        var step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
        step = Self.answer(&check, step) { _ in Sample.silent }
        step = Self.answer(&check, step) { _ in Sample.silent }
        #expect(Self.verdict(step)?.reason == .gatewaySilent([Sample.gateway]))
    }

    @Test("one gateway that answers is enough, and the probe of the other is cancelled")
    func oneOfTwo() {
        var check = Self.check()
        let kernelState = Sample.kernelState(gateways: [
            Gateway(address: Sample.gateway), Gateway(address: .v4(0x0a4d_0003)),
        ])
        guard case .ask(let requests) = check.kernelStateRead(kernelState, at: Self.now) else {
            Issue.record("nothing was asked")
            return
        }
        let step = check.probeFinished(requests[1].id, Sample.answered)
        #expect(Self.verdict(step)?.conclusion == .healthy)
        #expect(check.rounds.takeAbandoned() == [requests[0].id])
    }

    @Test(
        "the verdict is unknown if duplicate address detection prevents probes of the gateway")
    func duplicateAddressDetection() {
        let v4 = InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)
        let linkLocal = IPAddress("fe80::2")!
        for (isTentative, isAsked) in [(true, false), (false, true)] {
            let v6 = InterfaceAddress(
                address: linkLocal, prefixLength: 64, reachesBeyondLink: false, isTentative: isTentative)
            var check = Self.check()
            let kernelState = Sample.kernelState(
                addresses: [v4, v6], gateways: [Gateway(address: Sample.otherGateway)])
            let step = check.kernelStateRead(kernelState, at: Self.now)
            #expect(Self.questions(step) == (isAsked ? [.neighbour(Sample.otherGateway)] : []))
            if !isAsked { #expect(Self.verdict(step)?.conclusion == .unknown) }
        }
    }

    @Test("if no probe may be sent, the verdict is unknown")
    func notPermitted() {
        var check = Self.check()
        var step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
        step = Self.answer(&check, step) { _ in Sample.blocked }
        step = Self.answer(&check, step) { _ in Sample.blocked }
        #expect(Self.verdict(step)?.conclusion == .unknown)
    }

    @Test(
        "without neighbour probes, the neighbour table tells a gateway that filters ICMP from a dead one"
    )
    func filtering() {
        for (state, conclusion) in [
            (Neighbour.State.reachable, Verdict.Conclusion.healthy), (.failed, .sick),
        ] {
            var check = Self.check()
            var step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
            step = Self.answer(&check, step) { _ in Sample.blocked }
            step = Self.answer(&check, step) { _ in Sample.silent }
            #expect(step == .kernelState(.none))
            let after = Sample.kernelState(gateways: [
                Gateway(address: Sample.gateway, neighbour: Neighbour(state: state, confirmed: .seconds(1)))
            ])
            step = check.kernelStateRead(after, at: Self.now + .seconds(2))
            #expect(Self.verdict(step)?.conclusion == conclusion)
        }
    }

    @Test("if the kernel state after the probes shows a fault, that fault is the verdict")
    func setDownBeforeSecondKernelState() {
        var check = Self.check()
        var step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
        step = Self.answer(&check, step) { _ in Sample.blocked }
        step = Self.answer(&check, step) { _ in Sample.silent }
        let after = Sample.kernelState(link: Sample.link(isUp: false), association: nil)
        step = check.kernelStateRead(after, at: Self.now + .milliseconds(50))
        #expect(Self.verdict(step)?.reason == .administrativelyDown)
        #expect(check.kernelState == after)
    }

    private static let target = ProbeSpec(.tcp(.name("example.net"), port: 443))

    /// The verdict of a check whose target and whose gateway end with these results.
    private static func verdict(target: ProbeResult, gateway: ProbeResult) -> Verdict? {
        var check = check([self.target])
        var step = check.kernelStateRead(Sample.kernelState(), at: now)
        #expect(questions(step) == [.tcp(.name("example.net"), port: 443)])
        step = answer(&check, step) { _ in target }
        for _ in 1...2 { step = answer(&check, step) { _ in gateway } }
        if step == .kernelState(.none) {
            step = check.kernelStateRead(Sample.kernelState(), at: now + .seconds(6))
        }
        return verdict(step)
    }

    @Test("a silent target is the gateway's fault only if the gateway is silent too")
    func attribution() {
        for (gateway, layer) in [(Sample.answered, Layer.internet), (Sample.silent, .gateway)] {
            let verdict = Self.verdict(target: Sample.silent, gateway: gateway)
            #expect(verdict?.layer == layer)
            #expect(verdict?.callsForBounce(on: .bouncedByDefault) == (layer == .gateway))
        }
    }

    @Test("if a target could not be asked, the gateway decides whether the link is sick")
    func unaskable() {
        for (gateway, conclusion) in [(Sample.answered, Verdict.Conclusion.unknown), (Sample.silent, .sick)] {
            let verdict = Self.verdict(target: Sample.blocked, gateway: gateway)
            #expect(verdict?.conclusion == conclusion)
            #expect(verdict?.layer == (conclusion == .sick ? .gateway : .internet))
        }
    }

    @Test("if a command gives no verdict, the gateway is not probed: the command may want that")
    func undecided() {
        var check = Self.check([ProbeSpec(.command(path: "/check"))])
        let step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
        let verdict = Self.verdict(Self.answer(&check, step) { _ in Sample.blocked })
        #expect(verdict?.conclusion == .unknown && verdict?.layer == .internet)
    }

    @Test("a silent target is no fault if the kernel's neighbour table has no room for the gateway")
    func fullNeighbourTable() {
        let full = ProbeResult.unknown(Failure(kind: .lost, code: 105, description: "no room"))
        for probes in [[Self.target], [ProbeSpec(.auto), Self.target]] {
            for (gateway, conclusion) in [(full, Verdict.Conclusion.unknown), (Sample.blocked, .sick)] {
                var check = Self.check(probes)
                var step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
                while Self.verdict(step) == nil, step != .wait {
                    step =
                        step == .kernelState(.none)
                        ? check.kernelStateRead(Sample.kernelState(), at: Self.now)
                        : Self.answer(&check, step) { question in
                            if case .tcp = question { Sample.silent } else { gateway }
                        }
                }
                #expect(Self.verdict(step)?.conclusion == conclusion)
                #expect(Self.verdict(step)?.layer == (conclusion == .sick ? .internet : .gateway))
            }
        }
    }

    @Test("a required probe must succeed, whatever the other probes find")
    func required() {
        let probes = [ProbeSpec(.neighbour(nil)), ProbeSpec(.icmp(nil), isRequired: true)]
        for (echo, conclusion) in [
            (Sample.answered, Verdict.Conclusion.healthy), (Sample.silent, .sick), (Sample.blocked, .unknown),
        ] {
            var check = Self.check(probes)
            let step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
            let end = Self.answer(&check, step) { $0.isNeighbour ? Sample.answered : echo }
            #expect(Self.verdict(end)?.conclusion == conclusion)
        }
    }

    @Test("without probes a healthy kernel state is enough")
    func noProbes() {
        var check = Self.check([ProbeSpec(.none)])
        let verdict = Self.verdict(check.kernelStateRead(Sample.kernelState(), at: Self.now))
        #expect(verdict?.reason == .nothingWrongInKernel)
    }

    @Test("an answer to a probe of an earlier round changes nothing")
    func late() {
        var check = Self.check()
        let step = check.kernelStateRead(Sample.kernelState(), at: Self.now)
        guard case .ask(let requests) = step else {
            Issue.record("no probe: \(step)")
            return
        }
        _ = check.probeFinished(requests[0].id, Sample.silent)
        #expect(check.probeFinished(requests[0].id, Sample.answered) == .wait)
    }
}
