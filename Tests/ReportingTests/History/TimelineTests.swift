import Model
import Testing
import Toggling

@testable import Reporting

@Suite("The timeline of outages and bounces") struct TimelineTests {
    private typealias S = HistorySamples

    private static let second = "6c1f0a2e-0000-4000-8000-000000000002"

    private static func timeline(_ entries: [HistoryEntry]) -> Timeline { Timeline(of: "wlan0", entries) }

    private static func sick(_ at: Int64, since: Int64? = nil, _ boot: String = S.boot) -> HistoryEntry {
        let now = S.instant(at, boot: boot)
        return S.entry(
            .changed(RecordedVerdict(S.sick), since: S.instant(since ?? at, boot: boot).sinceBoot), .sick,
            at: now)
    }

    private static func healthy(_ at: Int64, _ boot: String = S.boot) -> HistoryEntry {
        S.entry(
            .changed(RecordedVerdict(S.healthy), since: 0), .healthy, at: S.instant(at, boot: boot))
    }

    private static func sample(_ at: Int64, _ condition: Health.Condition, checks: Int = 15) -> HistoryEntry {
        let sample = HistorySample(checks: checks, unanswered: 0, signal: nil, roundTrip: nil)
        return S.entry(.sampled(sample), condition, at: S.instant(at))
    }

    private static func began(_ at: Int64, _ boot: String = S.boot) -> HistoryEntry {
        S.entry(.began(program: "0.1.0"), at: S.instant(at, boot: boot))
    }

    private static func span(_ begin: Int64, _ end: Int64, _ state: Timeline.Span.State) -> Timeline.Span {
        Timeline.Span(begin: S.wall + begin, end: S.wall + end, state: state)
    }

