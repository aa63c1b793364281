import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of a link that its driver refuses to set up again") struct RefusedRaiseStoryTests {
    private static let refused = Failure(kind: .other, code: 110, description: "Connection timed out")

    /// A world whose link cannot be set up again after a bounce, because the firmware of the device hangs.
    private static func world(
        _ runMode: RunMode = .watch, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change))
        world.raisingFailure = refused
        if runMode == .watch { world.isInRange = false }
        return world
    }

    private static func isReset(_ world: VirtualWorld) -> Bool { world.tried.contains(.reset) }

    @Test("after three refusals, the device is reset, which brings back the link and all that it had")
    func reset() throws {
        var world = Self.world()
        world.start()
        while !Self.isReset(world), world.now - world.begun < .seconds(120) {
            world.run(for: .milliseconds(1))
            let isDown = world.toggler.state.bounce?.step.phase == .down
            #expect(!isDown || world.isGuarded, "\(world.toggler.state.name)")
        }
        #expect(world.tried == [.bounce, .reset])
        #expect(world.steps.contains(.passedOver(.bounce, .raising, Self.refused, next: .reset)))
        (world.raisingFailure, world.isInRange) = (nil, true)
        let begun = world.now
        let lost = try #require(world.toggler.state.bounce?.snapshot)
        world.run(for: .seconds(60))
        let summary = try #require(world.cycles.compactMap(\.action.summary).first)
        #expect(summary.methods == [.bounce, .reset])
        #expect(world.cycles.last?.verdict.conclusion == .healthy)
        // The link was down during the bounce, for three attempts in three seconds, and during the reset.
        let all = (world.raised.first ?? .zero) - (world.lowered.first ?? .zero)
        #expect(summary.down > .seconds(9) && summary.down <= all)
        #expect(world.owed.first == lost)
        #expect(!world.isGuarded && world.now > begun)
        #expect(world.toggler.limiter.state.restarts.count == 1)
        #expect(world.toggler.limiter.state.bounces.count == 1)
    }

    @Test(
        "no reset if the user named other methods, a block prevents the raise, or the kernel does not answer",
        arguments: [
            ([.bounce, .rfkill], refused), ([], Failure(kind: .radioBlocked, description: "RF-kill")),
            ([], Failure(kind: .timedOut, description: "no answer")),
        ] as [([Model.Method], Failure)])
    func notReset(methods: [Model.Method], failure: Failure) {
        var world = Self.world { $0.methods = methods }
        world.raisingFailure = failure
        world.start()
        world.run(for: .seconds(120))
        #expect(world.tried == [.bounce] && world.toggler.state.name == "raising" && world.isGuarded)
    }

    @Test("with named methods, the device is reset if the reset is among them")
    func named() {
        var world = Self.world { $0.methods = [.bounce, .rfkill, .reset] }
        world.start()
        world.run(for: .seconds(120))
        #expect(world.tried == [.bounce, .reset])
    }

    @Test("a wired link is not reset unless the user named the reset")
    func wired() {
        var world = Self.world { $0.allowsAnyInterface = true }
        (world.isWireless, world.isInRange, world.gatewayAnswers) = (false, true, false)
        world.start()
        world.run(for: .seconds(120))
        #expect(world.tried == [.bounce])
    }

    @Test("the device is reset only once for a bounce, and at most three times a day")
    func seldom() {
        var world = Self.world()
        world.start()
        world.run(for: .seconds(600))
        #expect(world.tried == [.bounce, .reset])
        #expect(world.toggler.state.name == "raising" && world.isGuarded)
        var spent = BounceLimiter.Saved()
        spent.bounces = [.boot + .seconds(500)]
        spent.restarts = [.boot + .seconds(500), .boot + .seconds(600), .boot + .seconds(700)]
        var other = VirtualWorld(.watch, Settings(), limiter: spent)
        (other.raisingFailure, other.isInRange) = (Self.refused, false)
        other.start()
        other.run(for: .seconds(600))
        #expect(other.tried == [.bounce])
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
            #expect(world.tried == [.bounce] && world.isGuarded)
            #expect(world.toggler.state.name == "raising")
            #expect(world.steps.contains(.passedOver(.reset, .guarding, failure, next: nil)) != isLate)
            (world.raisingFailure, world.isInRange) = (nil, true)
            world.run(for: .seconds(60))
            #expect(world.cycles.last?.verdict.conclusion == .healthy)
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
        #expect(world.tried == [.bounce, .reset])
        #expect(world.isGuarded && world.toggler.state.name == "raising")
        (world.raisingFailure, world.isInRange) = (nil, true)
        world.run(for: .seconds(60))
        let summary = try #require(world.cycles.compactMap(\.action.summary).first)
        #expect(summary.methods == [.bounce] && !world.isGuarded)
        #expect(world.isUp && world.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test("a link that another program raises while the guard starts, or the end, prevents a reset")
    func overtaken() {
        for isEnd in [false, true] {
            var world = Self.world()
            world.guardLatency = .milliseconds(500)
            world.start()
            let end = world.now + .seconds(90)
            while world.toggler.state.bounce?.awaitsSecondGuard != true, world.now < end {
                world.run(for: .milliseconds(1))
            }
            (world.raisingFailure, world.isInRange) = (nil, true)
            if isEnd { world.tell(.terminationRequested) } else { world.tell(.linkChanged(Sample.link())) }
            world.run(for: .seconds(60))
            #expect(world.tried == [.bounce] && world.isUp && !world.isGuarded)
            #expect(isEnd == (world.outcome != nil))
        }
    }

    @Test("a one-shot resets the device as well", arguments: [RunMode.toggle, .reconnect])
    func oneShot(runMode: RunMode) {
        var world = Self.world(runMode)
        if runMode == .reconnect { world.gatewayAnswers = false }
        world.start()
        let end = world.now + .seconds(120)
        while !Self.isReset(world), world.now < end { world.run(for: .milliseconds(1)) }
        (world.raisingFailure, world.gatewayAnswers) = (nil, true)
        world.run(for: .seconds(60))
        #expect(world.tried == [.bounce, .reset] && world.outcome == .healthy && !world.isGuarded)
    }
}

extension Bounce {
    fileprivate var awaitsSecondGuard: Bool {
        if case .raising(let attempts) = step { attempts.awaitsGuard } else { false }
    }
}
