import Testing

@testable import Model
@testable import Toggling

/// The gateway's address answers ARP, but nothing else comes back over the link.
@Suite("Stories of silent gateways behind proxy ARP") struct SilenceStoryTests {
    private static let day: Duration = .seconds(86400)
    private static let echo = ProbeRequest.Question.icmp(.address(Sample.gateway))

    /// A world whose gateway has answered an echo request in an earlier run, and now gives this result.
    private static func world(
        _ runMode: RunMode = .watch, echo: ProbeResult = Sample.silent,
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change), knownTargets: Sample.echoed)
        world.hosts.echoes[Sample.gateway] = echo
        return world
    }

    private static func expectHealthy(_ world: VirtualWorld, _ comment: Comment? = nil) {
        #expect(world.reports.cycles.allSatisfy { $0.verdict.conclusion == .healthy }, comment)
        #expect(world.orders.lowered.isEmpty, comment)
    }

    @Test("if another host answers ARP for a dead gateway, the link is bounced after five intervals")
    func proxy() throws {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(590))
        #expect(
            world.reports.remembered.last?.contains(
                "icmp \(Sample.gateway)", in: Network(Sample.kernelState()), at: world.now) == true)
        Self.expectHealthy(world)
        world.hosts.echoes[Sample.gateway] = Sample.silent
        world.onRaise = { $0.hosts.echoes = [:] }
        world.run(for: .seconds(120))
        let sick = world.reports.cycles.filter { $0.verdict.conclusion == .sick }
        #expect(sick.count >= 9, "a single echo is easily lost")
        #expect(sick.first?.verdict.layer == .gateway)
        #expect(sick.first?.verdict.reason == .gatewayEchoSilent([Sample.gateway], over: .seconds(300)))
        #expect(world.orders.lowered.count == 1)
        #expect(world.reports.cycles.contains { $0.action.summary?.recovery != nil })
        world.run(for: Self.day)
        #expect(world.orders.lowered.count == 1)
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test("the answers of a name server on this machine do not show that the gateway is alive")
    func localNameServer() {
        var world = Self.world {
            $0.probes = [
                ProbeSpec(.auto), ProbeSpec(.dns(name: "example.net", server: .v4(0x7F00_0035))),
            ]
        }
        world.onRaise = { $0.hosts.echoes = [:] }
        world.start()
        world.run(for: .seconds(900))
        #expect(world.orders.lowered.count == 1)
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test("a useless bounce is recognised, because another echo request is sent after it")
    func useless() {
        var world = Self.world()
        world.start()
        world.run(for: .seconds(3 * 3600))
        #expect(world.toggler.health.condition == .sick)
        #expect(world.toggler.limiter.state.useless >= BounceLimiter.mostUseless)
        #expect(world.orders.lowered.count <= 6)
    }

    @Test("a gateway that filters ICMP stays healthy, and is sent an echo request once a day")
    func filtered() {
        var world = VirtualWorld(.watch)
        world.hosts.echoes[Sample.gateway] = Sample.silent
        world.start()
        world.run(for: Self.day * 4)
        Self.expectHealthy(world)
        #expect((3...5).contains(world.orders.questions.count { $0 == Self.echo }))
        #expect(world.orders.questionsForLiveness == 0)
        #expect(world.toggler.qualityWindow.quality(Settings())?.lost == 0)
    }

    @Test("a gateway that begins to filter ICMP is left alone after two days at the latest")
    func filteredLater() throws {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(600))
        world.hosts.echoes[Sample.gateway] = Sample.silent
        world.run(for: Self.day * 4)
        let last = try #require(world.orders.lowered.last)
        #expect(last < Self.day * 2 + .seconds(600))
        #expect(world.toggler.health.condition == .healthy)
        #expect(world.reports.cycles.suffix(1000).allSatisfy { $0.verdict.conclusion == .healthy })
    }

    @Test("a live gateway without other traffic is healthy, and is sent one echo request in five intervals")
    func quiet() {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: Self.day)
        Self.expectHealthy(world)
        #expect((280...288).contains(world.orders.questions.count { $0 == Self.echo }))
        #expect(world.orders.questionsForLiveness == 0)
    }

    @Test("if another target answers, no gateway is sent an echo request")
    func target() {
        var world = Self.world {
            $0.probes = [ProbeSpec(.auto), ProbeSpec(.tcp(.address(.v4(1)), port: 80))]
        }
        world.start()
        world.run(for: Self.day)
        Self.expectHealthy(world)
        #expect(!world.orders.questions.contains(Self.echo))
    }

    @Test("an active connection shows that a silent gateway only filters ICMP; another neighbour does not")
    func connection() {
        for manner in Liveness.Manner.allCases {
            var world = Self.world()
            world.conditions.liveness = [
                Liveness(peer: Sample.neighbour, manner: manner, heard: .seconds(250))
            ]
            world.start()
            world.run(for: .seconds(3600))
            guard manner == .neighbour else {
                Self.expectHealthy(world, "\(manner)")
                #expect((10...12).contains(world.orders.questionsForLiveness))
                continue
            }
            #expect(world.orders.lowered.count >= 1)
        }
    }

    @Test("an echo request that cannot be sent proves nothing")
    func blocked() {
        var world = Self.world(echo: Sample.blocked)
        world.start()
        world.run(for: Self.day)
        Self.expectHealthy(world)
    }

    @Test("with two silent gateways the link is healthy if one of them may filter ICMP")
    func twoGateways() {
        let other = IPAddress.v4(0x0a4d_0003)
        var world = Self.world()
        world.link.gateways.append(other)
        world.hosts.echoes[other] = Sample.silent
        world.start()
        world.run(for: Self.day)
        Self.expectHealthy(world)
    }

    @Test("a gateway whose address answered only in another network may filter ICMP here")
    func elsewhere() {
        var world = Self.world()
        world.link.ssid = SSID("elsewhere".utf8)
        world.start()
        world.run(for: Self.day)
        Self.expectHealthy(world)
    }

    @Test("only the service sends echo requests after silence, and only for the probe auto")
    func others() {
        let probes: [ProbeSpec] = [ProbeSpec(.neighbour(nil)), ProbeSpec(.none)]
        var worlds = probes.map { spec in Self.world { $0.probes = [spec] } }
        worlds += [.reconnect, .probe].map { Self.world($0) }
        for var world in worlds {
            world.start()
            world.run(for: .seconds(3600))
            Self.expectHealthy(world)
            #expect(!world.orders.questions.contains(Self.echo))
        }
    }

    @Test("time in which the machine was suspended does not count as silence")
    func sleep() {
        var world = Self.world(echo: Sample.answered)
        world.start()
        world.run(for: .seconds(250))
        world.sleep(for: .seconds(3600))
        world.tell(.resumed())
        world.run(for: .seconds(299))
        #expect(!world.orders.questions.contains(Self.echo))
        world.run(for: .seconds(70))
        #expect(world.orders.questions.contains(Self.echo))
    }

    @Test("silence must last at least half a minute, however short the interval is")
    func short() {
        var world = Self.world { $0.interval = .seconds(1) }
        world.start()
        world.run(for: .seconds(29))
        #expect(!world.orders.questions.contains(Self.echo))
        world.run(for: .seconds(20))
        #expect(
            world.reports.cycles.last?.verdict.reason
                == .gatewayEchoSilent([Sample.gateway], over: .seconds(30)))
    }

    @Test("only connections contradict a missing echo reply")
    func contradictions() {
        let reason = Reason.gatewayEchoSilent([Sample.gateway], over: .seconds(300))
        let verdict = Verdict(.sick, layer: .gateway, reason: reason)
        #expect(verdict.contradictions == [.connection, .connectionBeyond])
    }
}
