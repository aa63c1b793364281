import Testing

@testable import Toggling

/// What holds a bounce back for the sake of people: quiet hours.
@Suite("Stories of calm") struct CalmStoryTests {
    @Test("in quiet hours it looks and does not bounce, and does at their end", arguments: [false, true])
    func quiet(isForced: Bool) throws {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = isForced })
        world.gatewayAnswers = false
        let end = world.now + .seconds(3590)
        world.quietUntil = end
        world.start()
        world.run(for: .seconds(3580))
        #expect(world.lowered.isEmpty)
        #expect(world.looks.count > 50)
        #expect(world.cycles.last?.action == .held(.quiet(until: end)))
        #expect(world.cycles.last?.next == NextLook(at: end, why: .quiet))
        world.run(for: .seconds(20))
        #expect(world.lowered.count == 1)
    }

    @Test("reconnect is held in quiet hours, a toggle asks nobody")
    func oneShots() {
        for (mission, bounces) in [(Mission.reconnect, 0), (.toggle, 1)] {
            var world = VirtualWorld(mission)
            world.gatewayAnswers = false
            world.quietUntil = world.now + .seconds(3600)
            world.start()
            world.run(for: .seconds(120))
            #expect(world.lowered.count == bounces, "\(mission)")
            #expect(world.outcome == .sick, "\(mission)")
        }
    }

    @Test("a healthy link in quiet hours is healthy, and nothing is held")
    func healthy() {
        var world = VirtualWorld(.watch)
        world.quietUntil = world.now + .seconds(3600)
        world.start()
        world.run(for: .seconds(600))
        #expect(world.cycles.allSatisfy { $0.action == .none })
    }
}
