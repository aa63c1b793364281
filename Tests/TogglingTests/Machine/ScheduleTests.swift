import Testing

@testable import Model
@testable import Toggling

@Suite("The schedule of one interface") struct ScheduleTests {
    private let schedule = Schedule(start: .seconds(1000), interval: .seconds(60))

    @Test(
        "the next tick is the first at start + k × interval after now",
        arguments: [
            (1000.0, 1060.0), (1000.001, 1060), (1059.999, 1060), (1060, 1120), (1700, 1720), (999, 1000),
        ])
    func ticks(now: Double, next: Double) { #expect(schedule.next(after: .seconds(now)) == .seconds(next)) }

    @Test("10,000 ticks, each handled late, cause no drift")
    func drift() {
        var now = schedule.start
        for _ in 0..<10_000 { now = schedule.next(after: now) + .milliseconds(37) }
        #expect(now == schedule.start + .seconds(600_000) + .milliseconds(37))
    }
}

@Suite("The schedules of many interfaces in one service") struct SpreadScheduleTests {
    private static let interval: Duration = .seconds(60)

    private func schedule(_ place: Int, from begin: Double = 1000) -> Schedule {
        Schedule(beginning: .seconds(begin), interval: Self.interval, place: place)
    }

    @Test("the first few interfaces are checked at intervals from their own first check")
    func few() {
        for place in 0..<Schedule.together {
            let ticks = schedule(place, from: 1000 + Double(place))
            #expect(ticks.next(after: ticks.start) == .seconds(1060 + Double(place)))
        }
    }

    @Test(
        "no second of an interval has more than twice the mean number of checks",
        arguments: [500, 1000, 3000])
    func even(number: Int) {
        var seconds = [Int](repeating: 0, count: 60)
        for place in 0..<number {
            // Seven interfaces appear per second.
            let begin = 1000 + Double(place) / 7
            let next = schedule(place, from: begin).next(after: .seconds(begin))
            seconds[Int(next.nanoseconds / 1_000_000_000 % 60)] += 1
        }
        #expect(seconds.reduce(0, +) == number)
        let most = Double(seconds.max()!) / (Double(number) / 60)
        #expect(most <= 2, "\(most) times the mean: \(seconds)")
    }

    @Test("the second check comes within an interval, and each later one an interval after the last")
    func pace() {
        for place in [8, 9, 10, 71, 72, 999] {
            let begin = Instant.seconds(1000.25)
            let ticks = schedule(place, from: 1000.25)
            let second = ticks.next(after: begin)
            #expect(second > begin && second - begin <= Self.interval, "place \(place)")
            #expect(ticks.next(after: second) - second == Self.interval)
        }
    }

    @Test("interfaces in the same time slot are checked at the same moment, with one wake-up")
    func shared() {
        let instants = Set(
            (0..<640).map { place in
                let begin = 1000 + Double(place) * 0.013
                return schedule(Schedule.together + place, from: begin).next(after: .seconds(1010))
                    .nanoseconds
                    % Self.interval.nanoseconds
            })
        #expect(instants.count == 128)
    }

    @Test("checks begin at once and follow the schedule; run --force counts from its first bounce")
    func toggler() {
        for isForced in [false, true] {
            var settings = Settings()
            settings.isForced = isForced
            settings.isDryRun = true
            settings.bouncesInUse = true
            settings.probes = [ProbeSpec(.none)]
            var toggler = Toggler(runMode: .watch, settings: settings, seed: 1, place: 40)
            let begin = Instant.seconds(1000)
            #expect(toggler.handle(.started(isPresent: true), at: begin).contains(.kernelState(1)))
            let effects = toggler.handle(.kernelStateRead(1, Sample.kernelState()), at: begin)
            let next = effects.compactMap { if case .arm(.nextCheck, let at) = $0 { at } else { nil } }
            let expected = isForced ? Instant.seconds(1060) : schedule(40).next(after: begin)
            #expect(next == [expected])
        }
        #expect(schedule(40).next(after: .seconds(1000)) != .seconds(1060))
    }
}

@Suite("Streaks of verdicts") struct HealthTests {
    @Test(
        "the condition changes with a full streak of equal verdicts, not before",
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
        "sick verdicts of checks less than five seconds apart count as one",
        arguments: [
            ([0, 1, 2], Health.Condition.undetermined), ([0, 4.9, 9.8], .undetermined), ([0, 5, 10], .sick),
            ([0, 1, 5, 6, 10], .sick), ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], .undetermined),
        ])
    func swarm(instants: [Double], condition: Health.Condition) {
        var health = Health()
        for instant in instants {
            health.take(.sick, at: .seconds(instant), apart: .seconds(5), fall: 3, rise: 2)
        }
        #expect(health.condition == condition)
    }

    @Test("a fault in another layer begins a new streak, and is checked again soon")
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

    /// - Parameter layers: the layers of the faults, by their first letters, five seconds apart.
    @Test(
        "a fault that moves on before its streak is full makes the link sick after four times `fall` moves",
        arguments: [
            ("AaAaAaAaAaAaA", 13), ("AaagAaagAaagAaagA", 17), ("AaAaAaAaAaAahAaAaAaAaAaAa", nil),
            ("AaAaAaAaAaAauAaAaAaAaAaAa", nil),
        ])
    func moves(layers: String, sickAfter: Int?) {
        let meanings: [Character: Layer] = ["A": .association, "a": .address, "g": .gateway]
        var health = Health()
        let acts = layers.enumerated().map { number, letter in
            let conclusion: Verdict.Conclusion = letter == "h" ? .healthy : letter == "u" ? .unknown : .sick
            health.take(
                conclusion, in: meanings[letter], at: .seconds(Double(number * 5)), apart: .seconds(5),
                fall: 3, rise: 2)
            return health.isSick(fall: 3)
        }
        #expect(acts.firstIndex(of: true).map { $0 + 1 } == sickAfter)
    }
}
