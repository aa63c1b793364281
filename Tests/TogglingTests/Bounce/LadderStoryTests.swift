import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of the ladder") struct LadderStoryTests {
    private static let unavailable = Failure(kind: .unavailable, description: "no control socket")
    private static let busy = Failure(kind: .busy, code: 16, description: "Device or resource busy")

    /// A world whose gateway is silent until the method `cure` has run.
    private static func world(
        _ runMode: RunMode, _ methods: [Model.Method], mendedBy cure: Model.Method?,
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var settings = Settings()
        settings.methods = methods
        settings.settle = .seconds(10)
        change(&settings)
        var world = VirtualWorld(runMode, settings)
        world.hosts.gatewayAnswers = false
        world.onMethod = { world, method in if method == cure { world.hosts.gatewayAnswers = true } }
        return world
    }

    @Test(
        "the gentlest method is tried first, and no further method is tried once one has helped",
        arguments: RunMode.bouncing)
    func gentlestFirst(runMode: RunMode) throws {
        var world = Self.world(runMode, [.reassociate, .bounce, .rfkill], mendedBy: .reassociate)
        world.start()
        world.run(for: .seconds(55))
        #expect(world.orders.tried == [.reassociate])
        #expect(world.orders.lowered.isEmpty)
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(summary.methods == [.reassociate])
        #expect(summary.down == .zero)
        #expect(summary.recovery != nil)
    }

    @Test(
        "a method without effect is followed by the next, and they count as one bounce",
        arguments: RunMode.bouncing)
    func escalates(runMode: RunMode) throws {
        var world = Self.world(runMode, [.reassociate, .bounce, .rfkill], mendedBy: .rfkill)
        world.start()
        world.run(for: .seconds(59))
        #expect(world.orders.tried == [.reassociate, .bounce, .rfkill])
        let summaries = world.reports.cycles.compactMap(\.action.summary)
        #expect(summaries.map(\.methods) == [[.reassociate, .bounce, .rfkill]])
        #expect(summaries.first?.down == .seconds(6) + .milliseconds(2))
        let escalates = world.reports.steps.compactMap { step -> [Model.Method]? in
            if case .escalating(let last, let next, let verdict) = step, verdict.layer == .gateway {
                [last, next]
            } else {
                nil
            }
        }
        #expect(escalates == [[.reassociate, .bounce], [.bounce, .rfkill]])
        #expect(!world.isGuarded)
        #expect(world.toggler.limiter.state.bounces.count == 1)
    }

    @Test("each method gets its time to help before the next is tried")
    func verified() {
        var world = Self.world(.toggle, [.reassociate, .bounce], mendedBy: nil)
        world.start()
        world.run(for: .seconds(9))
        #expect(world.orders.tried == [.reassociate])
        world.run(for: .seconds(3))
        #expect(world.orders.tried == [.reassociate, .bounce])
        world.run(for: .seconds(30))
        #expect(world.reports.outcome == .sick)
    }

    @Test("an unavailable method is skipped at once, and does not count", arguments: [unavailable, busy])
    func passedOver(failure: Failure) throws {
        var world = Self.world(.watch, [.reassociate, .rfkill, .hook], mendedBy: .hook)
        world.refused = [.reassociate: failure, .rfkill: Self.unavailable]
        world.start()
        world.run(for: .seconds(50))
        #expect(world.orders.tried == [.reassociate, .rfkill, .hook])
        #expect(world.reports.steps.contains(.passedOver(.reassociate, .performing, failure, next: .rfkill)))
        #expect(world.reports.steps.contains(.passedOver(.rfkill, .lowering, Self.unavailable, next: .hook)))
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(summary.methods == [.hook])
        #expect(!world.isGuarded)
    }

    private static let words = "default via 10.77.0.1 dev wlan0 proto static"
    private static let route = Snapshot(items: [
        Snapshot.Item(kind: .route, message: [1], description: words, isAdministrators: true)
    ])

    @Test(
        "a link that is down although lowering failed is restored once it is operational",
        arguments: [Failure.Kind.timedOut, .lost, .busy, .other])
    func loweredInSpiteOfFailure(kind: Failure.Kind) throws {
        let failure = Failure(kind: kind, description: "no answer")
        for methods in [[Model.Method.bounce], [.bounce, .rfkill]] {
            var world = Self.world(.watch, methods, mendedBy: .rfkill)
            world.refused[.bounce] = failure
            world.configuration.snapshot = Self.route
            world.configuration.restoration = Restoration(
                lost: [Self.words], refused: [Restoration.Refused(description: Self.words, failure: failure)])
            world.start()
            world.run(until: "lowering")
            world.link.isUp = false
            world.configuration.snapshot = Snapshot()
            world.run(until: "restoring")
            let waited = world.now - world.begun - (try #require(world.orders.raised.first))
            #expect(waited >= .milliseconds(200), "\(waited)")
            if methods.count == 1 {
                world.run(for: .seconds(1))
                #expect(world.reports.cycles.last?.action == .failed(.lowering, failure))
                #expect(world.toggler.pendingRestore?.snapshot.items == Self.route.items)
            } else {
                world.run(until: "keeping down")
                #expect(world.orders.tried == [.bounce, .rfkill])
                #expect(world.toggler.state.bounce?.snapshot.items == Self.route.items)
            }
        }
    }

    @Test("an owner's reconnect needs no guard, and what it destroys is restored")
    func owner() throws {
        var world = Self.world(.toggle, [.owner, .bounce], mendedBy: .owner)
        world.configuration.snapshot = Self.route
        world.configuration.restoration = Restoration(lost: [Self.words], restored: [Self.words])
        world.start()
        world.run(until: "performing")
        let bounce = try #require(world.toggler.state.bounce)
        #expect(bounce.step == .performing)
        #expect(bounce.snapshot == Self.route && !world.isGuarded)
        world.run(for: .seconds(30))
        #expect(world.orders.tried == [.owner] && world.orders.lowered.isEmpty)
        #expect(world.orders.putBack.count == 1)
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(summary.restoration.restored == [Self.words])
        #expect(summary.methods == [.owner] && summary.down == .zero)
        #expect(world.reports.outcome == .healthy)
    }

    @Test(
        "if an owner reports an error but may have begun, it still gets its time",
        arguments: [Failure.Kind.timedOut, .lost])
    func doubtfulOwner(kind: Failure.Kind) throws {
        let failure = Failure(kind: kind, description: "nmcli did not end in time")
        var world = Self.world(.toggle, [.owner, .bounce], mendedBy: .bounce)
        world.refused = [.owner: failure]
        world.configuration.snapshot = Self.route
        world.start()
        world.run(for: .seconds(9))
        #expect(world.reports.steps.contains(.passedOver(.owner, .performing, failure, next: nil)))
        #expect(world.orders.putBack.count == 1 && world.orders.tried == [.owner])
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.owner, .bounce])
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(summary.methods == [.owner, .bounce])
        #expect(world.reports.outcome == .healthy)
    }

    @Test("an owner that refuses is skipped at once", arguments: [unavailable, busy])
    func refusingOwner(failure: Failure) {
        var world = Self.world(.toggle, [.owner, .bounce], mendedBy: .bounce)
        world.refused = [.owner: failure]
        world.configuration.snapshot = Self.route
        world.start()
        world.run(until: "keeping down")
        #expect(world.orders.tried == [.owner, .bounce] && world.orders.putBack.isEmpty)
        #expect(world.reports.steps.contains(.passedOver(.owner, .performing, failure, next: .bounce)))
    }

    @Test("if no method was available, the recovery ends, and no bounce is counted")
    func fruitless() {
        var shot = Self.world(.reconnect, [.reassociate], mendedBy: nil)
        shot.refused = [.reassociate: Self.unavailable]
        shot.start()
        shot.run(for: .seconds(50))
        #expect(shot.reports.outcome == .failed(.performing, Self.unavailable))
        var service = Self.world(.watch, [.reassociate], mendedBy: nil)
        service.refused = [.reassociate: Self.unavailable]
        service.start()
        service.run(for: .seconds(200))
        #expect(service.toggler.limiter.state.bounces.isEmpty)
        #expect(service.orders.tried.count > 1)
    }

    @Test("a failed hook is not run again before the back-off allows it")
    func failingHook() {
        var world = Self.world(.watch, [.hook], mendedBy: nil) { $0.backoff = .seconds(300) }
        world.refused = [.hook: Failure(kind: .other, description: "exit status 3")]
        world.start()
        world.run(for: .seconds(200))
        #expect(world.orders.tried == [.hook])
        #expect(world.reports.cycles.contains { $0.action.isHeldBack })
    }

    @Test("if a method leaves only a fault that the program does not recover, the ladder ends")
    func otherFault() {
        var world = Self.world(.watch, [.reassociate, .bounce], mendedBy: .reassociate) {
            $0.probes = [ProbeSpec(.auto), ProbeSpec(.tcp(.address(.v4(1)), port: 80))]
        }
        world.hosts.targetAnswers = false
        world.start()
        world.run(for: .seconds(59))
        #expect(world.orders.tried == [.reassociate])
    }

    @Test(
        "a hold, a login, a radio block or a host still heard ends the ladder; methods tried are reported")
    func forbidden() throws {
        let failures: [(inout VirtualWorld) -> Void] = [
            { $0.conditions.administrativeHold = .untilReleased }, { $0.conditions.logins = [Sample.login] },
            { $0.link.radio = .soft },
            { $0.conditions.liveness = [Sample.alive] },
        ]
        for methodFailure in failures {
            var world = Self.world(.watch, [.reassociate, .bounce], mendedBy: nil)
            world.onMethod = { world, _ in methodFailure(&world) }
            world.start()
            world.run(for: .seconds(50))
            #expect(world.orders.tried == [.reassociate])
            let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
            #expect(summary.methods == [.reassociate])
        }
    }

    @Test("a program told to end during a method stops the method and begins no other")
    func terminated() {
        var world = Self.world(.watch, [.hook, .bounce].sorted(), mendedBy: nil) { $0.methods = [.hook] }
        world.start()
        world.run(until: "performing")
        world.tell(.terminationRequested)
        #expect(world.reports.outcome == .interrupted)
        #expect(world.orders.stopped == 1)
        world.run(for: .seconds(20))
        #expect(world.orders.tried == [.hook])
    }

    @Test("a method that is stopped gives no answer, neither that it is done nor that it has failed")
    func stopped() {
        for failure in [nil, Self.unavailable] {
            var world = Self.world(.watch, [.hook], mendedBy: nil)
            world.refused[.hook] = failure
            world.start()
            world.run(until: "performing")
            var answers: [Event] = []
            world.recorder = { event, _, _ in if event.answersPerform { answers.append(event) } }
            world.tell(.terminationRequested)
            world.run(for: .seconds(20))
            #expect(world.orders.stopped == 1 && answers.isEmpty, "\(answers)")
        }
    }

    @Test(
        "an interface that goes and returns in a rebind or reset does not count as removed",
        arguments: [Method.rebind, .reset])
    func rebound(method: Model.Method) throws {
        var world = Self.world(.watch, [method], mendedBy: method)
        world.start()
        world.run(until: "keeping down")
        world.tell(.linkRemoved)
        #expect(world.toggler.state.name == "keeping down")
        #expect(world.isGuarded)
        world.run(until: "raising")
        world.tell(.linkAppeared(Sample.link(isUp: false)))
        world.run(for: .seconds(20))
        #expect(world.reports.steps.contains { if case .absent = $0 { true } else { false } } == false)
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(summary.methods == [method])
        #expect(summary.recovery != nil)
    }

    @Test("an item lost by one method is restored after the next, and reported once")
    func losses() throws {
        let words = "default via 10.77.0.1 dev wlan0 proto static"
        let item = Snapshot.Item(kind: .route, message: [1], description: words, isAdministrators: true)
        var world = Self.world(.toggle, [.bounce, .rfkill], mendedBy: .rfkill)
        world.configuration.snapshot = Snapshot(items: [item])
        world.configuration.restoration = Restoration(lost: [words])
        world.start()
        world.run(until: "awaiting link")
        world.run(until: "verifying")
        world.run(until: "preparing")
        world.configuration.snapshot = Snapshot()
        world.run(until: "arming")
        let bounce = try #require(world.toggler.state.bounce)
        #expect(bounce.step == .arming)
        #expect(bounce.snapshot == Snapshot(items: [item]))
        world.configuration.restoration = Restoration(lost: [words], restored: [words])
        world.run(for: .seconds(60))
        let summary = try #require(world.reports.cycles.compactMap(\.action.summary).first)
        #expect(summary.restoration == Restoration(lost: [words], restored: [words]))
        #expect(world.reports.outcome == .healthy)
    }
}

extension RunMode {
    fileprivate static let bouncing: [RunMode] = [.watch, .toggle, .reconnect]
}

extension CycleReport.Action {
    fileprivate var isHeldBack: Bool {
        if case .held(.backingOff) = self { true } else { false }
    }
}
