import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of a radio that refuses to work") struct RefusingRadioStoryTests {
    private static let refusal = RadioCondition.refusesScans(.badExchange)

    @Test(
        "a radio that refuses to work is reset before any bounce, and the report says why",
        arguments: RadioCondition.all)
    func reset(condition: RadioCondition) throws {
        var world = Sample.unassociatedWorld(radio: condition, mendedBy: .reset)
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried == [.reset])
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.action.summary?.methods == [.reset])
        #expect(cycle.verdict.conclusion == .healthy)
        let causes = world.reports.steps.compactMap { step -> Verdict? in
            if case .beginning(.reset, let verdict) = step { verdict } else { nil }
        }
        #expect(causes.first?.evidence.last == .radioCondition(condition))
    }

    @Test("if the reset does not help, the link is bounced, and not reset again in the same outage")
    func bounced() {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: nil)
        world.start()
        world.run(for: .seconds(7200))
        #expect(world.orders.tried.prefix(3) == [.reset, .bounce, .bounce])
        #expect(world.orders.tried.count { $0 == .reset } == 1)
    }

    @Test(
        "if the device cannot be reset, the link is bounced at once, and the report says why",
        arguments: [Failure.Kind.unavailable, .notPermitted, .other])
    func unavailable(kind: Failure.Kind) {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: .bounce)
        let failure = Failure(kind: kind, description: "no")
        world.refused[.reset] = failure
        world.start()
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.reset, .bounce])
        #expect(world.reports.steps.contains(.passedOver(.reset, .lowering, failure, next: .bounce)))
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test(
        "if the station joins while a reset is refused, no method follows, and the report says why it failed")
    func joinsMeanwhile() {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: nil)
        let failure = Failure(kind: .unavailable, description: "no")
        world.refused[.reset] = failure
        world.start()
        world.run(until: "lowering")
        (world.link.isInRange, world.conditions.radio) = (true, nil)
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.reset])
        #expect(world.reports.cycles.contains { $0.action == .failed(.lowering, failure) })
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)

        var other = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: nil)
        other.conditions.owner = OwnerCondition(.networkManager, .gaveUp)
        other.refused[.owner] = failure
        other.start()
        other.run(until: "performing")
        (other.link.isInRange, other.conditions.owner) = (true, nil)
        other.run(for: .seconds(60))
        #expect(other.orders.tried == [.reset, .owner])
        #expect(other.reports.steps.contains(.passedOver(.owner, .performing, failure, next: nil)))
        #expect(other.reports.cycles.compactMap(\.action.summary).map(\.methods) == [[.reset]])
    }

    @Test(
        "the report says why a reset failed, also if the check before the next method is interrupted",
        arguments: [Event.linkRemoved, .terminationRequested])
    func interrupted(end: Event) {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: nil)
        let failure = Failure(kind: .unavailable, description: "no")
        world.refused[.reset] = failure
        world.start()
        world.run(until: "lowering")
        world.run(until: "checking")
        world.tell(end)
        #expect(world.orders.tried == [.reset])
        #expect(world.reports.steps.count { $0 == .passedOver(.reset, .lowering, failure, next: nil) } == 1)
    }

    /// A world whose interface does not come back after its reset.
    private static func dead(_ change: (inout Settings) -> Void = { _ in }) -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings(change))
        world.start()
        world.run(for: .seconds(120))
        (world.link.isInRange, world.conditions.radio) = (false, refusal)
        world.raisingFailure = Failure(kind: .notBack, description: "the driver did not give it back")
        for _ in 0..<5 { world.run(until: "keeping down") }
        world.link.isUp = true  // the service remembers the last state in which the link was up
        world.disappear(.unbound)
        return world
    }

    @Test("an interface that does not come back after its reset counts as lost, and its outage goes on")
    func neverBack() throws {
        var world = Self.dead { $0.methodsBesideAuto = [.reboot] }
        world.run(for: .seconds(880))
        #expect(world.reports.steps.contains(.absent))
        #expect(world.orders.tried.count > 1 && Set(world.orders.tried) == [.reset])
        world.run(for: .seconds(180))
        #expect(world.orders.tried.last == .reboot, "the outage began before the first reset")
        #expect(world.orders.tried.count { $0 == .reset } <= 3)
    }

    @Test("a run that would do nothing about a lost interface goes on trying to bring it back after a reset")
    func broughtBack() {
        var world = VirtualWorld(.watch, Sample.settings { $0.methods = [.reset] })
        world.link.isInRange = false
        world.raisingFailure = Failure(kind: .notBack, description: "the driver did not give it back")
        world.start()
        for _ in 0..<5 { world.run(until: "keeping down") }
        world.disappear(.unbound)
        world.run(for: .seconds(120))
        #expect(world.toggler.state.name == "raising" && world.isGuarded)
        (world.raisingFailure, world.link.isInRange) = (nil, true)
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.reset] && world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test("the method that the owner's condition calls for follows the reset")
    func withOwner() {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: .restartOwner)
        world.conditions.owner = OwnerCondition(.iwd, .dead)
        world.start()
        world.run(for: .seconds(200))
        #expect(world.orders.tried == [.reset, .restartOwner])
    }

    @Test(
        "an owner that works again after the reset is neither restarted nor asked",
        arguments: [OwnerCondition.Kind.hung, .gaveUp])
    func ownerWorksAgain(kind: OwnerCondition.Kind) {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: nil)
        world.conditions.owner = OwnerCondition(.networkManager, kind)
        world.onMethod = { world, method in
            if method == .reset { (world.conditions.owner, world.conditions.radio) = (nil, nil) }
            if method == .bounce { world.link.isInRange = true }
        }
        world.start()
        world.run(for: .seconds(200))
        #expect(world.orders.tried == [.reset, .bounce])
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
        let announced = world.reports.steps.compactMap { step -> Model.Method? in
            if case .escalating(_, let next, _) = step { next } else { nil }
        }
        #expect(announced == [.bounce], "only the method that follows is announced")
    }

    @Test("an owner that has still given up after the reset is asked to connect")
    func stillGivenUp() {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: .owner)
        world.conditions.owner = OwnerCondition(.networkManager, .gaveUp)
        world.onMethod = { world, method in
            if method == .reset { world.conditions.radio = nil }
            if method == .owner { world.link.isInRange = true }
        }
        world.start()
        world.run(for: .seconds(200))
        #expect(world.orders.tried == [.reset, .owner] && world.orders.lowered.count == 1)
    }

    @Test("the device is not reset if a user told the owner to disconnect")
    func toldToDisconnect() {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: nil)
        world.conditions.owner = OwnerCondition(.networkManager, .toldToDisconnect)
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.orders.tried.isEmpty)
    }

    @Test("no reset if only the address is missing, a user disconnected the link, or a user names methods")
    func otherFaults() {
        var associated = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: .bounce)
        (associated.link.isInRange, associated.link.hasAddress) = (true, false)
        associated.start()
        associated.run(for: .seconds(100))
        #expect(associated.orders.tried.first == .bounce)

        var left = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: nil)
        left.link.isInRange = true
        left.start()
        left.run(for: .seconds(70))
        left.link.isInRange = false
        left.tell(.disconnected(nil))
        left.tell(.disconnected(Sample.leave))
        left.run(for: .seconds(600))
        #expect(left.orders.tried.isEmpty)

        var named = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: .bounce) {
            $0.methods = [.bounce]
        }
        named.start()
        named.run(for: .seconds(100))
        #expect(named.orders.tried == [.bounce])
    }

    @Test("resets are made at most three times a day, even if each one helps")
    func threeADay() {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: .reset)
        world.start()
        for _ in 0..<5 {
            world.run(for: .seconds(3600))
            (world.link.isInRange, world.conditions.radio) = (false, Self.refusal)
        }
        world.run(for: .seconds(3600))
        #expect(world.orders.tried.count { $0 == .reset } == 3)
        // A day later, another reset is permitted.
        world.run(for: .seconds(86400))
        #expect(world.orders.tried.count { $0 == .reset } == 4)
    }

    @Test("a reset named beside auto comes once in a ladder, and is not limited to three a day")
    func lastResort() {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: nil) {
            $0.methodsBesideAuto = [.reset]
        }
        world.start()
        world.run(for: .seconds(300))
        #expect(world.orders.tried.prefix(2) == [.reset, .bounce])
        #expect(world.orders.tried.count { $0 == .reset } == 1)

        var plain = Sample.unassociatedWorld(mendedBy: .reset) { $0.methodsBesideAuto = [.reset] }
        plain.start()
        for _ in 0..<5 {
            plain.run(for: .seconds(3600))
            plain.link.isInRange = false
        }
        plain.run(for: .seconds(3600))
        #expect(plain.orders.tried.count { $0 == .reset } > 3)
        #expect(plain.toggler.limiter.saved.restarts.isEmpty)
    }

    @Test("a dry run says that it would reset the device, and does nothing")
    func dryRun() {
        var world = Sample.unassociatedWorld(radio: Self.refusal, mendedBy: nil) { $0.isDryRun = true }
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried.isEmpty)
        #expect(world.reports.cycles.last?.action == .skipped(.dryRun([.reset, .bounce])))
        #expect(world.reports.cycles.last?.verdict.evidence.last == .radioCondition(Self.refusal))
    }
}

extension RadioCondition {
    static let all = ScanRefusal.allCases.map { RadioCondition.refusesScans($0) } + [.crashed]
}