    @Test("an outage lasts from its first sick check to the bounce that ended it")
    func outage() throws {
        let timeline = Self.timeline([
            Self.began(0), Self.healthy(1000), Self.sick(70_000, since: 60_000),
            S.entry(.acted(S.action), .healthy, at: S.instant(75_000)),
            S.entry(.ended, .healthy, at: S.instant(80_000)),
        ])
        let outage = try #require(timeline.outages.first)
        #expect(timeline.outages.count == 1 && timeline.actions.count == 1)
        #expect(outage.begin == S.wall + 60_000 && outage.end == S.wall + 75_000)
        #expect(outage.duration == .seconds(15) && outage.isExact && outage.actions == 1)
        #expect(outage.ending == "over: healthy again (bounced)" && outage.finding.layer == .gateway)
        #expect(
            timeline.spans == [
                Self.span(0, 1000, .undetermined), Self.span(1000, 60_000, .healthy),
                Self.span(60_000, 75_000, .sick), Self.span(75_000, 80_000, .healthy),
            ])
    }

    @Test("a step of the wall clock neither changes a duration nor puts times out of order")
    func stepped() throws {
        for step: Int64 in [-86_400_000, 86_400_000] {
            var entries = [Self.began(0), Self.healthy(1000), Self.sick(60_000), Self.healthy(90_000)]
            for place in 2..<4 { entries[place].at.wall += step }
            let timeline = Self.timeline(entries)
            let outage = try #require(timeline.outages.first)
            #expect(outage.duration == .seconds(30) && outage.isExact)
            // All times of a boot are computed with the wall clock as it was set at the boot's end.
            #expect(outage.begin == S.wall + 60_000 + step && outage.end == S.wall + 90_000 + step)
            #expect(timeline.spans.first?.begin == S.wall + step)
        }
    }

    @Test(
        "an outage that spans two boots is measured by the wall clocks, and never negative")
    func acrossBoots() throws {
        for (wall, seconds): (Int64, Int64) in [(600_000, 540), (-600_000, 0)] {
            var entries = [
                Self.began(0), Self.sick(60_000), Self.began(0, Self.second), Self.healthy(5000, Self.second),
            ]
            entries[2].at.wall = S.wall + wall - 5000
            entries[3].at.wall = S.wall + wall
            let timeline = Self.timeline(entries)
            let outage = try #require(timeline.outages.first)
            #expect(!outage.isExact && outage.duration == .seconds(seconds))
            #expect(outage.end ?? 0 >= outage.begin)
            let times = timeline.spans.flatMap { [$0.begin, $0.end] }
            #expect(times == times.sorted())
        }
    }

    @Test("a boot whose clock was never set follows the boot before it")
    func unsetClock() throws {
        // The link is sick from the first boot on; without a network, the second one never gets the time.
        let third = "6c1f0a2e-0000-4000-8000-000000000003"
        var entries = [
            Self.began(0), Self.sick(60_000), Self.began(0, Self.second), Self.sick(9000, Self.second),
            Self.began(0, third), Self.healthy(5000, third),
        ]
        for place in 2..<4 { entries[place].at.wall -= S.wall }
        for place in 4..<6 { entries[place].at.wall += 600_000 }
        let timeline = Self.timeline(entries)
        let outage = try #require(timeline.outages.first)
        #expect(timeline.outages.count == 1 && outage.duration == .seconds(545))
        let inSecond = try #require(Self.timeline([entries[0]] + entries[2...]).outages.first)
        // 100 s passed from the boot to its first entry.
        #expect(inSecond.begin == S.wall + 109_000 && inSecond.duration == .seconds(496))
        let past = PastEventsTests.outage(entries)
        #expect(past?.begin == outage.begin && past?.end == outage.end)
    }

    @Test("times that no clock can show are limited, and are rendered")
    func extremes() throws {
        let longest = Timestamp.uptimes.upperBound
        for (uptime, boot) in [(longest, S.boot), (0, Self.second)] {
            var entries = [Self.began(0), Self.sick(0), Self.healthy(0, boot)]
            for place in 0..<2 { entries[place].at = Timestamp(wall: 0, boot: S.boot, sinceBoot: 0) }
            entries[2].at = Timestamp(
                wall: Timestamp.wallTimes.upperBound, boot: boot, sinceBoot: uptime)
            // The sum of four centuries is longer than nanoseconds can represent.
            let count = boot == S.boot ? 4 : 1
            let timeline = Self.timeline(Array(repeating: entries, count: count).flatMap(\.self))
            #expect(timeline.outages.first?.duration == .milliseconds(Timestamp.longestAge))
            Self.render(timeline)
        }
    }

    /// Renders all that shows a timeline. An overflow would end the process.
    private static func render(_ timeline: Timeline) {
        let wallTime = { (_: Int64) in "2027-01-15T08:00:00.000Z" }
        let lines = HistoryText(timeline, isVerbose: true, wallTime: wallTime).lines
        #expect(lines.count > timeline.items.count)
        #expect(HistoryJSON.objects(timeline, wallTime: wallTime).count == timeline.items.count)
        #expect(HistoryPage([timeline], ("0.1.0", S.wall, nil), wallTime).text.contains("</html>"))
    }

    @Test("a run that was killed ends with its last entry")
    func killed() {
        let timeline = Self.timeline([
            Self.began(0), Self.healthy(1000),
            S.entry(
                .sampled(HistorySample(checks: 1, unanswered: 0, signal: nil, roundTrip: nil)), .healthy,
                at: S.instant(900_000)), Self.began(5_000_000), Self.healthy(5_001_000),
        ])
        #expect(
            timeline.spans == [
                Self.span(0, 1000, .undetermined), Self.span(1000, 900_000, .healthy),
                Self.span(5_000_000, 5_001_000, .undetermined),
            ])
        #expect(timeline.samples.count == 1)
    }

    @Test("samples show the health of a link whose earlier entries were dropped")
    func rotated() {
        let quarter: Int64 = 900_000
        let samples = (0...2).map { Self.sample($0 * quarter, .healthy) }
        let timeline = Self.timeline(
            samples + [
                Self.sick(3 * quarter), Self.healthy(4 * quarter), Self.sample(5 * quarter, .healthy),
            ])
        #expect(
            timeline.spans == [
                Self.span(0, 3 * quarter, .healthy), Self.span(3 * quarter, 4 * quarter, .sick),
                Self.span(4 * quarter, 5 * quarter, .healthy),
            ])
        // What a sick link records each day has the beginning of the outage.
        let sick = Self.timeline(
            [Self.sample(2 * quarter, .sick)]
                + (3...4).map { Self.sick($0 * quarter, since: quarter) })
        #expect(sick.outages.map(\.begin) == [S.wall + quarter])
        #expect(sick.outages.map(\.duration) == [.milliseconds(3 * quarter)])
        #expect(sick.spans == [Self.span(2 * quarter, 4 * quarter, .sick)])
    }

    @Test("an absence lasts until its last sample if nobody saw its end")
    func lastingAbsence() {
        let quarter: Int64 = 900_000
        let vanished = S.entry(.vanished, at: S.instant(quarter))
        let samples = (2...5).map { Self.sample($0 * quarter, .undetermined, checks: 0) }
        let absent = Self.span(quarter, 5 * quarter, .absent)
        let cut = Self.timeline([Self.began(0), Self.healthy(0), vanished] + samples)
        #expect(cut.spans == [Self.span(0, quarter, .healthy), absent])
        // The machine was switched off and on.
        let boot = [Self.began(9 * quarter, Self.second), Self.healthy(10 * quarter, Self.second)]
        let next = Self.timeline([Self.began(0), Self.healthy(0), vanished] + samples + boot)
        #expect(next.spans.map(\.state) == [.healthy, .absent, .undetermined])
        #expect(next.spans[1] == absent)
        // The entry of its beginning was dropped.
        let late = Self.timeline(samples)
        #expect(late.spans == [Self.span(2 * quarter, 5 * quarter, .absent)])
    }

    @Test("an outage that is not over lasts until the last check")
    func open() throws {
        let outage = try #require(
            Self.timeline([
                Self.began(0), Self.sick(60_000), S.entry(.ended, .sick, at: S.instant(100_000)),
            ]).outages.first)
        #expect(outage.end == nil && outage.duration == .seconds(40) && outage.endedBy == nil)
    }

    @Test("a service that restarts in an outage continues that outage")
    func restarted() throws {
        let timeline = Self.timeline([
            Self.began(0), Self.sick(60_000), Self.began(70_000), Self.sick(71_000), Self.healthy(90_000),
        ])
        #expect(timeline.outages.count == 1 && timeline.outages[0].duration == .seconds(30))
        #expect(timeline.outages[0].ending == "over: healthy again by itself")
    }

    @Test("an outage ends if the interface disappears, or is no longer judged")
    func otherEnds() throws {
        let gone = Self.timeline([Self.sick(0), S.entry(.vanished, at: S.instant(5000))])
        #expect(
            gone.outages.first?.endedBy == "vanished" && gone.spans == [Self.span(0, 5000, .sick)])
        let blocked = RecordedVerdict(.sick, layer: .radio, reason: "soft-blocked")
        let unjudged = Self.timeline([
            Self.sick(0), S.entry(.changed(blocked, since: 0), at: S.instant(5000)),
        ])
        #expect(unjudged.outages.first?.ending == "over: soft-blocked")
    }

    @Test("over several runs of cron an outage lasts from the first sick run to the first healthy run")
    func cron() throws {
        let found = S.entry(
            .changed(RecordedVerdict(S.sick), since: 100_000), .sick, at: S.instant(1000), by: .reconnect)
        let failed = RecordedAction(
            cause: .sick(RecordedVerdict(S.sick)), action: "bounced", methods: ["bounce"],
            outcome: RecordedVerdict(S.sick))
        let over = S.entry(
            .changed(RecordedVerdict(S.healthy), since: 0), .healthy, at: S.instant(301_000), by: .reconnect)
        let timeline = Self.timeline([
            found, S.entry(.acted(failed), .sick, at: S.instant(9000), by: .reconnect), over,
        ])
        let outage = try #require(timeline.outages.first)
        #expect(outage.duration == .seconds(301) && outage.actions == 1)
        #expect(timeline.spans == [Self.span(0, 301_000, .sick)], "what is healthy is not watched")
    }

    @Test("a bounce that a user requested is no outage, unless the link is sick afterwards")
    func asked() {
        let good = RecordedAction(cause: .asked, action: "bounced", outcome: RecordedVerdict(S.healthy))
        let bad = RecordedAction(cause: .asked, action: "bounced", outcome: RecordedVerdict(S.sick))
        let timeline = Self.timeline([
            S.entry(.acted(good), at: S.instant(0), by: .toggle),
            S.entry(.acted(bad), at: S.instant(9000), by: .toggle),
        ])
        #expect(timeline.outages.map(\.begin) == [S.wall + 9000] && timeline.actions.count == 2)
    }

    @Test("a suspend counts neither as an outage nor as time in the condition before it")
    func slept() {
        let timeline = Self.timeline([
            Self.began(0), Self.healthy(0), S.entry(.slept(.seconds(100)), .healthy, at: S.instant(300_000)),
            S.entry(.ended, .healthy, at: S.instant(400_000)),
        ])
        #expect(
            timeline.spans == [
                Self.span(0, 200_000, .healthy), Self.span(200_000, 300_000, .asleep),
                Self.span(300_000, 400_000, .healthy),
            ])
    }

    @Test("events that ended before the given time are left out, and all others are kept")
    func since() {
        let all = Self.timeline([
            Self.began(0), Self.sick(1000), Self.healthy(2000), Self.sick(3000),
            S.entry(.acted(S.action), .healthy, at: S.instant(5000)), Self.healthy(6000),
        ])
        let late = all.since(S.wall + 4000)
        #expect(late.outages.map(\.begin) == [S.wall + 3000] && late.actions.count == 1)
        #expect(late.spans == [Self.span(4000, 5000, .sick), Self.span(5000, 6000, .healthy)])
        #expect(all.since(S.wall + 9000).outages.isEmpty)
    }

    /// Every order of every kind of entry, with arbitrary clocks: no duration may be negative, and none too
    /// long to be shown.
    @Test("entries in any order give periods that follow each other and are never negative")
    func anyOrder() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let entries = (0..<20).map { _ in
                var entry = S.every.randomElement(using: &random) ?? S.every[0]
                entry.at = Timestamp(
                    wall: [0, S.wall, .max, .random(in: 0...S.wall * 2)].randomElement(using: &random) ?? 0,
                    boot: [S.boot, Self.second].randomElement(using: &random) ?? "",
                    sinceBoot: [0, .max, .random(in: 0...S.wall)].randomElement(using: &random) ?? 0)
                return entry
            }
            let timeline = Self.timeline(entries)
            #expect(timeline.outages.allSatisfy { $0.duration >= .zero && $0.end ?? .max >= $0.begin })
            let times = timeline.spans.flatMap { [$0.begin, $0.end] }
            #expect(times == times.sorted(), "\(entries)")
            Self.render(timeline)
            #expect(
                timeline.actions.count
                    == entries.filter { if case .acted = $0.what { true } else { false } }.count)
        }
    }
}
