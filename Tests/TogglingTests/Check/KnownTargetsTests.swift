import Testing

@testable import Model
@testable import Toggling

/// The silence of a target counts only if the target has answered in this network before.
@Suite("Known targets") struct KnownTargetsTests {
    private static let target = ProbeSpec(.icmp(.address(.v4(0xc633_6407))))
    private static let words = "icmp 198.51.100.7"

    private static func network(
        _ name: String = "lab", _ routers: [(IPAddress, MACAddress?)] = [(Sample.gateway, nil)]
    ) -> Network {
        Network(
            ssid: SSID(name.utf8),
            routers: routers.map { Network.Router(address: $0.0, macAddress: $0.1) })
    }

    /// A world that probes one target, and bounces the link if that target is silent.
    private static func world(knowing knownTargets: KnownTargets = KnownTargets()) -> VirtualWorld {
        let settings = Sample.settings {
            $0.probes = [target]
            $0.bouncedLayers = LayerSet(Layer.eligibleForBounce)
        }
        return VirtualWorld(.watch, settings, knownTargets: knownTargets)
    }

    @Test("the verdict on a target that has never answered here is unknown, however long it is silent")
    func neverAnswered() {
        var world = Self.world()
        world.hosts.targetAnswers = false
        world.start()
        world.run(for: .seconds(1200))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.reports.cycles.last?.verdict.conclusion == .unknown)
        #expect(world.reports.cycles.last?.verdict.layer == .internet)
        #expect(world.reports.remembered.isEmpty)
    }

    @Test("once a target has answered, it is saved, and its silence counts")
    func knownTarget() {
        var world = Self.world()
        world.start()
        world.run(for: .seconds(30))
        #expect(world.reports.remembered.map { $0.entries.map(\.target) } == [[Self.words, "link"]])
        world.hosts.targetAnswers = false
        world.run(for: .seconds(60))
        #expect(
            world.reports.cycles.contains { $0.verdict.layer == .internet && $0.verdict.conclusion == .sick })
        #expect(world.orders.lowered.count == 1)

        var later = Self.world(knowing: world.reports.remembered[0])
        later.hosts.targetAnswers = false
        later.start()
        later.run(for: .seconds(60))
        #expect(later.orders.lowered.count == 1, "what an earlier run has learned counts")
    }

    @Test("a target that answered only in another network is not known in this network")
    func elsewhere() {
        var world = Self.world()
        world.start()
        world.run(for: .seconds(30))
        world.hosts.targetAnswers = false
        world.link.ssid = SSID("elsewhere".utf8)
        world.run(for: .seconds(300))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.reports.cycles.last?.verdict.conclusion == .unknown)
    }

    @Test("a silent gateway is a fault, even if the target has never answered")
    func gateway() {
        var world = Self.world()
        world.hosts.targetAnswers = false
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .seconds(120))
        #expect(
            world.reports.cycles.contains { $0.verdict.layer == .gateway && $0.verdict.conclusion == .sick })
        #expect(world.orders.lowered.count == 1)
    }

    @Test("a known target expires after 30 days, and is renewed once a day")
    func ages() {
        var known = KnownTargets()
        let day: Duration = .seconds(86400)
        let start = Instant.seconds(1000)
        let network = Self.network()
        var isNews = known.record(Self.words, in: network, at: start)
        #expect(isNews)
        isNews = known.record(Self.words, in: network, at: start + .seconds(86399))
        #expect(!isNews)
        #expect(known.contains(Self.words, in: network, at: start + day * 29))
        #expect(!known.contains(Self.words, in: network, at: start + day * 30))
        isNews = known.record(Self.words, in: network, at: start + day)
        #expect(isNews)
        #expect(known.entries.count == 1)
        #expect(known.contains(Self.words, in: network, at: start + day * 30))
        #expect(!known.contains("icmp 198.51.100.8", in: network, at: start))
    }

    @Test("a network is recognised by its SSID and one of its routers")
    func sameness() throws {
        let mac = try #require(MACAddress([2, 0, 0, 0, 0, 1]))
        let other = try #require(MACAddress([2, 0, 0, 0, 0, 2]))
        let known = Self.network("lab", [(Sample.gateway, mac)])
        #expect(known.mayBe(Self.network("lab", [(Sample.gateway, nil)])), "one that is silent has no MAC")
        #expect(known.mayBe(Self.network("lab", [(Sample.gateway, mac), (Sample.otherGateway, other)])))
        #expect(!known.mayBe(Self.network("lab", [(Sample.gateway, other)])))
        #expect(!known.mayBe(Self.network("lab", [])))
        #expect(!known.mayBe(Self.network("home", [(Sample.gateway, mac)])))
    }

    @Test("of more than 256 known targets the oldest are dropped")
    func bounded() {
        var known = KnownTargets()
        for number in 0..<300 {
            _ = known.record("icmp \(number)", in: Self.network(), at: .seconds(Double(number)))
        }
        #expect(known.entries.count == KnownTargets.most)
        #expect(known.entries.first?.target == "icmp 44")
    }
}
