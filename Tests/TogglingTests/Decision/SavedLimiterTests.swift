import Testing

@testable import Model
@testable import Toggling

/// The limits of bounces apply across runs of the program.
@Suite("The bounce limiter across runs") struct SavedLimiterTests {
    private static let begun = Instant.seconds(10_000)

    /// A run of a one-shot, this long after the first run; the gateway is silent if `isSick`.
    private static func run(
        _ limiter: BounceLimiter.Saved, after duration: Duration = .zero, _ runMode: RunMode = .reconnect,
        isSick: Bool = true, isMended: Bool = false, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(
            runMode,
            Sample.settings {
                $0.fall = 1
                $0.settle = .seconds(1)
                change(&$0)
            }, sinceBoot: begun + duration - .boot, limiter: limiter)
        world.hosts.gatewayAnswers = !isSick
        if isMended { world.onRaise = { $0.hosts.gatewayAnswers = true } }
        world.start()
        world.run(for: .seconds(60))
        return world
    }

    private static func kept(_ world: VirtualWorld) -> BounceLimiter.Saved {
        world.reports.kept.last?.limiter ?? BounceLimiter.Saved()
    }

    @Test(
        "the back-off prevents a bounce in a second run; a later run bounces, and doubles the back-off"
    )
    func cron() throws {
        let first = Self.run(BounceLimiter.Saved())
        #expect(first.orders.lowered.count == 1)
        let limiter = Self.kept(first)
        #expect(limiter.bouncesInOutage == 1 && limiter.bounces.count == 1 && limiter.useless == 1)
        let second = Self.run(limiter, after: .seconds(30))
        #expect(second.orders.lowered.isEmpty)
        guard case .held(.backingOff(let until))? = second.reports.cycles.last?.action else {
            Issue.record("\(second.reports.cycles)")
            return
        }
        #expect(until == limiter.earliest)
        #expect(second.reports.outcome == .sick)
        #expect(second.reports.kept.isEmpty, "nothing has changed")
        let third = Self.run(limiter, after: .seconds(120))
        #expect(third.orders.lowered.count == 1)
        let later = Self.kept(third)
        #expect(later.bouncesInOutage == 2)
        let wait = try #require(later.earliest) - (try #require(later.bounces.last))
        #expect(wait >= .seconds(120 * 9 / 10) && wait <= .seconds(120 * 11 / 10))
    }

    @Test("the current settings decide how long an earlier bounce delays the next one")
    func settings() {
        let limiter = Self.kept(Self.run(BounceLimiter.Saved()))
        #expect(Self.run(limiter, after: .seconds(30)) { $0.backoff = .seconds(1) }.orders.lowered.count == 1)
        #expect(Self.run(limiter, after: .seconds(30)) { $0.backoff = .zero }.orders.lowered.count == 1)
    }

    @Test("the budget counts the bounces of all runs")
    func budget() {
        let limiter = Self.kept(Self.run(BounceLimiter.Saved()))
        for (duration, bounces) in [(Int64(120), 0), (3500, 0), (3700, 1)] {
            let world = Self.run(limiter, after: .seconds(duration)) { $0.budget = 1 }
            #expect(world.orders.lowered.count == bounces, "after \(duration) s")
        }
        let held = Self.run(limiter, after: .seconds(120)) { $0.budget = 1 }
        guard case .held(.budgetSpent)? = held.reports.cycles.last?.action else {
            Issue.record("\(held.reports.cycles)")
            return
        }
    }

    @Test("after three runs with useless bounces, the fourth reports that bounces do not help here")
    func useless() throws {
        var limiter = BounceLimiter.Saved()
        for number in 0..<3 {
            let world = Self.run(limiter, after: .seconds(Int64(number) * 600))
            #expect(world.orders.lowered.count == 1)
            limiter = Self.kept(world)
        }
        let held = Self.run(limiter, after: .seconds(1800 + 600))
        guard case .held(.useless(3, _))? = held.reports.cycles.last?.action else {
            Issue.record("\(held.reports.cycles)")
            return
        }
        // In another network the useless bounces do not count.
        var other = VirtualWorld(
            .reconnect, Sample.settings { $0.fall = 1 }, sinceBoot: Self.begun + .seconds(2400) - .boot,
            limiter: limiter)
        other.link.ssid = SSID("elsewhere".utf8)
        other.hosts.gatewayAnswers = false
        other.start()
        other.run(for: .seconds(60))
        #expect(other.orders.lowered.count == 1)
        let helped = Self.run(limiter, after: .seconds(7200), isMended: true)
        #expect(Self.kept(helped).useless == 0)
    }

    @Test("ten healthy minutes over several runs reset the back-off; a sick check restarts the ten minutes")
    func calm() {
        var limiter = Self.kept(Self.run(BounceLimiter.Saved(), isMended: true))
        #expect(limiter.healthySince == nil && limiter.bouncesInOutage == 1)
        let first = Self.run(limiter, after: .seconds(300), isSick: false)
        limiter = Self.kept(first)
        #expect(first.reports.kept.count == 1 && limiter.healthySince != nil)
        #expect(Self.run(limiter, after: .seconds(600), isSick: false).reports.kept.isEmpty, "five minutes")
        let broken = Self.run(limiter, after: .seconds(600)) { $0.isDryRun = true }
        #expect(Self.kept(broken).healthySince == nil)
        let over = Self.run(limiter, after: .seconds(900), isSick: false)
        #expect(over.reports.kept.count == 1)
        limiter = Self.kept(over)
        #expect(limiter.bouncesInOutage == 0 && limiter.earliest == nil && limiter.healthySince == nil)
        #expect(limiter.bounces.count == 1, "for the budget")
        #expect(Self.run(limiter, after: .seconds(1200), isSick: false).reports.kept.isEmpty)
    }

