import Testing

@testable import Model
@testable import Toggling

/// The kernel refused to restore a route during the whole settle time. The program tries again later.
@Suite("Stories of pending restores") struct PendingRestoreStoryTests {
    private static let route = "198.51.100.0/24 via 10.77.0.1 dev wlan0 proto static"
    private static let refused = Restoration(
        lost: [route],
        refused: [
            Restoration.Refused(description: route, failure: Failure(kind: .other, description: "no gateway"))
        ])
    private static let restored = Restoration(lost: [route], restored: [route])

    /// A world after one useless bounce, with a pending restore.
    private func world(_ change: (inout Settings) -> Void = { _ in }) -> VirtualWorld {
        var world = VirtualWorld(
            .watch,
            Sample.settings {
                $0.settle = .seconds(8)
                $0.fall = 1
                change(&$0)
            })
        world.configuration.snapshot = Snapshot(
            items: [
                Snapshot.Item(kind: .route, message: [1], description: Self.route, isAdministrators: true),
                Snapshot.Item(
                    kind: .route, message: [2], description: "default proto dhcp", isAdministrators: false),
            ])
        world.configuration.restoration = Self.refused
        world.hosts.gatewayAnswers = false
        world.start()
        while world.reports.cycles.last?.action.summary == nil, world.now - world.begun < .seconds(600) {
            world.run(for: .seconds(1))
        }
        return world
    }

    private func made(_ world: VirtualWorld) -> [Report.Step] {
        world.reports.steps.filter { if case .restoredLate = $0 { true } else { false } }
    }

