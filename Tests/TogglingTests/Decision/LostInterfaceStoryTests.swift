import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of a device that has lost its interface") struct LostInterfaceStoryTests {
    private static let route = Snapshot.Item(
        kind: .route, message: [1], description: "default via 10.77.0.1 dev wlan0 proto static",
        isAdministrators: true)

    /// A world with a healthy link, whose interface disappears after a while.
    /// - Parameter loss: the state of the device after that; nil: it was unplugged.
    static func world(
        _ loss: LossOfInterface?, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings(change))
        world.configuration.snapshot = Snapshot(items: [route])
        world.start()
        world.run(for: .seconds(100))
        world.disappear(loss)
        return world
    }

    @Test(
        "the device of a lost interface is reset after half a minute, and the routes are restored",
        arguments: LossOfInterface.allCases)
    func reset(loss: LossOfInterface) throws {
        var world = Self.world(loss)
        world.run(for: .seconds(29))
        #expect(world.toggler.state.name == "absent")
        #expect(world.orders.tried.isEmpty)
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.reset])
        #expect(world.orders.lowered.map(\.wholeSeconds) == [130])
        #expect(world.orders.owed.first?.items == [Self.route])
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.action.summary?.methods == [.reset])
        #expect(cycle.verdict.conclusion == .healthy)
        let causes = world.reports.steps.compactMap { step -> Verdict? in
            if case .beginning(.reset, let verdict) = step { verdict } else { nil }
        }
        #expect(causes.map(\.reason) == [.interfaceLost])
        #expect(causes.first?.layer == .radio)
        #expect(causes.first?.evidence == [.radioCondition(.lostInterface(loss))])
        #expect(world.reports.kept.last?.limiter.restarts.count == 1)
        #expect(!world.isGuarded)
    }

    @Test("for an unplugged device no method is tried; the program looks for it about once a minute")
    func unplugged() {
        var world = Self.world(nil)
        world.run(for: .seconds(3600))
        #expect(world.orders.tried.isEmpty)
        #expect((55...61).contains(world.orders.deviceQuestions.count))
    }

    @Test("if a driver comes back later than its device, it gets time to create the interface")
    func pluggedAgain() {
        var world = Self.world(nil)
        world.run(for: .seconds(70))
        world.link.loss = .unbound
        world.run(for: .seconds(10))
        #expect(world.orders.tried.isEmpty)
        world.appear()
        world.run(for: .seconds(600))
        #expect(world.orders.tried.isEmpty)
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test("the device is reset only if it lacks its interface in two queries in a row")
    func inARow() {
        var world = Self.world(.bound)
        world.run(for: .seconds(20))
        world.link.loss = nil
        world.run(for: .seconds(20))
        #expect(world.orders.deviceQuestions.count == 2)
        world.link.loss = .bound
        world.run(for: .seconds(60))
        #expect(world.orders.deviceQuestions.count == 3)
        #expect(world.orders.tried.isEmpty)
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.reset])
    }

    @Test("an interface that appears while the guard starts is left alone")
    func appearsWhileArming() {
        var world = Self.world(.bound)
        world.run(until: "arming")
        #expect(world.toggler.state.bounce?.isGuarded == true)
        world.appear()
        world.run(for: .seconds(600))
        #expect(world.orders.tried.isEmpty)
        #expect(!world.isGuarded)
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test("a hold and quiet hours postpone the reset until they end", arguments: [true, false])
    func postponed(hasEnd: Bool) {
        var held = Self.world(.bound)
        held.conditions.administrativeHold = hasEnd ? .until(held.now + .seconds(7200)) : .untilReleased
        held.run(for: .seconds(3600))
        #expect(held.orders.tried.isEmpty)
        held.conditions.administrativeHold = nil
        held.run(for: .seconds(65))
        #expect(held.orders.tried == [.reset])

        var quiet = Self.world(.bound)
        quiet.conditions.quietUntil = quiet.now + .seconds(1000)
        quiet.run(for: .seconds(999))
        #expect(quiet.orders.tried.isEmpty)
        quiet.run(for: .seconds(5))
        #expect(quiet.orders.tried == [.reset])
    }

    @Test("a link that a user had set down, or a blocked radio, is left alone")
    func unwanted() {
        var down = VirtualWorld(.watch, Sample.settings())
        down.start()
        down.run(for: .seconds(100))
        down.goDown(isClosed: false)
        down.run(for: .seconds(20))
        down.disappear(.bound)
        down.run(for: .seconds(3600))
        #expect(down.orders.tried.isEmpty && down.orders.deviceQuestions.isEmpty)

        var blocked = VirtualWorld(.watch, Sample.settings())
        blocked.start()
        blocked.run(for: .seconds(100))
        (blocked.link.radio, blocked.link.isUp) = (.soft, false)
        blocked.tell(.radioChanged(.soft))
        blocked.run(for: .seconds(20))
        blocked.disappear(.bound)
        blocked.run(for: .seconds(3600))
        #expect(blocked.orders.tried.isEmpty && blocked.orders.deviceQuestions.isEmpty)

        // No check has seen the block, but the last state has it.
        var unseen = VirtualWorld(.watch, Sample.settings())
        unseen.start()
        unseen.run(for: .seconds(100))
        unseen.link.radio = .soft
        unseen.disappear(.bound)
        unseen.run(for: .seconds(3600))
        #expect(unseen.orders.tried.isEmpty && !unseen.orders.deviceQuestions.isEmpty)
    }

    @Test("with methods that a user names, the plain timer or a dry run, a lost interface is only awaited")
    func otherModes() {
        let changes: [(inout Settings) -> Void] = [
            { $0.methods = [.bounce, .reset] }, { $0.isForced = true }, { $0.isDryRun = true },
        ]
        for change in changes {
            var world = Self.world(.bound, change)
            let before = world.orders.tried
            world.run(for: .seconds(3600))
            #expect(world.orders.tried == before)
            #expect(world.orders.deviceQuestions.isEmpty)
        }
    }

    @Test("after a lost interface the device is reset if new settings end a dry run, not if they begin one")
    func reconfigured() {
        var world = Self.world(.bound) { $0.isDryRun = true }
        world.run(for: .seconds(600))
        world.advance(to: Sample.settings())
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.reset])

        var other = Self.world(.bound)
        other.run(for: .seconds(20))
        other.advance(to: Sample.settings { $0.isDryRun = true })
        other.run(for: .seconds(600))
        #expect(other.orders.tried.isEmpty)
    }

    @Test("a reset that brings no interface back is tried three times a day, as the back-off permits")
    func inVain() {
        var world = Self.world(.bound)
        world.raisingFailure = Failure(kind: .notBack, description: "the driver did not give it back")
        world.run(for: .seconds(80_000))
        #expect(world.orders.tried == [.reset, .reset, .reset])
        let gaps = zip(world.orders.lowered, world.orders.lowered.dropFirst()).map { ($1 - $0).wholeSeconds }
        #expect(gaps[0] >= 54 && gaps[1] >= 108)
        #expect(world.toggler.state.name == "absent")
        world.raisingFailure = nil
        world.run(for: .seconds(10_000))
        #expect(world.orders.tried.count == 4)
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
        // The routes were not forgotten.
        #expect(world.orders.owed.first?.items == [Self.route])
    }

    @Test("a reset that is refused is counted, so that it is not tried again and again")
    func refused() {
        var world = Self.world(.bound)
        let failure = Failure(kind: .notPermitted, description: "no")
        world.refused[.reset] = failure
        world.run(for: .seconds(3600))
        #expect(world.orders.tried.count == 3)
        #expect(world.reports.steps.contains(.passedOver(.reset, .lowering, failure, next: nil)))
        #expect(world.reports.kept.last?.limiter.restarts.count == 3)
    }

    @Test("a reset whose guard does not start is counted, too")
    func withoutGuard() {
        var world = Self.world(.bound)
        world.run(until: "arming")
        world.tell(.guardFailed(Failure(kind: .other, description: "no guard")))
        #expect(world.reports.kept.last?.limiter.restarts.count == 1)
        world.run(for: .seconds(45))
        #expect(world.orders.tried.isEmpty && world.toggler.state.name == "absent")
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.reset])
    }

    @Test("an interface that disappeared before the service was started is only awaited")
    func before() {
        var world = VirtualWorld(.watch, Sample.settings())
        world.start(after: .bound)
        world.run(for: .seconds(3600))
        #expect(world.orders.tried.isEmpty && world.orders.deviceQuestions.isEmpty)
    }

    @Test("an interface whose announcement came during a failed reset is found")
    func missed() {
        var world = Self.world(.bound)
        world.raisingFailure = Failure(kind: .notBack, description: "the driver did not give it back")
        world.run(until: "raising")
        world.appear()
        world.run(for: .seconds(100))
        #expect(world.orders.tried == [.reset])
        #expect(world.toggler.state.name == "waiting")
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test(
        "a termination before the reset leaves the device alone; during the reset it is restored first")
    func termination() {
        var early = Self.world(.bound)
        early.run(until: "arming")
        early.tell(.terminationRequested)
        early.run(for: .seconds(60))
        #expect(early.orders.tried.isEmpty && early.reports.outcome == .interrupted && !early.isGuarded)

        var late = Self.world(.bound)
        late.run(until: "keeping down")
        late.tell(.terminationRequested)
        late.run(for: .seconds(60))
        #expect(
            late.orders.tried == [.reset] && late.orders.raised.count == 1
                && late.reports.outcome == .interrupted)
    }

    /// A one-shot (by default a toggle) with the method reset, for an interface that is gone.
    private static func toggle(
        _ loss: LossOfInterface?, _ runMode: RunMode = .toggle, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(
            runMode,
            Sample.settings {
                $0.methods = [.reset]
                ($0.settle, $0.restores) = (.zero, false)
                change(&$0)
            })
        world.start(after: loss)
        return world
    }

    @Test("a toggle with the method reset resets the device at once", arguments: LossOfInterface.allCases)
    func order(loss: LossOfInterface) {
        var world = Self.toggle(loss)
        world.run(until: "keeping down")
        #expect(world.isGuarded)
        world.run(for: .seconds(30))
        #expect(world.orders.tried == [.reset] && world.orders.raised.count == 1)
        #expect(world.orders.lowered.map(\.wholeSeconds) == [0])
        #expect(world.reports.outcome == .healthy && !world.isGuarded)
        #expect(world.orders.deviceQuestions.count == 1)
    }

    @Test("a toggle does nothing if the device has not lost its interface, or with other methods")
    func noOrder() {
        for var world in [
            Self.toggle(nil), Self.toggle(.bound) { $0.methods = [] },
            Self.toggle(.bound) { $0.methods = [.bounce, .reset] },
            Self.toggle(.bound) { $0.isDryRun = true },
            Self.toggle(.bound, .reconnect), Self.toggle(.bound, .probe),
        ] {
            world.run(for: .seconds(60))
            #expect(world.orders.tried.isEmpty)
            #expect(world.reports.outcome == .refused(.absent))
        }
    }

    @Test(
        "a toggle fails if the reset is refused or useless; a toggle told to end restores the device first")
    func failedOrder() {
        var refused = Self.toggle(.bound)
        refused.refused[.reset] = Failure(kind: .unavailable, description: "no")
        refused.run(for: .seconds(60))
        #expect(refused.reports.outcome == .refused(.absent) && !refused.isGuarded)

        var inVain = Self.toggle(.bound)
        inVain.raisingFailure = Failure(kind: .notBack, description: "the driver did not give it back")
        inVain.run(for: .seconds(60))
        #expect(inVain.reports.outcome == .refused(.absent) && !inVain.isGuarded)

        var ended = Self.toggle(.bound)
        ended.run(until: "keeping down")
        ended.tell(.terminationRequested)
        ended.run(for: .seconds(60))
        #expect(ended.orders.raised.count == 1 && ended.reports.outcome == .interrupted)
    }
}
