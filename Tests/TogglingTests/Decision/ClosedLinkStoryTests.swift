import Testing

@testable import Model
@testable import Toggling

/// The kernel itself sets a link down after its device has crashed. No user has asked for that.
@Suite("Stories of links that the kernel sets down") struct ClosedLinkStoryTests {
    /// A world whose link has been healthy for half a minute.
    private static func world(
        _ runMode: RunMode = .watch, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change))
        world.start()
        world.run(for: .seconds(30))
        return world
    }

    private static func isDown(_ cycle: CycleReport?) -> Bool {
        cycle?.verdict.reason == .administrativelyDown && cycle?.action == .refused(.administrativelyDown)
    }

    @Test("after the kernel has set the link down, the device is reset and the link raised, with the reason")
    func reset() throws {
        var world = Self.world()
        world.goDown(isClosed: true)
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.reset])
        #expect(world.link.isUp)
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.action.summary?.methods == [.reset])
        #expect(cycle.verdict.conclusion == .healthy)
        let causes = world.reports.steps.compactMap { step -> Verdict? in
            if case .beginning(.reset, let verdict) = step { verdict } else { nil }
        }
        #expect(causes.first?.reason == .closedByKernel)
        #expect(causes.first?.evidence.last == .radioCondition(.closed))
    }

    @Test("a link that a user sets down stays down, even if the kernel had set it down earlier")
    func users() {
        var world = Self.world()
        world.goDown(isClosed: false)
        world.run(for: .seconds(7200))
        #expect(world.orders.tried.isEmpty && !world.link.isUp)
        #expect(Self.isDown(world.reports.cycles.last))

        var raised = Self.world()
        raised.goDown(isClosed: true)
        raised.run(for: .seconds(60))
        raised.goDown(isClosed: false)
        raised.run(for: .seconds(7200))
        #expect(raised.orders.tried == [.reset] && !raised.link.isUp)
        #expect(Self.isDown(raised.reports.cycles.last))
    }

    @Test("if the device cannot be reset, the link is bounced, which raises it")
    func bounced() {
        var world = Self.world()
        world.refused[.reset] = Failure(kind: .unavailable, description: "no")
        world.goDown(isClosed: true)
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.reset, .bounce])
        #expect(world.link.isUp && world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test(
        "if the kernel sets the link down again during the bounce, the program does not respect that"
    )
    func again() {
        var world = Self.world()
        world.onMethod = { world, method in
            if method == .reset { (world.link.isUp, world.link.isClosed) = (false, true) }
        }
        world.goDown(isClosed: true)
        world.run(for: .seconds(300))
        #expect(world.orders.tried == [.reset, .bounce])
        #expect(world.link.isUp && world.reports.cycles.last?.verdict.conclusion == .healthy)
        #expect(!world.reports.steps.contains(.loweredByOther))
    }

    @Test("methods that a user names replace the reset, and a user's request raises the link at once")
    func chosen() {
        var named = Self.world { $0.methods = [.bounce] }
        named.goDown(isClosed: true)
        named.run(for: .seconds(60))
        #expect(named.orders.tried == [.bounce] && named.link.isUp)

        var asked = Self.world()
        asked.goDown(isClosed: true)
        asked.tell(.bounceRequested(delay: nil))
        asked.run(for: .seconds(5))
        #expect(asked.orders.tried == [.bounce] && asked.link.isUp)
    }

    @Test("a hold, quiet hours, an rfkill block, a dry run and --bounce-on are respected")
    func respected() {
        var held = Self.world()
        held.conditions.administrativeHold = .untilReleased
        var quiet = Self.world()
        quiet.conditions.quietUntil = quiet.now + .seconds(100_000)
        var blocked = Self.world()
        blocked.link.radio = .soft
        let dryRun = Self.world { $0.isDryRun = true }
        let elsewhere = Self.world { $0.bouncedLayers = [.gateway] }
        for var world in [held, quiet, blocked, dryRun, elsewhere] {
            world.goDown(isClosed: true)
            world.run(for: .seconds(7200))
            #expect(world.orders.tried.isEmpty && !world.link.isUp)
        }
    }

    @Test("routes that the kernel dropped are restored after the raise")
    func restored() {
        let route = "198.51.100.0/24 via 10.77.0.1 dev wlan0 proto static"
        var world = VirtualWorld(.watch, Sample.settings())
        world.configuration.snapshot = Snapshot(
            items: [Snapshot.Item(kind: .route, message: [1], description: route, isAdministrators: true)])
        world.configuration.restoration = Restoration(lost: [route], restored: [route])
        world.start()
        world.run(for: .seconds(30))
        let whole = world.configuration.snapshot
        world.configuration.snapshot = Snapshot()
        world.goDown(isClosed: true)
        world.run(for: .seconds(60))
        #expect(world.orders.owed.first == whole)
    }
}
