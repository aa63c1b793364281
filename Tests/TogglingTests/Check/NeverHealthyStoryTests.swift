import Testing

@testable import Model
@testable import Toggling

/// Possibly nobody has configured a network for a station that was never associated. It is left to its owner.
@Suite("Stories of links that were never healthy") struct NeverHealthyStoryTests {
    private static let network = Network(ssid: nil, routers: [])
    private static let hour: Duration = .seconds(3600)

    /// A world whose station is not associated.
    private static func world(
        _ runMode: RunMode = .watch, hadCarrier: Bool? = false, knownTargets: KnownTargets = KnownTargets(),
        limiter: BounceLimiter.Saved = BounceLimiter.Saved()
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, knownTargets: knownTargets, limiter: limiter)
        world.link.isInRange = false
        world.link.hadCarrier = hadCarrier
        return world
    }

    @Test("a link that was never healthy is unknown, not sick, and never bounced")
    func waiting() throws {
        var world = Self.world()
        world.start()
        world.run(for: Self.hour * 6)
        #expect(world.orders.lowered.isEmpty && world.orders.questionsForOwner == 0)
        let cycle = try #require(world.reports.cycles.last)
        #expect(cycle.verdict.conclusion == .unknown && cycle.verdict.layer == .association)
        #expect(cycle.verdict.reason == .neverAssociated && cycle.action == .none)
        #expect(cycle.change.after == .undetermined)
    }

    @Test("a carrier without an association does not show that the station was ever associated")
    func carrierFromTheStart() throws {
        let ghost = Sample.link(hadCarrier: true)
        var state = Sample.kernelState(link: ghost, association: nil)
        #expect(ghost.hasCarrier && state.reasonToWait(isNew: true, wasHealthy: true) == .neverAssociated)
        #expect(state.reasonToWait(isNew: false, wasHealthy: true) == nil)
        state.link.hasCarrier = false
        #expect(state.reasonToWait(isNew: true, wasHealthy: true) == nil)
    }

    @Test("reconnect on a link that was never healthy ends with the outcome unknown, without a bounce")
    func oneShot() {
        var world = Self.world(.reconnect)
        world.start()
        world.run(for: Self.hour)
        #expect(world.orders.lowered.isEmpty && world.reports.outcome == .unknown)
    }

    @Test("a link that was never healthy is bounced if a user requests it")
    func asked() {
        var world = Self.world()
        world.start()
        world.run(for: .seconds(70))
        world.tell(.bounceRequested(delay: nil))
        world.run(for: .seconds(40))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("a link that once had a carrier, or whose kernel does not count carriers, is bounced as usual")
    func associatedBefore() {
        for hadCarrier in [true, nil] as [Bool?] {
            var world = Self.world(hadCarrier: hadCarrier)
            world.start()
            world.run(for: .seconds(200))
            #expect(world.orders.lowered.count >= 1)
            #expect(world.reports.cycles.first?.verdict.reason == .notAssociated)
        }
    }

    @Test("a link that an earlier run found healthy, probed successfully, or bounced, is bounced as usual")
    func knownBefore() {
        let at = Instant.seconds(100)
        let known = ["link", "icmp 192.0.2.1"].map {
            KnownTargets([KnownTargets.Entry(network: Self.network, target: $0, answered: at)])
        }
        let limiter = BounceLimiter.Saved(bounces: [at], bouncesInOutage: 1)
        let worlds =
            known.map { Self.world(knownTargets: $0) } + [Self.world(limiter: limiter)]
            + known.map { Self.world(.reconnect, knownTargets: $0) }
        for var world in worlds {
            world.start()
            world.run(for: .seconds(200))
            #expect(world.orders.lowered.count >= 1)
        }
    }

    @Test(
        "the program records that a station was healthy, for later runs and for the interface's return"
    )
    func remembered() throws {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: Self.hour)
        #expect(world.reports.remembered.first?.entries.map(\.target) == ["link"])
        #expect(world.reports.remembered.last?.entries.map(\.target) == ["link", "icmp \(Sample.gateway)"])
        #expect(world.reports.remembered.count == 2)
        world.tell(.linkRemoved)
        (world.link.isInRange, world.link.hadCarrier) = (false, false)
        world.tell(.linkAppeared(Sample.link()))
        world.run(for: .seconds(200))
        #expect(world.orders.lowered.count >= 1)
    }

    @Test("a probe saves nothing")
    func probe() {
        var world = VirtualWorld(.probe)
        world.start()
        world.run(for: .seconds(10))
        #expect(world.reports.outcome == .healthy && world.reports.remembered.isEmpty)
    }

    @Test(
        "a master without an address is sick only if it has had an address before",
        arguments: [Sample.bridgePort, Sample.port(.bond, .masters)])
    func master(port: Port) throws {
        let upper = try #require(port.upper)
        var world = VirtualWorld(.watch)
        (world.link.port, world.link.hasAddress) = (port, false)
        world.start()
        world.run(for: Self.hour)
        #expect(world.orders.lowered.isEmpty)
        #expect(
            world.reports.cycles.allSatisfy {
                $0.verdict.conclusion == .unknown && $0.verdict.reason == .noAddress
            })
        world.link.hasAddress = true
        world.run(for: .seconds(130))
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
        #expect(world.reports.remembered.last?.entries.map(\.target) == ["link \(upper.name)"])
        world.link.hasAddress = false
        world.run(for: .seconds(130))
        #expect(world.orders.lowered.count >= 1)
    }
}
