import Testing

@testable import Model
@testable import Toggling

/// A user requests a bounce from the service, as `toggle` does.
@Suite("Stories of a user who requests a bounce") struct UserRequestStoryTests {
    /// A service that has found its link healthy.
    private func settled(_ change: (inout Settings) -> Void = { _ in }) -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings(change))
        world.start()
        world.run(for: .seconds(10))
        return world
    }

    @Test("a healthy link is bounced once with the requested time down, and the bounce counts")
    func healthy() throws {
        var world = settled()
        let checks = world.orders.checks.count
        world.tell(.bounceRequested(delay: .milliseconds(700)))
        world.run(for: .seconds(20))
        #expect(world.orders.lowered.count == 1 && world.orders.raised.count == 1)
        let downTime = try #require(world.orders.raised.first) - world.orders.lowered[0]
        #expect(downTime >= .milliseconds(700) && downTime < .milliseconds(710), "\(downTime)")
        #expect(world.reports.steps.contains(.beginning(.bounce, nil)))
        #expect(world.reports.steps.contains(.lowered(keptDownFor: .milliseconds(700))))
        #expect(world.orders.checks.count > checks)
        let cycle = try #require(world.reports.cycles.last { $0.action.summary != nil })
        #expect(cycle.verdict.conclusion == .healthy && cycle.outcome == .healthy)
        #expect(cycle.next != nil, "it goes on watching")
        #expect(world.reports.kept.last?.limiter.bounces.count == 1)
        #expect(world.reports.kept.last?.limiter.earliest != nil, "it counts in the back-off")
    }

    @Test(
        "the link is kept down for the requested delay, or else the configured one; the guard gets this time"
    )
    func delays() {
        for (delay, downTime) in [
            (nil, Duration.seconds(3)), (Duration.seconds(9), .seconds(9)), (.zero, .zero),
        ] {
            var world = settled()
            var orders: [GuardOrder] = []
            world.recorder = { _, _, effects in
                for case .armGuard(let order) in effects { orders.append(order) }
            }
            world.tell(.bounceRequested(delay: delay))
            world.run(for: .seconds(30))
            #expect(orders.map(\.downTime) == [downTime])
            #expect(world.reports.steps.contains(.lowered(keptDownFor: downTime)))
        }
    }

    @Test("the end of the current wait is known before and during a user's bounce")
    func ends() throws {
        var world = settled { $0.settle = .seconds(20) }
        #expect(world.toggler.state.end(under: world.toggler.settings) == world.queue.deadlines[.nextCheck])
        world.link.isInRange = false
        world.tell(.bounceRequested(delay: .seconds(9)))
        for (state, deadline) in [("keeping down", Deadline.keepDown), ("awaiting link", .settle)] {
            world.run(until: state)
            let end = try #require(world.queue.deadlines[deadline])
            #expect(world.toggler.state.end(under: world.toggler.settings) == end)
        }
        world.run(for: .seconds(30))
        #expect(world.reports.cycles.contains { $0.action.summary?.recovery == nil && $0.outcome == .sick })
    }

    @Test("back-off and budget do not delay the user's bounce, which delays the service's next one")
    func limiter() {
        var world = settled { $0.budget = 2 }
        for _ in 1...4 {
            world.tell(.bounceRequested(delay: .zero))
            world.run(for: .seconds(5))
        }
        #expect(world.orders.lowered.count == 4)
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(1800))
        #expect(world.orders.lowered.count == 4)
        guard case .held? = world.reports.cycles.last?.action else {
            Issue.record("\(String(describing: world.reports.cycles.last))")
            return
        }
    }

    @Test(
        "a hold, the quiet hours and logins do not prevent a user's bounce",
        arguments: ["hold", "quiet", "logins"])
    func leftAlone(_ reason: String) {
        var world = settled()
        switch reason {
        case "hold": world.conditions.administrativeHold = .untilReleased
        case "quiet": world.conditions.quietUntil = .seconds(1e9)
        default: world.conditions.logins = [Sample.login]
        }
        world.tell(.bounceRequested(delay: .zero))
        world.run(for: .seconds(20))
        #expect(world.orders.lowered.count == 1)
    }

    @Test(
        "a request is refused with the reason if the interface's state forbids a bounce",
        arguments: ["down", "radio"])
    func refused(_ reason: String) {
        var world = settled()
        if reason == "down" { world.link.isUp = false } else { world.link.radio = .hard }
        world.tell(.bounceRequested(delay: .zero))
        world.run(for: .seconds(1))
        let noBounceReason: NoBounceReason = reason == "down" ? .administrativelyDown : .radioBlocked(.hard)
        #expect(world.reports.cycles.last?.action == .refused(noBounceReason))
        #expect(world.reports.cycles.last?.outcome == .refused(noBounceReason))
        world.run(for: .seconds(30))
        #expect(world.orders.lowered.isEmpty)
    }

    @Test("a dry run reports the request, and bounces nothing")
    func dryRun() {
        var world = settled { $0.isDryRun = true }
        world.tell(.bounceRequested(delay: nil))
        world.run(for: .seconds(1))
        #expect(world.reports.cycles.last?.action == .skipped(.dryRun([.bounce])))
        #expect(world.orders.lowered.isEmpty)
    }

    @Test(
        "a request in any step of a bounce starts no second bounce",
        arguments: [
            "preparing", "arming", "lowering", "keeping down", "raising", "awaiting link", "restoring",
            "verifying",
        ])
    func underWay(_ step: String) {
        var world = settled { $0.fall = 1 }
        world.hosts.gatewayAnswers = false
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        world.run(until: step)
        #expect(world.toggler.state.name == step)
        world.tell(.bounceRequested(delay: .seconds(9)))
        world.run(for: .seconds(30))
        #expect(world.orders.lowered.count == 1)
        #expect(world.reports.cycles.filter { $0.action.summary != nil }.count == 1)
        #expect(world.reports.steps.contains(.lowered(keptDownFor: .seconds(3))))
    }

    @Test("a second request before the bounce begins joins the first, with the first's delay")
    func twice() {
        var world = settled()
        world.tell(.bounceRequested(delay: .seconds(9)))
        #expect(world.toggler.state.name == "checking")
        world.tell(.bounceRequested(delay: .zero))
        world.run(for: .seconds(30))
        #expect(
            world.orders.lowered.count == 1
                && world.reports.steps.contains(.lowered(keptDownFor: .seconds(9))))
    }

    @Test("a request during a check cancels the check with its probes, and there is one bounce")
    func looking() {
        var world = settled()
        world.hosts.gatewayAnswers = false
        world.run(until: "checking")
        while world.firstOutstanding < 0 { world.run(for: .microseconds(500)) }
        let question = world.firstOutstanding
        var cancelled: [Int] = []
        world.recorder = { _, _, effects in
            for case .cancelProbe(let id) in effects { cancelled.append(id) }
        }
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        world.tell(.bounceRequested(delay: .zero))
        #expect(cancelled == [question])
        // A second request causes no second bounce.
        world.tell(.bounceRequested(delay: .zero))
        world.run(for: .seconds(20))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("new settings before a bounce restart its check; if the link is set down, the bounce is refused")
    func before() {
        var world = settled()
        world.tell(.bounceRequested(delay: .zero))
        world.run(until: "preparing")
        world.advance(to: Sample.settings { $0.interval = .seconds(90) })
        world.run(for: .seconds(20))
        #expect(world.orders.lowered.count == 1)

        world.tell(.bounceRequested(delay: .zero))
        world.run(until: "arming")
        world.link.isUp = false
        world.tell(.linkChanged(Sample.link(isUp: false)))
        world.run(for: .milliseconds(10))
        #expect(world.reports.cycles.last?.action == .refused(.administrativelyDown))
        #expect(world.orders.lowered.count == 1)
        #expect(!world.isGuarded)
    }

    @Test("a requested bounce escalates like a toggle, in spite of a hold, and keeps its delay")
    func ladder() {
        var world = settled { $0.methods = [.reassociate, .bounce] }
        world.conditions.administrativeHold = .untilReleased
        world.onMethod = { world, method in world.hosts.gatewayAnswers = method == .bounce }
        world.tell(.bounceRequested(delay: .seconds(1)))
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.reassociate, .bounce])
        #expect(world.reports.steps.contains(.lowered(keptDownFor: .seconds(1))))
        #expect(world.reports.cycles.last { $0.action.summary != nil }?.outcome == .healthy)
    }

    @Test("a request between two ticks of the plain timer causes one more bounce")
    func forced() {
        var world = VirtualWorld(.watch, Sample.settings { $0.isForced = true })
        world.start()
        world.run(for: .seconds(20))
        #expect(world.orders.lowered.count == 1)
        world.tell(.bounceRequested(delay: .zero))
        world.run(for: .seconds(10))
        #expect(world.orders.lowered.count == 2)
        world.run(for: .seconds(40))
        #expect(world.orders.lowered.count == 3)
    }

    @Test("a bounce counts as successful without a gateway if there was none before it either")
    func noGateway() {
        var world = VirtualWorld(.watch, Sample.settings { $0.settle = .seconds(5) })
        world.link.gateways = []
        world.start()
        world.run(for: .seconds(10))
        world.tell(.bounceRequested(delay: .zero))
        world.run(for: .seconds(10))
        let bounce = world.reports.cycles.last { $0.action.summary != nil }
        #expect(bounce?.verdict.reason == .noGateway)
        #expect(bounce?.outcome == .healthy)
    }

    @Test("if the gateway's route appears a moment after the link, the bounce waits for that route")
    func lateGateway() {
        var world = VirtualWorld(.watch, Sample.settings { $0.settle = .seconds(30) })
        world.start()
        world.run(for: .seconds(10))
        let gateways = world.link.gateways
        world.tell(.bounceRequested(delay: .seconds(2)))
        world.run(for: .seconds(1))
        #expect(world.orders.lowered.count == 1)
        world.link.gateways = []
        world.run(for: .seconds(5))
        #expect(world.toggler.state.bounce != nil)
        world.link.gateways = gateways
        world.tell(.addressingChanged)
        world.run(for: .seconds(20))
        let bounce = world.reports.cycles.last { $0.action.summary != nil }
        #expect(bounce?.verdict.conclusion == .healthy)
    }

    @Test("a one-shot, and a missing interface, ignore the request")
    func nobody() {
        for runMode in [RunMode.toggle, .reconnect, .probe] {
            var world = VirtualWorld(runMode)
            world.start()
            let state = world.toggler
            world.tell(.bounceRequested(delay: .zero))
            #expect(world.toggler == state)
        }
        var world = VirtualWorld(.watch)
        world.start(isPresent: false)
        world.tell(.bounceRequested(delay: .zero))
        world.run(for: .seconds(10))
        #expect(world.orders.lowered.isEmpty && world.toggler.state.name == "absent")
    }
}
