import Testing

@testable import Model
@testable import Toggling

/// A link that loses packets, or delays them, is reported as degraded, and is not bounced for that.
@Suite("Stories of degraded links") struct QualityStoryTests {
    /// Loses every n-th of all probes.
    private static func losing(every count: Int) -> () -> Bool {
        var asked = 0
        return {
            asked += 1
            return asked % count == 0
        }
    }

    /// Loses this many of a hundred probes, at random.
    private static func losing(percent: UInt64, seed: UInt64) -> () -> Bool {
        var random = SplitMix64(state: seed)
        return { random.number(below: 100) < percent }
    }

    private static func changes(of world: VirtualWorld) -> [[Quality.Degradation]] {
        var changes: [[Quality.Degradation]] = []
        for cycle in world.reports.cycles where cycle.quality?.degradations != changes.last {
            cycle.quality.map { changes.append($0.degradations) }
        }
        return changes
    }

    @Test(
        "a link that loses every third probe is healthy, degraded, never bounced, and recovers")
    func loss() throws {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(1500))
        world.hosts.isLost = Self.losing(every: 3)
        world.run(for: .seconds(3600))
        let quality = try #require(world.reports.cycles.last?.quality)
        #expect(quality.degradations == [.loss] && (6...7).contains(quality.lost) && quality.probes == 20)
        world.hosts.isLost = { false }
        world.run(for: .seconds(1800))
        #expect(Self.changes(of: world) == [[], [.loss], []])
        #expect(
            world.reports.cycles.allSatisfy {
                $0.verdict.conclusion == .healthy && $0.change.after == .healthy
            })
        #expect(world.orders.lowered.isEmpty)
    }

    @Test("power saving is queried for a slow link, and for no other")
    func latency() throws {
        for savesPower in [true, false, nil] {
            var world = VirtualWorld(.watch)
            world.conditions.savesPower = savesPower
            world.start()
            world.run(for: .seconds(3600))
            #expect(world.orders.questionsForPowerSave == 0)
            world.hosts.roundTrip = .milliseconds(700)
            world.run(for: .seconds(3600))
            let first = try #require(world.reports.cycles.first { $0.quality?.isDegraded == true }?.quality)
            #expect(first.degradations == [.latency] && first.savesPower == savesPower)
            #expect(world.orders.questionsForPowerSave > 30)
            world.hosts.roundTrip = .milliseconds(3)
            world.run(for: .seconds(3600))
            let asked = world.orders.questionsForPowerSave
            world.run(for: .seconds(600))
            #expect(world.orders.questionsForPowerSave == asked)
            #expect(Self.changes(of: world) == [[], [.latency], []])
            #expect(world.orders.lowered.isEmpty)
        }
    }

    /// How many bounces a day of random loss causes, after twenty minutes without loss.
    private static func bounces(losing percent: UInt64, seed: UInt64, _ settings: Settings = Settings())
        -> Int
    {
        var world = VirtualWorld(.watch, settings)
        world.start()
        world.run(for: .seconds(1200))
        world.hosts.isLost = losing(percent: percent, seed: seed)
        world.run(for: .seconds(86400))
        return world.orders.lowered.count
    }

    @Test("a day of random loss causes no bounce", arguments: [20, 35, 45])
    func chance(percent: UInt64) {
        for seed in [1, 2] as [UInt64] {
            #expect(Self.bounces(losing: percent, seed: seed) == 0, "seed \(seed)")
        }
    }

    @Test("with --degraded-loss 0, loss does not lengthen the streak, and a day of loss causes many bounces")
    func withoutChance() {
        let settings = Sample.settings { $0.degradedLoss = 0 }
        let count = Self.bounces(losing: 45, seed: 1, settings)
        #expect(count >= 5, "\(count)")
    }

    /// Seconds from the gateway's failure to the bounce, and the number of sick checks until then.
    private static func death(
        after loss: @escaping () -> Bool, _ change: (inout Settings) -> Void = { _ in },
        by kill: (inout VirtualWorld) -> Void = { $0.hosts.gatewayAnswers = false }
    ) -> (seconds: Int, checks: Int)? {
        var world = VirtualWorld(.watch, Sample.settings(change))
        world.hosts.isLost = loss
        world.start()
        world.run(for: .seconds(3601))
        world.hosts.isLost = { false }
        kill(&world)
        let before = (cycles: world.reports.cycles.count, time: world.now - world.begun)
        world.run(for: .seconds(300))
        let checks = world.reports.cycles.dropFirst(before.cycles).prefix { $0.action == .none }
            .filter { $0.verdict.conclusion == .sick }
        return world.orders.lowered.first.map { (($0 - before.time).wholeSeconds, checks.count + 1) }
    }

    @Test("a fault of a lossy link is found later than a fault of a good link, but in bounded time")
    func dead() throws {
        let clean = try #require(Self.death(after: { false }))
        #expect(clean.checks == 3 && clean.seconds < 90)
        let third = try #require(Self.death(after: Self.losing(every: 3)))
        #expect((5...8).contains(third.checks) && third.seconds < 140)
        var asked = 0
        // Two of three probes are lost, but the third is answered, so the link is healthy until the failure.
        let worst = try #require(
            Self.death(after: {
                asked += 1
                return asked % 3 > 0
            }))
        #expect((9...10).contains(worst.checks) && worst.seconds < 180)
        let off = try #require(Self.death(after: Self.losing(every: 3)) { $0.degradedLoss = 0 })
        #expect(off.checks == 3)
    }

    @Test("on a link that loses probes, a fault in the kernel state needs only the usual streak")
    func known() throws {
        let lost = try #require(
            Self.death(after: Self.losing(every: 3), by: { $0.link.hasAddress = false }))
        #expect(lost.checks == 3)
    }

    @Test("losses in an outage do not count, so that the next outage is detected as quickly as the first")
    func outages() {
        var world = VirtualWorld(.watch)
        world.onRaise = { $0.hosts.gatewayAnswers = true }
        world.start()
        world.run(for: .seconds(1201))
        var delays: [Int] = []
        for _ in 0..<3 {
            world.hosts.gatewayAnswers = false
            let (before, count) = (world.now - world.begun, world.orders.lowered.count)
            world.run(for: .seconds(900))
            delays += world.orders.lowered.dropFirst(count).prefix(1).map { ($0 - before).wholeSeconds }
        }
        #expect(delays.count == 3 && delays.allSatisfy { $0 < 90 }, "\(delays)")
        #expect(world.reports.cycles.allSatisfy { $0.quality?.isDegraded != true })
    }

    @Test("losses just before a user blocks the radio do not count")
    func switchedOff() {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(1201))
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(65))
        #expect(!world.toggler.qualityWindow.undecided.isEmpty)
        world.link.radio = .soft
        world.link.isUp = false
        world.tell(.radioChanged(.soft))
        world.run(for: .seconds(60))
        world.hosts.gatewayAnswers = true
        world.link.radio = .none
        world.link.isUp = true
        world.tell(.linkChanged(Sample.link()))
        world.run(for: .seconds(60))
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
        #expect(world.reports.cycles.last?.quality?.lost == 0)
    }

    @Test("the window is dropped when the interface disappears, and in another network")
    func forgotten() {
        for goes in [true, false] {
            var world = VirtualWorld(.watch)
            world.hosts.isLost = Self.losing(every: 3)
            world.start()
            world.run(for: .seconds(3600))
            #expect(world.reports.cycles.last?.quality?.isDegraded == true)
            if goes {
                world.tell(.linkRemoved)
                world.tell(.linkAppeared(Sample.link()))
            } else {
                world.link.ssid = SSID("elsewhere".utf8)
            }
            world.run(for: .seconds(61))
            #expect(world.reports.cycles.last?.quality == nil)
        }
    }

    @Test("a one-shot does not record the quality of the link")
    func oneShot() {
        var world = VirtualWorld(.reconnect)
        world.start()
        world.run(for: .seconds(60))
        #expect(world.reports.outcome == .healthy && world.toggler.qualityWindow == QualityWindow())
    }
}
