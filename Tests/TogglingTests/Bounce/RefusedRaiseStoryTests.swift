import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of a link that its driver refuses to set up again") struct RefusedRaiseStoryTests {
    private static let refused = Failure(kind: .other, code: 110, description: "Connection timed out")

    /// A world whose link cannot be set up again after a bounce, because the firmware of the device hangs.
    static func world(
        _ runMode: RunMode = .watch, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change))
        world.raisingFailure = refused
        if runMode == .watch { world.link.isInRange = false }
        return world
    }

    private static let route = Snapshot(items: [
        Snapshot.Item(
            kind: .route, message: [1], description: "default via 10.77.0.1", isAdministrators: true)
    ])

    /// What happened while the link could not be raised.
    private final class Log {
        var refusals = 0
        var orders: [GuardOrder] = []
        var raises: [Instant] = []

        func note(_ event: Event, _ now: Instant, _ effects: [Effect]) {
            if case .linkRaisingFailed = event { refusals += 1 }
            for case .armGuard(let order) in effects { orders.append(order) }
            if effects.contains(.raiseLink(.bounce)) { raises.append(now) }
        }
    }

    private static func runToReset(_ world: inout VirtualWorld) {
        let end = world.now + .seconds(120)
        while !isReset(world), world.now < end { world.run(for: .milliseconds(1)) }
    }

    private static func isReset(_ world: VirtualWorld) -> Bool { world.orders.tried.contains(.reset) }

    @Test(
        "each error with which drivers refuse calls for a reset",
        arguments: [1, 5, 6, 11, 16, 19, 22, 52, 70, 71, 105, 108, 110, 114, 121] as [Int32])
    func codes(code: Int32) {
        var world = Self.world()
        world.raisingFailure = Failure(kind: .other, code: code, description: "refused")
        world.start()
        Self.runToReset(&world)
        #expect(world.orders.tried == [.bounce, .reset])
    }

    @Test("after three refusals, the device is reset, which brings back the link and all that it had")
    func reset() throws {
        var world = Self.world()
        world.configuration.snapshot = Self.route
        world.start()
        while !Self.isReset(world), world.now - world.begun < .seconds(120) {
            world.run(for: .milliseconds(1))
            let isDown = world.toggler.state.bounce?.step.phase == .down
            #expect(!isDown || world.isGuarded, "\(world.toggler.state.name)")
        }
        #expect(world.orders.tried == [.bounce, .reset])
        #expect(world.reports.steps.contains(.passedOver(.bounce, .raising, Self.refused, next: .reset)))
        (world.raisingFailure, world.link.isInRange) = (nil, true)
        let begun = world.now
        let lost = try #require(world.toggler.state.bounce?.snapshot)
        world.run(for: .seconds(60))
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(summary.methods == [.bounce, .reset])
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
        // The link was down during the bounce, for three attempts in three seconds, and during the reset.
        let all = (world.orders.raised.first ?? .zero) - (world.orders.lowered.first ?? .zero)
        #expect(summary.down > .seconds(9) && summary.down <= all)
        #expect(world.reports.steps.contains(.raised(downFor: summary.down)))
        #expect(world.orders.owed.first == lost)
        #expect(!world.isGuarded && world.now > begun)
        #expect(world.toggler.limiter.state.restarts.count == 1)
        #expect(world.toggler.limiter.state.bounces.count == 1)
    }

    @Test("a reset counts as carried out although the kernel had not answered when the link was lowered")
    func loweringTimedOut() throws {
        var world = Self.world()
        let failure = Failure(kind: .timedOut, description: "no answer")
        world.refused[.bounce] = failure
        world.start()
        Self.runToReset(&world)
        (world.raisingFailure, world.link.isInRange) = (nil, true)
        world.run(for: .seconds(60))
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(summary.methods == [.bounce, .reset] && summary.recovery != nil)
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test(
        "no reset if the user named other methods, or the error does not come from the device",
        arguments: [
            ([.bounce, .rfkill], refused), ([], Failure(kind: .radioBlocked, code: 132, description: "no")),
            ([], Failure(kind: .timedOut, code: 110, description: "no answer")),
            ([], Failure(kind: .busy, code: 16, description: "an access point is on the same radio")),
            ([], Failure(kind: .other, code: 100, description: "the link below is down")),
        ] as [([Model.Method], Failure)])
    func notReset(methods: [Model.Method], failure: Failure) {
        var world = Self.world { $0.methods = methods }
        world.raisingFailure = failure
        world.start()
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.bounce] && world.toggler.state.name == "raising" && world.isGuarded)
    }

    @Test("with named methods, the device is reset if the reset is among them")
    func named() {
        var world = Self.world { $0.methods = [.bounce, .rfkill, .reset] }
        world.start()
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.bounce, .reset])
    }

    @Test("with auto, a wired link is not reset")
    func wired() {
        var world = Self.world { $0.allowsAnyInterface = true }
        (world.link.isWireless, world.link.isInRange, world.hosts.gatewayAnswers) = (false, true, false)
        world.start()
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.bounce])
    }

    @Test("the device is reset at most three times a day, and not again after a reset in the same bounce")
    func seldom() {
        var world = Self.world()
        world.start()
        world.run(for: .seconds(600))
        #expect(world.orders.tried == [.bounce, .reset])
        #expect(world.toggler.state.name == "raising" && world.isGuarded)
        var spent = BounceLimiter.Saved()
        spent.bounces = [.boot + .seconds(500)]
        spent.restarts = [.boot + .seconds(500), .boot + .seconds(600), .boot + .seconds(700)]
        for (runMode, count) in [(RunMode.watch, 1), (.reconnect, 1), (.toggle, 2)] {
            var other = VirtualWorld(runMode, Settings(), limiter: spent)
            (other.raisingFailure, other.hosts.gatewayAnswers) = (Self.refused, false)
            other.start()
            other.run(for: .seconds(600))
            #expect(other.orders.tried.count == count, "\(runMode): a user's request is not limited")
        }
    }

    @Test("only after the third refusal by the device is the guard of the reset ordered, with all items")
    func order() {
        var world = Self.world()
        world.configuration.snapshot = Self.route
        let log = Log()
        world.recorder = { log.note($0, $1, $2) }
        world.start()
        world.run(until: "raising")
        world.guardLatency = .seconds(9)
        Self.runToReset(&world)
        #expect(log.refusals == 3 && log.orders.map(\.method) == [.bounce, .reset])
        #expect(log.orders.last?.snapshot.items == Self.route.items)
        #expect(world.reports.kept.last?.limiter.restarts.count == 1)
        (world.raisingFailure, world.link.isInRange) = (nil, true)
        world.run(for: .seconds(60))
        #expect(world.orders.owed.first?.items == Self.route.items)
    }

    @Test(
        "every error code of a failing device counts as a refusal, also if other errors come in between",
        arguments: [5, 6, 19, 52, 70, 71, 108, 110, 121])
    func errors(code: Int32) {
        var world = Self.world()
        world.start()
        world.run(until: "raising")
        world.run(for: .seconds(2))
        world.raisingFailure = Failure(kind: .busy, code: 16, description: "busy")
        world.run(for: .seconds(8))
        world.raisingFailure = Failure(kind: .other, code: code, description: "no")
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.bounce, .reset])
    }

    @Test(
        "without the reset's guard, attempts to raise the link go on, and the guard is ordered again later",
        arguments: [(nil, [1, 2, 10, 8, 16, 10, 30]), (0, [1, 2, 4, 8, 16, 30, 30])] as [(Int64?, [Int])])
    func pace(latency: Int64?, gaps: [Int]) {
        var world = Self.world()
        let log = Log()
        world.recorder = { log.note($0, $1, $2) }
        world.start()
        world.run(until: "raising")
        world.guardLatency = latency.map { .seconds($0) }
        if latency == 0 { world.guardFailure = Failure(kind: .unavailable, description: "no bus") }
        world.run(for: .seconds(150))
        let raises = log.raises
        #expect(zip(raises.dropFirst(), raises).map { ($0 - $1).wholeSeconds }.prefix(7) == gaps[...])
        #expect(log.orders.count == (latency == nil ? 4 : 2) && world.orders.tried == [.bounce])
        world.run(for: .seconds(3600))
        #expect(log.orders.count > 2, "a rule may have been removed")
    }

    @Test("if the link cannot be set up after a method other than the bounce, the device is not reset")
    func others() {
        var world = Self.world { $0.methods = [.rfkill, .reset] }
        world.start()
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.rfkill])
    }

    @Test("a reset that did not end the outage is made again if a later bounce needs it")
    func again() {
        var world = Self.world()
        (world.link.isInRange, world.hosts.gatewayAnswers) = (true, false)
        world.start()
        Self.runToReset(&world)
        world.raisingFailure = nil
        let end = world.now + .seconds(900)
        while world.orders.tried.count < 3, world.now < end { world.run(for: .milliseconds(1)) }
        world.raisingFailure = Self.refused
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.bounce, .reset, .bounce, .reset])
    }

    @Test("if the link is still sick after the reset, only a harsher method follows")
    func harsher() {
        let all: [Model.Method] = [.bounce, .rfkill, .reset, .hook]
        var world = Self.world { ($0.methods, $0.settle) = (all, .seconds(10)) }
        (world.link.isInRange, world.hosts.gatewayAnswers) = (true, false)
        world.start()
        Self.runToReset(&world)
        world.raisingFailure = nil
        world.run(for: .seconds(59))
        #expect(world.orders.tried.prefix(3) == [.bounce, .reset, .hook])
        #expect(all.allSatisfy(world.toggler.limiter.hasTried))
    }

    @Test("after a refused reset, the ladder goes on with the method after the bounce")
    func refusedReset() {
        var world = Self.world { ($0.methods, $0.settle) = ([.bounce, .rfkill, .reset], .seconds(10)) }
        (world.link.isInRange, world.hosts.gatewayAnswers) = (true, false)
        world.refused[.reset] = Failure(kind: .other, code: 22, description: "Invalid argument")
        world.start()
        Self.runToReset(&world)
        world.raisingFailure = nil
        world.run(for: .seconds(59))
        #expect(world.orders.tried.prefix(4) == [.bounce, .reset, .rfkill, .reset])
    }

    @Test("an interface that disappears in the reset is awaited, without a guard")
    func disappears() {
        var world = Self.world()
        world.refused[.reset] = Failure(kind: .noSuchDevice, description: "no")
        world.start()
        world.run(for: .seconds(90))
        #expect(world.reports.steps.contains(.absent) && !world.isGuarded)
    }

    @Test("after a reset that was not carried out, a one-shot verifies the link as after any bounce")
    func verified() {
        var world = Self.world(.toggle)
        world.refused[.reset] = Failure(kind: .unavailable, description: "no")
        world.onRaise = { $0.hosts.gatewayAnswers = false }
        world.start()
        Self.runToReset(&world)
        world.raisingFailure = nil
        world.run(for: .seconds(90))
        #expect(world.orders.tried == [.bounce, .reset] && world.reports.outcome == .sick)
    }

    @Test("if the guard of the reset does not start, the attempts to raise the link go on under the old one")
    func withoutGuard() {
        let failure = Failure(kind: .unavailable, description: "no bus")
        for isLate in [false, true] {
            var world = Self.world()
            world.start()
            world.run(until: "raising")
            (world.guardFailure, world.guardLatency) = isLate ? (nil, nil) : (failure, .milliseconds(1))
            world.run(for: .seconds(60))
            #expect(world.orders.tried == [.bounce] && world.isGuarded)
            #expect(world.toggler.state.name == "raising")
            #expect(
                world.reports.steps.contains(.passedOver(.reset, .guarding, failure, next: nil)) != isLate)
            (world.raisingFailure, world.link.isInRange) = (nil, true)
            world.run(for: .seconds(60))
            #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
        }
    }

    @Test(
        "a reset that cannot be carried out leaves the link to further attempts, under a guard",
        arguments: Failure.Kind.allCases.filter { $0 != .noSuchDevice })
    func notCarriedOut(kind: Failure.Kind) throws {
        let failure = Failure(kind: kind, description: "no")
        var world = Self.world()
        world.refused[.reset] = failure
        world.start()
        world.run(for: .seconds(90))
        #expect(world.orders.tried == [.bounce, .reset])
        #expect(world.isGuarded && world.toggler.state.name == "raising")
        (world.raisingFailure, world.link.isInRange) = (nil, true)
        world.run(for: .seconds(60))
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        let isUntouched = kind != .timedOut && kind != .lost
        #expect(summary.methods == (isUntouched ? [.bounce] : [.bounce, .reset]) && !world.isGuarded)
        #expect(
            summary.down == (try #require(world.orders.raised.first))
                - (try #require(world.orders.lowered.first)))
        #expect(world.reports.steps.contains(.passedOver(.reset, .lowering, failure, next: nil)))
        let cycle = world.reports.cycles.first { $0.action.summary != nil }
        #expect(world.link.isUp && cycle?.verdict.conclusion == .healthy)
    }

    @Test("a raise by another program while the guard starts, or a request to end, prevents the reset")
    func overtaken() {
        for isEnd in [false, true] {
            var world = Self.world()
            world.guardLatency = .milliseconds(500)
            world.start()
            let end = world.now + .seconds(90)
            while world.toggler.state.bounce?.awaitsSecondGuard != true, world.now < end {
                world.run(for: .milliseconds(1))
            }
            #expect(world.toggler.state.bounce?.awaitsSecondGuard == true)
            (world.raisingFailure, world.link.isInRange) = (nil, true)
            if isEnd { world.tell(.terminationRequested) } else { world.tell(.linkChanged(Sample.link())) }
            world.run(for: .seconds(60))
            #expect(world.orders.tried == [.bounce] && world.link.isUp && !world.isGuarded)
            #expect(isEnd == (world.reports.outcome != nil))
        }
    }

    @Test("a one-shot resets the device as well", arguments: [RunMode.toggle, .reconnect])
    func oneShot(runMode: RunMode) {
        var world = Self.world(runMode)
        if runMode == .reconnect { world.hosts.gatewayAnswers = false }
        world.start()
        Self.runToReset(&world)
        (world.raisingFailure, world.hosts.gatewayAnswers) = (nil, true)
        world.run(for: .seconds(60))
        #expect(
            world.orders.tried == [.bounce, .reset] && world.reports.outcome == .healthy && !world.isGuarded)
        let counted = world.toggler.limiter.state.restarts.count
        #expect(counted == (runMode == .toggle ? 0 : 1), "a user's request takes none of the three a day")
    }
}

extension Bounce {
    fileprivate var awaitsSecondGuard: Bool { attempts?.awaitsGuard == true }
}
