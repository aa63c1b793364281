import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of a reboot because a link cannot be set up again") struct RefusedRaiseRebootStoryTests {
    private static let refused = Failure(kind: .other, code: 110, description: "Connection timed out")

    /// A service whose link has worked, is lost, and cannot be set up again, neither after a bounce nor after
    /// a reset.
    private static func world(
        _ failure: Failure = refused,
        _ change: (inout Settings) -> Void = { $0.methodsBesideAuto = [.reboot] }
    ) -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings(change))
        world.start()
        world.run(for: .seconds(120))
        (world.raisingFailure, world.link.isInRange) = (failure, false)
        return world
    }

    /// The kinds of the reasons that were reported, in order.
    private static func told(_ world: VirtualWorld) -> [NoBounceReason.Kind] {
        world.reports.steps.compactMap {
            if case .notRecovered(nil, let reason) = $0 { reason.kind } else { nil }
        }
    }

    private static func runToReboot(_ world: inout VirtualWorld) {
        let end = world.now + .seconds(1500)
        while world.orders.reboots == 0, world.now < end { world.run(for: .milliseconds(100)) }
    }

    @Test("after a quarter of an hour the machine is rebooted, and the link stays under its guard until then")
    func rebooted() {
        var world = Self.world()
        world.run(for: .seconds(900))
        #expect(
            world.orders.tried == [.bounce, .reset] && world.isGuarded && world.orders.questionsForReboot == 0
        )
        Self.runToReboot(&world)
        #expect(world.orders.tried == [.bounce, .reset, .reboot])
        let announced = world.reports.steps.contains {
            if case .beginning(.reboot, let verdict?) = $0 { verdict.layer == .association } else { false }
        }
        #expect(announced && world.toggler.state.name == "raising" && world.isGuarded)
        #expect(world.toggler.limiter.state.restarts.count == 1, "a reboot is no restart")
        world.run(for: .seconds(300))
        #expect(world.orders.reboots == 1)
        // While the machine goes down, the service manager tells the program to end.
        world.tell(.terminationRequested)
        world.run(for: .seconds(60))
        #expect(world.reports.outcome != nil && world.orders.stopped == 1)
        #expect(world.toggler.limiter.state.restarts.count == 1)
    }

    @Test("named methods without a reset lead to the reboot, too")
    func named() {
        var world = Self.world { $0.methods = [.bounce, .reboot] }
        Self.runToReboot(&world)
        #expect(world.orders.tried == [.bounce, .reboot])
    }

    @Test("an obstacle to a reboot is reported once, and the machine is rebooted when it is gone")
    func obstacles() {
        let obstacles: [(change: (inout VirtualWorld) -> Void, kind: NoBounceReason.Kind)] = [
            ({ $0.conditions.administrativeHold = .untilReleased }, .held),
            ({ $0.conditions.quietUntil = .seconds(1e9) }, .quietHours),
            // The end of the quiet hours differs a little each time.
            (
                { world in world.onRebootQuestion = { $0.conditions.quietUntil = $0.now + .seconds(1e9) } },
                .quietHours
            ),
            ({ $0.conditions.rebootState.user = "alice" }, .noReboot),
            ({ $0.conditions.rebootState.otherUplink = "eth0" }, .noReboot),
            ({ $0.conditions.rebootState.isRecordable = false }, .noReboot),
            ({ $0.conditions.rebootState.reboots = [$0.now] }, .noReboot),
        ]
        for obstacle in obstacles {
            var world = Self.world()
            world.run(until: "raising")
            obstacle.change(&world)
            world.run(for: .seconds(3600))
            #expect(world.orders.reboots == 0 && Self.told(world) == [obstacle.kind])
            #expect(world.isGuarded && world.toggler.state.name == "raising")
            (world.conditions.rebootState, world.conditions.administrativeHold, world.conditions.quietUntil) =
                (RebootState(), nil, nil)
            world.onRebootQuestion = { _ in }
            world.run(for: .seconds(60))
            #expect(world.orders.reboots == 1)
        }
    }

    @Test("a second obstacle to the reboot is reported too, and a spent budget counts as an obstacle")
    func otherObstacle() {
        var world = Self.world {
            $0.methodsBesideAuto = [.reboot]
            $0.budget = 1
        }
        world.run(until: "raising")
        world.run(for: .seconds(1200))
        world.conditions.rebootState.user = "alice"
        world.run(for: .seconds(3600))
        #expect(Self.told(world) == [.budgetSpent, .noReboot] && world.orders.reboots == 0)
    }

    @Test("no reboot with --force, in a dry run, without a settle time, or if reboot is not named any more")
    func unwanted() {
        let changes: [(inout Settings) -> Void] = [
            { $0.isForced = true }, { $0.isDryRun = true }, { $0.settle = .zero },
            { $0.methodsBesideAuto = [] },
        ]
        for change in changes {
            var world = Self.world()
            world.run(until: "raising")
            var settings = world.toggler.settings
            change(&settings)
            world.tell(.reconfigured(settings))
            world.run(for: .seconds(3600))
            #expect(world.orders.reboots == 0 && world.isGuarded && world.toggler.state.name == "raising")
        }
    }

    @Test("a radio block in between restarts the time before the reboot, and a reset precedes the reboot")
    func interrupted() {
        let blocked = Failure(kind: .radioBlocked, code: 132, description: "blocked")
        var world = Self.world(blocked)
        world.run(for: .seconds(3600))
        #expect(world.orders.tried == [.bounce])
        world.raisingFailure = Self.refused
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.bounce, .reset])
        world.run(for: .seconds(600))
        world.raisingFailure = blocked
        world.run(for: .seconds(60))
        world.raisingFailure = Self.refused
        world.run(for: .seconds(600))
        #expect(world.orders.reboots == 0)
        world.run(for: .seconds(400))
        #expect(world.orders.reboots == 1)
    }

    @Test("if the raise is refused after rfkill, the named reset is not tried, so no reboot follows")
    func otherMethod() {
        var world = Self.world { $0.methods = [.rfkill, .reset, .reboot] }
        world.run(for: .seconds(3600))
        #expect(world.orders.tried == [.rfkill] && world.toggler.state.name == "raising")
    }

    @Test("an answer that nobody waits for is ignored while the link cannot be raised")
    func unasked() {
        var world = Self.world()
        world.run(until: "raising")
        let steps = world.reports.steps.count
        world.tell(.performingFailed(Self.refused))
        #expect(world.reports.steps.count == steps)
    }

    @Test("a link that comes back cancels the reboot", arguments: [false, true])
    func back(isRaisedByOther: Bool) throws {
        var world = Self.world()
        Self.runToReboot(&world)
        (world.raisingFailure, world.link.isInRange) = (nil, true)
        let before = world.now
        if isRaisedByOther { world.tell(.linkChanged(Sample.link())) }
        while world.orders.stopped == 0, world.now - before < .seconds(60) {
            world.run(for: .milliseconds(100))
        }
        #expect(world.orders.stopped == 1 && (!isRaisedByOther || world.now - before < .seconds(1)))
        world.run(for: .seconds(60))
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.verdict.conclusion == .healthy && !world.isGuarded)
        #expect(cycle.action.summary?.methods.contains(.reboot) == false)
    }

    @Test("a program that is told to end while it asks about a reboot orders none")
    func ending() {
        var world = Self.world()
        let end = world.now + .seconds(1500)
        while world.orders.questionsForReboot == 0, world.now < end { world.run(for: .microseconds(500)) }
        world.tell(.terminationRequested)
        world.run(for: .seconds(60))
        #expect(
            world.orders.questionsForReboot == 1 && world.orders.reboots == 0 && world.reports.outcome != nil)
    }

    @Test("an interface that disappears cancels the reboot")
    func gone() {
        var world = Self.world { $0.methods = [.bounce, .reboot] }
        Self.runToReboot(&world)
        world.disappear(nil)
        #expect(world.orders.stopped == 1 && !world.isGuarded && world.toggler.state.name == "absent")
        #expect(world.toggler.limiter.state.restarts.isEmpty)
    }

    @Test("a reboot that failed is reported, and tried again")
    func failed() {
        let failure = Failure(kind: .busy, description: "inhibited")
        var world = Self.world()
        world.refused[.reboot] = failure
        Self.runToReboot(&world)
        world.run(for: .seconds(1))
        #expect(world.reports.steps.contains(.passedOver(.reboot, .performing, failure, next: nil)))
        #expect(world.isGuarded && world.toggler.state.name == "raising")
        world.conditions.rebootState.failedAt = world.now
        world.run(for: .seconds(890))
        #expect(world.orders.reboots == 1)
        world.run(for: .seconds(60))
        #expect(world.orders.reboots == 2 && world.orders.stopped == 0)
    }

    @Test(
        "no reboot if the device is not at fault, or a user requested the bounce, even of a sick link",
        arguments: [
            Failure(kind: .radioBlocked, code: 132, description: "blocked"),
            Failure(kind: .busy, code: 16, description: "busy"), nil,
        ])
    func none(failure: Failure?) {
        var world = Self.world(failure ?? Self.refused)
        if failure == nil {
            world.conditions.administrativeHold = .untilReleased
            world.run(for: .seconds(300))
            world.conditions.administrativeHold = nil
            world.tell(.bounceRequested(delay: nil))
        }
        world.run(for: .seconds(3600))
        #expect(world.orders.reboots == 0 && world.toggler.state.name == "raising")
    }

    @Test("no reboot while rfkill blocks the radio")
    func blocked() {
        var world = Self.world()
        world.run(until: "raising")
        world.link.radio = .soft
        world.run(for: .seconds(1800))
        #expect(world.orders.reboots == 0 && world.orders.questionsForReboot > 0)
    }

    @Test("no reboot in a network that has never worked here")
    func neverWorked() {
        var world = VirtualWorld(.watch, Sample.settings { $0.methodsBesideAuto = [.reboot] })
        (world.raisingFailure, world.link.isInRange) = (Self.refused, false)
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.reports.steps.contains(.notRecovered(nil, .noReboot(.neverWorked))))
        #expect(world.toggler.state.name == "raising" && world.orders.reboots == 0)
    }
}
