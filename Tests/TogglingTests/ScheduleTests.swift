import Testing

@testable import Toggling

@Suite("The schedule") struct ScheduleTests {
    private let schedule = Schedule(start: .seconds(1000), interval: .seconds(60))

    @Test(
        "the next tick is the first at start + k × interval after now",
        arguments: [
            (1000.0, 1060.0), (1000.001, 1060), (1059.999, 1060), (1060, 1120), (1700, 1720), (999, 1000),
        ])
    func ticks(now: Double, next: Double) { #expect(schedule.next(after: .seconds(now)) == .seconds(next)) }

    @Test("10,000 ticks, each taken late, end where the arithmetic says")
    func drift() {
        var now = schedule.start
        for _ in 0..<10_000 { now = schedule.next(after: now) + .milliseconds(37) }
        #expect(now == schedule.start + .seconds(600_000) + .milliseconds(37))
    }
}

@Suite("Health") struct HealthTests {
    @Test(
        "the condition changes with a full row of equal verdicts, not before",
        arguments: [
            ("h", Health.Condition.healthy), ("u", .undetermined), ("s", .undetermined),
            ("ss", .undetermined),
            ("sss", .sick), ("ssuss", .undetermined), ("hss", .healthy), ("hsss", .sick), ("sssh", .sick),
            ("ssshh", .healthy), ("ssshsh", .sick), ("hssuss", .healthy), ("hsshss", .healthy),
        ])
    func rows(verdicts: String, condition: Health.Condition) {
        var health = Health()
        for (number, verdict) in verdicts.enumerated() {
            let conclusion: Verdict.Conclusion = verdict == "h" ? .healthy : verdict == "s" ? .sick : .unknown
            health.take(conclusion, at: .seconds(Double(number * 5)), apart: .seconds(5), fall: 3, rise: 2)
        }
        #expect(health.condition == condition)
    }

    @Test(
        "sick verdicts from looks in quick succession are one",
        arguments: [
            ([0, 1, 2], Health.Condition.undetermined), ([0, 4.9, 9.8], .undetermined), ([0, 5, 10], .sick),
            ([0, 1, 5, 6, 10], .sick), ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], .undetermined),
        ])
    func swarm(moments: [Double], condition: Health.Condition) {
        var health = Health()
        for moment in moments {
            health.take(.sick, at: .seconds(moment), apart: .seconds(5), fall: 3, rise: 2)
        }
        #expect(health.condition == condition)
    }

    @Test("a fault in another layer begins a row of its own, and is looked at again soon")
    func layers() {
        var health = Health()
        let layers: [Layer] = [.internet, .internet, .internet, .association, .association, .association]
        let acts = layers.enumerated().map { number, layer in
            let now = Instant.seconds(Double(number * 5))
            health.take(.sick, in: layer, at: now, apart: .seconds(5), fall: 3, rise: 2)
            return health.isSick(fall: 3)
        }
        #expect(acts == [false, false, true, false, false, true])
        health.take(.sick, in: .address, at: .seconds(31), apart: .seconds(5), fall: 3, rise: 2)
        #expect(health.condition == .sick && health.isInDoubt(fall: 3))
    }
}
