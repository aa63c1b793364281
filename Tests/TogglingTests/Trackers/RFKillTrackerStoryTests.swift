import Testing

@testable import Model
@testable import Toggling

/// If an rfkill block took a link down, and no other program raises the link afterwards, the program raises
/// it once.
@Suite("Stories of rfkill blocks") struct RFKillTrackerStoryTests {
    private static let timeout = RFKillTracker.timeout.wholeSeconds

    private func healthyWorld(_ runMode: RunMode = .watch, _ change: (inout Settings) -> Void = { _ in })
        -> VirtualWorld
    {
        var world = VirtualWorld(runMode, Sample.settings(change))
        world.start()
        world.run(for: .seconds(30))
        return world
    }

    @Test("after a block the owner gets its time, then the link is raised once, with a report")
    func raised() throws {
        var world = healthyWorld()
        world.block()
        world.run(for: .seconds(300))
        #expect(world.orders.raised.isEmpty, "blocked, there is nothing to raise")
        world.lift()
        world.run(for: .seconds(1))
        #expect(world.reports.cycles.last?.next?.why == .grace)
        world.run(for: RFKillTracker.timeout)
        #expect(world.orders.raised.map(\.wholeSeconds) == [330 + Self.timeout])
        #expect(world.orders.lowered.isEmpty)
        #expect(world.reports.steps.contains(.raisingAfterBlock))
        world.run(for: .seconds(300))
        #expect(world.orders.raised.count == 1)
        #expect(world.toggler.health.condition == .healthy)
        let raises = world.reports.cycles.filter { if case .raised = $0.action { true } else { false } }
        #expect(raises.map(\.verdict.conclusion) == [.healthy])
    }

    @Test("after a block that is lifted at once the link is raised, in any order of notifications")
    func short() {
        let orders: [[Event]] = [
            [.down, .radioChanged(.soft), .radioChanged(.none)],
            [.radioChanged(.soft), .down, .radioChanged(.none)],
            [.radioChanged(.soft), .radioChanged(.none), .down],
        ]
        for order in orders {
            var world = healthyWorld()
            world.link.isUp = false
            for event in order {
                world.run(for: .milliseconds(300))
                world.tell(event)
            }
            world.run(for: .seconds(60))
            #expect(world.orders.raised.count == 1, "\(order)")
        }
    }

    @Test("a link that a user set down before, after or without a block stays down")
    func user() {
        var before = healthyWorld()
        before.link.isUp = false
        before.tell(.down)
        before.run(for: RadioBlock.reach + .seconds(1))
        before.link.radio = .soft
        before.tell(.radioChanged(.soft))
        before.run(for: .seconds(100))
        before.lift()
        before.run(for: .seconds(600))
        #expect(before.orders.raised.isEmpty)

        var after = healthyWorld()
        after.block()
        after.run(for: .seconds(5))
        after.lift()
        after.link.isUp = true
        after.tell(.linkChanged(Sample.link()))
        after.run(for: .seconds(5))
        after.link.isUp = false
        after.tell(.down)
        after.run(for: .seconds(600))
        #expect(after.orders.raised.isEmpty)

        var without = healthyWorld()
        without.link.isUp = false
        without.tell(.down)
        without.run(for: .seconds(600))
        #expect(without.orders.raised.isEmpty)
    }

    @Test("after lost notifications the link stays down, because a user may have set it down")
    func overrun() {
        var world = healthyWorld()
        world.link.isUp = false
        world.link.radio = .soft
        world.tell(.monitorOverran)
        world.run(for: .seconds(5))
        world.lift()
        world.run(for: .seconds(600))
        #expect(world.orders.raised.isEmpty)
    }

    @Test("a new block before the raise postpones it, a later block causes another raise")
    func blockedAgain() {
        var world = healthyWorld()
        world.block()
        world.run(for: .seconds(5))
        world.lift()
        world.run(for: .seconds(5))
        world.block()
        world.run(for: .seconds(100))
        #expect(world.orders.raised.isEmpty)
        world.lift()
        world.run(for: .seconds(60))
        #expect(world.orders.raised.count == 1)
        world.block()
        world.run(for: .seconds(10))
        world.lift()
        world.run(for: .seconds(60))
        #expect(world.orders.raised.count == 2)
    }

    @Test("a raise that fails is not repeated before the next block")
    func refused() {
        var world = healthyWorld()
        world.raisingFailure = Failure(kind: .other, description: "no")
        world.block()
        world.run(for: .seconds(5))
        world.lift()
        world.run(for: .seconds(60))
        let failed = world.reports.cycles.filter {
            if case .failed(.raising, _) = $0.action { true } else { false }
        }
        #expect(failed.count == 1)
        world.raisingFailure = nil
        world.run(for: .seconds(600))
        #expect(world.orders.raised.isEmpty)
    }

    @Test("a dry run only reports the raise, and a one-shot does not know of the block")
    func keepsHandsOff() {
        var dry = healthyWorld { $0.isDryRun = true }
        dry.block()
        dry.run(for: .seconds(5))
        dry.lift()
        dry.run(for: .seconds(60))
        #expect(dry.orders.raised.isEmpty)
        #expect(dry.reports.cycles.contains { $0.action == .skipped(.dryRun([])) })

        var once = VirtualWorld(.reconnect)
        once.link.isUp = false
        once.start()
        once.run(for: .seconds(60))
        #expect(once.reports.outcome == .refused(.administrativelyDown))
    }
}

extension Event {
    static let down = Event.linkChanged(Sample.link(isUp: false, state: .down, carrier: false))
}

extension VirtualWorld {
    /// Blocks the radio, and sends the announcements in the kernel's order: the link's first.
    mutating func block() {
        link.radio = .soft
        if link.isUp {
            link.isUp = false
            tell(.down)
        }
        run(for: .milliseconds(300))
        tell(.radioChanged(.soft))
    }

    mutating func lift() {
        link.radio = .none
        tell(.radioChanged(.none))
    }
}
