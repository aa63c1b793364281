import Testing

@testable import Model
@testable import Toggling

/// The addresses of a healthy link are announced to the neighbours.
@Suite("Stories of announcements") struct AnnouncementStoryTests {
    private static func world(_ runMode: RunMode, _ change: (inout Settings) -> Void = { _ in })
        -> VirtualWorld
    {
        VirtualWorld(
            runMode,
            Sample.settings {
                $0.announces = true
                change(&$0)
            })
    }

    @Test("each healthy check of the service announces the addresses once")
    func healthy() {
        var world = Self.world(.watch)
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.reports.cycles.count > 50 && world.orders.announced.count == world.reports.cycles.count)
        #expect(world.reports.cycles.allSatisfy { $0.verdict.conclusion == .healthy && $0.action == .none })
    }

    @Test("a sick link announces nothing, and the bounce that heals it announces once")
    func sick() {
        var world = Self.world(.watch)
        world.start()
        world.run(for: .seconds(10))
        let before = world.orders.announced.count
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(55))
        world.run(until: "raising")
        #expect(world.orders.announced.count == before && world.reports.cycles.count > 1)
        world.hosts.gatewayAnswers = true
        world.run(until: "waiting")
        #expect(world.orders.raised.count == 1 && world.orders.announced.count == before + 1)
    }

    @Test("a link that stays sick after its bounce announces nothing")
    func staysSick() {
        var world = Self.world(.watch)
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .seconds(600))
        #expect(world.orders.raised.count >= 1 && world.orders.announced.isEmpty)
    }

    @Test(
        "a one-shot that may change the link announces before it ends",
        arguments: [RunMode.toggle, .reconnect])
    func oneShot(runMode: RunMode) throws {
        var world = Self.world(runMode)
        var last: [Effect] = []
        world.recorder = { last = $2 }
        world.start()
        world.run(for: .seconds(60))
        #expect(world.reports.outcome == .healthy && world.orders.announced.count == 1)
        let place = try #require(last.firstIndex(of: .announce))
        let end = try #require(last.firstIndex(of: .finish(.healthy)))
        #expect(place < end)
    }

    @Test("an unverified bounce announces nothing")
    func unverified() {
        var world = Self.world(.toggle) { $0.settle = .zero }
        world.start()
        world.run(for: .seconds(60))
        #expect(
            world.reports.outcome == .healthy && world.orders.raised.count == 1
                && world.orders.announced.isEmpty)
    }

    @Test("a probe, a dry run and a run without the option announce nothing")
    func silent() {
        for world in [
            Self.world(.probe), Self.world(.watch) { $0.isDryRun = true },
            Self.world(.reconnect) { $0.isDryRun = true }, Self.world(.watch) { $0.announces = false },
        ] {
            var world = world
            world.start()
            world.run(for: .seconds(3600))
            #expect(!world.reports.cycles.isEmpty && world.orders.announced.isEmpty)
        }
    }
}