    @Test("a healthy service saves no limiter, and a probe never does")
    func nothing() {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(7200))
        #expect(world.reports.kept.isEmpty)
        let limiter = BounceLimiter.Saved(
            bounces: [Self.begun + .seconds(-100)], bouncesInOutage: 1, earliest: Self.begun + .seconds(60),
            healthySince: Self.begun + .seconds(-50))
        #expect(Self.run(limiter, .probe).reports.kept.isEmpty)
    }

    @Test("the limiter is saved before the link is lowered, and again with the result of the bounce")
    func instants() throws {
        var world = VirtualWorld(.watch)
        world.hosts.gatewayAnswers = false
        world.start()
        while world.orders.lowered.isEmpty { world.run(for: .milliseconds(1)) }
        #expect(world.reports.kept.count == 1)
        #expect(world.reports.kept.first?.at == world.orders.lowered.first)
        #expect(world.reports.kept.first?.limiter.useless == 0)
        world.run(for: .seconds(50))
        #expect(world.reports.kept.count == 2)
        #expect(world.reports.kept.last?.limiter.useless == 1)
    }

    @Test("the limiter never prevents a toggle, but counts it")
    func toggle() {
        let spent = BounceLimiter.Saved(
            bounces: [Self.begun + .seconds(-1)], bouncesInOutage: 4, earliest: Self.begun + .seconds(900))
        let world = Self.run(spent, .toggle) { $0.budget = 1 }
        #expect(world.orders.lowered.count == 1)
        #expect(Self.kept(world).bounces.count == 2)
        #expect(Self.kept(world).bouncesInOutage == 5)
    }

    @Test("the plain timer ignores the limits and saves nothing, because it would write all the time")
    func plainTimer() {
        var world = VirtualWorld(
            .watch, Sample.settings { $0.isForced = true },
            limiter: .init(bounces: [.seconds(999)], bouncesInOutage: 1, earliest: .seconds(5000)))
        world.start()
        world.run(for: .seconds(600))
        #expect(world.orders.lowered.count == 10)
        #expect(world.reports.kept.isEmpty)
    }

    @Test("a restarted service continues with the limits of the previous one")
    func restarted() throws {
        var first = VirtualWorld(.watch)
        first.hosts.gatewayAnswers = false
        first.start()
        while first.orders.lowered.isEmpty { first.run(for: .seconds(1)) }
        first.run(for: .seconds(45))
        let limiter = Self.kept(first)
        var second = VirtualWorld(.watch, sinceBoot: first.now - .boot, limiter: limiter)
        second.hosts.gatewayAnswers = false
        second.start()
        second.run(for: .seconds(3 * 3600))
        let bounces = second.orders.lowered.map { $0 + (second.begun - first.begun) }
        let (next, later) = (try #require(bounces.first), try #require(bounces.dropFirst().first))
        #expect(next - first.orders.lowered[0] >= .seconds(54))
        #expect(later - next >= .seconds(108))
        #expect(second.reports.kept.first?.limiter.bouncesInOutage == 2)
    }

    // MARK: Invalid state

    @Test(
        "a time saved by a wrong clock delays a bounce at most by the longest back-off or the budget's hour"
    )
    func ahead() throws {
        let far = Self.begun + .seconds(400 * 86400)
        for useless in [0, 5] {
            for bounces in [[Self.begun], [Self.begun, far], [far]] {
                let limiter = BounceLimiter.Saved(
                    bounces: bounces, bouncesInOutage: 1000, earliest: far, healthySince: far,
                    useless: useless, network: Network(Sample.kernelState()))
                #expect(
                    Self.run(limiter, after: .seconds(3600 * 11 / 10)) { $0.budget = 1 }.orders.lowered.count
                        == 1)
            }
        }
    }

    @Test("an outage whose last bounce was a day ago is over")
    func old() {
        let limiter = BounceLimiter.Saved(
            bounces: [Self.begun], bouncesInOutage: 6, earliest: Self.begun + .seconds(3600),
            inVain: [.owner, .bounce])
        let world = Self.run(limiter, after: .seconds(86400))
        #expect(Self.kept(world).bouncesInOutage == 1)
        #expect(Self.kept(world).inVain == [.bounce], "only this run's bounce")
    }

    @Test("the saved state is bounded and consistent")
    func bounds() {
        let limiter = BounceLimiter.Saved(
            bounces: (0..<5000).map { Instant.seconds(Double($0)) }.reversed(), bouncesInOutage: .max,
            useless: .max)
        #expect(limiter.bounces.count == 3600 && limiter.bounces.last == .seconds(4999))
        #expect(limiter.bouncesInOutage == 1000 && limiter.useless == 0 && limiter.network == nil)
        #expect(
            BounceLimiter.Saved(bouncesInOutage: -1, useless: -1, network: Network(Sample.kernelState()))
                .isEmpty)
    }

    @Test(
        "saved bounces are sorted, in whatever order they are read",
        arguments: [[1, 3, 5], [5, 3, 1], [3, 1, 5], [1, 5, 3]])
    func order(_ given: [Double]) {
        let limiter = BounceLimiter.Saved(bounces: given.map { .seconds($0) })
        #expect(limiter.bounces == [.seconds(1), .seconds(3), .seconds(5)])
    }
}
