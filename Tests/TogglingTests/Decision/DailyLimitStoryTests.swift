import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of what is done only so often a day") struct DailyLimitStoryTests {
    private static let dead = OwnerCondition(.iwd, .dead)

    @Test("at most three restarts a day are made, even if each one helps")
    func threeADay() {
        var world = Sample.unassociatedWorld(owner: Self.dead, mendedBy: .restartOwner)
        world.start()
        for _ in 0..<5 {
            world.run(for: .seconds(3600))
            world.link.isInRange = false
        }
        world.run(for: .seconds(3600))
        #expect(world.orders.tried.count { $0 == .restartOwner } == 3)
        // A day later, another restart is permitted.
        world.run(for: .seconds(86400))
        #expect(world.orders.tried.count { $0 == .restartOwner } == 4)
    }

    @Test(
        "a restart counts even if the interface disappears during it, or the program has to end",
        arguments: [Event.linkRemoved, .terminationRequested])
    func countedInAnyCase(end: Event) {
        var world = Sample.unassociatedWorld(owner: Self.dead, mendedBy: nil)
        world.start()
        world.run(until: "performing")
        #expect(world.toggler.limiter.saved.restarts.isEmpty)
        world.tell(end)
        #expect(world.orders.stopped == 1 && world.toggler.limiter.saved.restarts.count == 1)
        #expect(world.toggler.limiter.noBounceReason(at: world.now, world.toggler.settings) != nil)
    }

    @Test("restart-owner named by a user runs three times a day at most, and no other method replaces it")
    func namedRestart() {
        var world = Sample.unassociatedWorld(mendedBy: .restartOwner) { $0.methods = [.restartOwner] }
        world.start()
        for _ in 0..<5 {
            world.run(for: .seconds(3600))
            world.link.isInRange = false
        }
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.restartOwner, .restartOwner, .restartOwner])
        guard case .held(.budgetSpent)? = world.reports.cycles.last?.action else {
            Issue.record("\(String(describing: world.reports.cycles.last?.action))")
            return
        }
    }

    @Test("after the third reset or restart of a day, no owner is restarted in the same ladder")
    func thirdIsReset() {
        var spent = BounceLimiter.Saved()
        spent.bounces = [.boot + .seconds(50)]
        spent.restarts = [.boot + .seconds(40), .boot + .seconds(50)]
        var world = Sample.unassociatedWorld(
            owner: OwnerCondition(.networkManager, .hung), radio: .crashed, mendedBy: nil, limiter: spent)
        world.start()
        world.run(for: .seconds(600))
        #expect(world.orders.tried.prefix(2) == [.reset, .bounce])
        #expect(world.orders.tried.count { $0 == .restartOwner } == 0)
    }

    @Test("a day has no more bounces than the daily budget")
    func dailyBudget() {
        var world = Sample.unassociatedWorld(mendedBy: nil) {
            $0.dailyBudget = 2
            $0.backoffMaximum = .seconds(60)
        }
        world.start()
        world.run(for: .seconds(86000))
        #expect(world.orders.tried == [.bounce, .bounce])
    }
}