    @Test("a pending restore is made and reported once the link is healthy, and is not repeated")
    func restoredLate() {
        var world = world()
        #expect(world.orders.lowered.count == 1)
        #expect(world.toggler.pendingRestore?.snapshot.items.map(\.description) == [Self.route])
        let before = world.orders.putBack.count
        world.run(for: .seconds(20))
        #expect(world.orders.putBack.count == before, "the link is sick: it is not tried")
        world.hosts.mayProbe = false
        world.run(for: .seconds(130))
        #expect(
            world.reports.cycles.last?.verdict.conclusion == .unknown && world.orders.putBack.count == before)
        world.hosts.mayProbe = true
        world.hosts.gatewayAnswers = true
        world.run(for: .seconds(90))
        #expect(world.orders.putBack.count > before, "it is healthy: it is tried")
        #expect(made(world).isEmpty && world.toggler.pendingRestore != nil, "and refused once more")
        world.configuration.restoration = Self.restored
        world.run(for: .seconds(90))
        #expect(made(world) == [.restoredLate(restored: [Self.route], givenUp: [])])
        #expect(world.toggler.pendingRestore == nil)
        let done = world.orders.putBack.count
        world.run(for: .seconds(600))
        #expect(world.orders.putBack.count == done && world.orders.lowered.count == 1)
        #expect(world.toggler.state.name == "waiting")
    }

    @Test("a pending restore is made with the next bounce, if that comes first")
    func nextBounce() {
        var world = world { $0.backoff = .seconds(20) }
        world.configuration.snapshot = Snapshot()
        world.configuration.restoration = Self.restored
        while world.orders.lowered.count < 2, world.now - world.begun < .seconds(600) {
            world.run(for: .seconds(1))
        }
        world.run(for: .seconds(20))
        #expect(world.orders.lowered.count == 2 && made(world).isEmpty)
        #expect(world.orders.owed.last?.items.map(\.description) == [Self.route])
        #expect(
            world.reports.cycles.last { $0.action.summary != nil }?.action.summary?.restoration
                == Self.restored)
        #expect(world.toggler.pendingRestore == nil)
    }

    @Test("a pending restore outlives a bounce that ends because a user sets the link down")
    func setDown() {
        var world = world { $0.backoff = .seconds(20) }
        while world.orders.lowered.count < 2, world.now - world.begun < .seconds(600) {
            world.run(for: .seconds(1))
        }
        world.configuration.snapshot = Snapshot()
        world.run(until: "awaiting link")
        world.link.isUp = false
        world.tell(.linkChanged(Sample.link(isUp: false)))
        let before = world.orders.putBack.count
        world.run(for: .seconds(7))
        #expect(world.reports.steps.last == .loweredByOther && world.orders.putBack.count == before)
        #expect(world.toggler.pendingRestore?.snapshot.items.map(\.description) == [Self.route])
        world.configuration.restoration = Self.restored
        (world.link.isUp, world.hosts.gatewayAnswers) = (true, true)
        world.tell(.linkChanged(Sample.link()))
        world.run(for: .seconds(70))
        #expect(made(world) == [.restoredLate(restored: [Self.route], givenUp: [])])
    }

    @Test("a pending restore is over if a bounce finds nothing missing, and the link is set down only then")
    func foundAndSetDown() {
        var world = world { $0.backoff = .seconds(20) }
        world.configuration.restoration = Restoration()
        while world.orders.lowered.count < 2, world.now - world.begun < .seconds(600) {
            world.run(for: .seconds(1))
        }
        world.run(until: "pausing")
        world.link.isUp = false
        world.tell(.linkChanged(Sample.link(isUp: false)))
        world.run(for: .seconds(10))
        #expect(world.reports.steps.last == .loweredByOther && world.toggler.pendingRestore == nil)
    }

    @Test("a pending restore is dropped and reported after an hour; with --restore no there is none")
    func givenUp() {
        var world = world { $0.budget = 1 }
        world.hosts.gatewayAnswers = true
        world.run(for: .seconds(3500))
        #expect(made(world).isEmpty)
        world.run(for: .seconds(300))
        #expect(made(world) == [.restoredLate(restored: [], givenUp: [Self.route])])
        #expect(world.toggler.pendingRestore == nil)

        world = self.world { $0.restores = false }
        let count = world.orders.putBack.count
        world.hosts.gatewayAnswers = true
        world.run(for: .seconds(300))
        #expect(world.toggler.pendingRestore == nil && world.orders.putBack.count == count)
    }

    @Test("what an earlier method of the same ladder destroyed is not taken for a pending restore")
    func ladder() throws {
        let item = Snapshot.Item(kind: .route, message: [1], description: Self.route, isAdministrators: true)
        let pending = Snapshot(items: [item])
        for (leftover, isCarried) in [(Snapshot(), false), (pending, true)] {
            let ladder = Ladder([.bounce, .rfkill], leftover: leftover)
            var bounce = Bounce(.unconditional, before: Sample.kernelState(), ladder)
            (bounce.snapshot, bounce.restoration, bounce.raisedAt) = (pending, Self.refused, .boot)
            let next = try #require(bounce.escalated(by: [.rfkill]))
            #expect(next.ladder.leftover.items == [item])
            #expect(next.carriesPendingRestore == isCarried)
        }
    }

    @Test("a check that a user requests while items are restored follows at once")
    func requestedCheck() {
        var world = world()
        world.hosts.gatewayAnswers = true
        while world.toggler.state.name != "restoring", world.now - world.begun < .seconds(600) {
            world.run(for: .microseconds(500))
        }
        let before = world.reports.cycles.count
        world.tell(.cycleRequested)
        world.run(for: .seconds(2))
        #expect(world.reports.cycles.count == before + 1)
    }

    @Test("a pending restore is dropped with the interface, and does not delay a user's bounce")
    func interrupted() {
        var world = world()
        world.hosts.gatewayAnswers = true
        while world.toggler.state.name != "restoring", world.now - world.begun < .seconds(600) {
            world.run(for: .microseconds(500))
        }
        #expect(world.orders.lowered.count == 1)
        world.tell(.bounceRequested(delay: .seconds(1)))
        world.run(for: .seconds(30))
        #expect(world.orders.lowered.count == 2)
        world.tell(.linkRemoved)
        #expect(world.toggler.pendingRestore == nil)
    }
}
