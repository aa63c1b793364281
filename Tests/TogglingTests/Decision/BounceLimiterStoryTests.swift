import Testing

@testable import Model
@testable import Toggling

/// Limits that postpone a bounce that a verdict calls for: back-off, budget, useless bounces, and grace.
@Suite("Stories of the bounce limiter") struct BounceLimiterStoryTests {
    @Test("bounces that help for a while get a doubling back-off with at most 10 % of jitter")
    func backoff() {
        var world = VirtualWorld(.watch, Sample.settings { $0.budget = 100 })
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        world.start()
        while world.orders.lowered.count < 8, world.orders.lowered.last ?? .zero < .seconds(6 * 3600) {
            world.hosts.gatewayAnswers = false
            let count = world.orders.lowered.count
            while world.orders.lowered.count == count { world.run(for: .seconds(1)) }
            world.run(for: .seconds(10))
            #expect(world.toggler.health.condition == .healthy)
        }
        let gaps = zip(world.orders.lowered.dropFirst(), world.orders.lowered).map { ($0 - $1).wholeSeconds }
        let least = [60, 120, 240, 480, 960, 1920, 3600].map { $0 * 9 / 10 }
        #expect(gaps.count >= 6, "\(gaps)")
        for (gap, bound) in zip(gaps, least) { #expect(gap >= bound, "\(gaps)") }
    }

    @Test(
        "after three useless bounces the next ones are an hour apart, and the report says why"
    )
    func useless() throws {
        var world = VirtualWorld(.watch, Sample.settings { $0.budget = 100 })
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .seconds(5 * 3600))
        let gaps = zip(world.orders.lowered.dropFirst(), world.orders.lowered).map { ($0 - $1).wholeSeconds }
        #expect(gaps.count >= 5, "\(gaps)")
        #expect(gaps[1] < 300, "\(gaps)")
        #expect(gaps[2...].allSatisfy { $0 >= 3600 * 9 / 10 }, "\(gaps)")
        guard case .held(.useless(let bounces, _))? = world.reports.cycles.last?.action else {
            Issue.record("\(String(describing: world.reports.cycles.last))")
            return
        }
        #expect(bounces == world.orders.lowered.count)
    }

    @Test(
        "useless bounces do not count in another network, or after the station was out of range",
        arguments: ["gateways", "name", "absence"])
    func anotherNetwork(_ change: String) {
        var world = VirtualWorld(.watch, Sample.settings { $0.budget = 100 })
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .seconds(1200))
        let learned = world.orders.lowered.count
        #expect(learned == 3)
        switch change {
        case "gateways": world.link.gateways = [.v4(0x0a4d_00fe)]
        case "name": world.link.ssid = SSID("elsewhere".utf8)
        default:
            world.link.isInRange = false
            world.run(for: .seconds(120))
            world.link.isInRange = true
        }
        world.run(for: .seconds(900))
        #expect(world.orders.lowered.count >= learned + 2)
    }

    @Test("methods that were in vain are forgotten in another network, not if the association is lost")
    func inVain() {
        let (lab, office) = (SSID("lab".utf8), SSID("office".utf8))
        for (before, now, isForgotten) in [
            (lab, office, true), (lab, nil, false), (nil, lab, false), (lab, lab, false),
        ] {
            let saved = BounceLimiter.Saved(
                bounces: [.seconds(1000)], bouncesInOutage: 1, useless: 3,
                network: Network(ssid: before, routers: []), inVain: [.bounce, .reset])
            var limiter = BounceLimiter(saved, seed: 1)
            limiter.note(Network(ssid: now, routers: []), settings: Settings())
            #expect(limiter.state.inVain.isEmpty == isForgotten, "\(String(describing: now))")
            #expect((limiter.state.useless == 0) == (before != now))
        }
    }

    @Test("for a minute after boot a sick link is left to its owner, and then bounced at once")
    func grace() throws {
        var world = VirtualWorld(.watch, sinceBoot: .seconds(10))
        world.link.isInRange = false
        world.start()
        world.run(for: .seconds(49))
        #expect(world.orders.lowered.isEmpty)
        guard case .held(.early)? = world.reports.cycles.last?.action else {
            Issue.record("\(String(describing: world.reports.cycles.last))")
            return
        }
        world.run(for: .seconds(2))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("an interface that has just appeared gets a minute of grace; run --force and one-shots have none")
    func graceOfTheNew() {
        var world = VirtualWorld(.watch)
        world.link.isInRange = false
        world.start(isPresent: false)
        world.run(for: .seconds(100))
        world.tell(.linkAppeared(Sample.link()))
        world.run(for: .seconds(59))
        #expect(world.orders.lowered.isEmpty)
        world.run(for: .seconds(2))
        #expect(world.orders.lowered.count == 1)
        for (runMode, isForced) in [(RunMode.watch, true), (.reconnect, false), (.toggle, false)] {
            var other = VirtualWorld(
                runMode, Sample.settings { $0.isForced = isForced }, sinceBoot: .seconds(10))
            other.link.isInRange = false
            other.start()
            other.run(for: .seconds(30))
            #expect(other.orders.lowered.count == 1, "\(runMode)")
        }
    }

    @Test("a bounce that helped ends the streak of useless ones")
    func usefulAgain() {
        var world = VirtualWorld(.watch, Sample.settings { $0.budget = 100 })
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .seconds(1200))
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        world.run(for: .seconds(5000))
        #expect(world.orders.lowered.count == 4)
        world.run(for: .seconds(1200))
        world.onRaise = { _ in }
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(600))
        #expect(world.orders.lowered.count >= 6, "\(world.orders.lowered)")
    }

    @Test("there are never more bounces in an hour than the budget")
    func budget() {
        var world = VirtualWorld(
            .watch,
            Sample.settings {
                $0.backoff = .seconds(1)
                $0.backoffMaximum = .seconds(1)
                $0.settle = .seconds(5)
            })
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .seconds(5 * 3600))
        for (position, at) in world.orders.lowered.enumerated() {
            let inHour = world.orders.lowered[...position].filter { at - $0 < .seconds(3600) }.count
            #expect(inHour <= 6)
        }
        #expect(world.orders.lowered.count > 20)
    }

    @Test("after a long healthy time, the next outage begins without back-off")
    func calm() {
        var world = VirtualWorld(.watch)
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        world.start()
        for _ in 0..<3 {
            world.hosts.gatewayAnswers = false
            world.run(for: .seconds(300))
            #expect(world.hosts.gatewayAnswers, "the bounce came within five minutes of the fault")
            world.run(for: .seconds(1200))
        }
        #expect(world.orders.lowered.count == 3)
    }
}
