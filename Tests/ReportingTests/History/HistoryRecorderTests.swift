import Model
import Testing
import Toggling

@testable import Reporting

@Suite("What is recorded in the history") struct HistoryRecorderTests {
    private typealias S = HistorySamples

    private static func recorder(_ command: HistoryEntry.Command = .run) -> Recorder {
        Recorder(history: HistoryRecorder(command, interface: "wlan0", at: S.instant(0)))
    }

    /// Turns reports of the core into the records and then the entries of the history, as the service does.
    private struct Recorder {
        var history: HistoryRecorder
        private var interfaceStatus = InterfaceStatus(at: .boot)

        init(history: HistoryRecorder) { self.history = history }

        mutating func take(_ report: Report, at now: Timestamp) -> [HistoryEntry] {
            history.take(
                interfaceStatus.take(report, at: .boot + .milliseconds(now.sinceBoot)), at: now)
        }

        mutating func ended(at now: Timestamp) -> [HistoryEntry] { history.ended(at: now) }
    }

    @Test("a check without a change of condition makes no entry, a change makes one")
    func changes() {
        var recorder = Self.recorder()
        let checks: [(Verdict, Health.Condition)] = [
            (S.healthy, .healthy), (S.healthy, .healthy), (S.sick, .healthy), (S.sick, .healthy),
            (S.sick, .sick), (S.sick, .sick), (S.healthy, .sick), (S.healthy, .healthy),
        ]
        var conditions: [Health.Condition] = []
        for (place, check) in checks.enumerated() {
            let report = S.cycle(check.0, .undetermined, check.1)
            conditions += recorder.take(report, at: S.instant(Int64(place) * 1000)).map(\.condition)
        }
        #expect(conditions == [.healthy, .sick, .healthy])
    }

    @Test("an outage begins with its first sick check, not with the one that completed the streak")
    func beginning() throws {
        var recorder = Self.recorder()
        for (time, after) in [(1000, Health.Condition.healthy), (2000, .healthy), (3000, .sick)] {
            let entries = recorder.take(S.cycle(S.sick, .healthy, after), at: S.instant(Int64(time)))
            guard after == .sick else { continue }
            let entry = try #require(entries.first)
            #expect(entry.what == .changed(RecordedVerdict(S.sick), since: S.instant(1000).sinceBoot))
        }
    }

    @Test("a single sick check followed by a healthy one is not recorded")
    func blip() {
        var recorder = Self.recorder()
        _ = recorder.take(S.cycle(S.sick, .healthy, .healthy), at: S.instant(1000))
        _ = recorder.take(S.cycle(S.healthy, .healthy, .healthy), at: S.instant(2000))
        let entries = recorder.take(S.cycle(S.sick, .healthy, .sick), at: S.instant(9000))
        #expect(entries.map(\.what) == [.changed(RecordedVerdict(S.sick), since: S.instant(9000).sinceBoot)])
    }

    @Test("an outage does not begin while the radio is blocked, nor before an unknown verdict")
    func unjudged() {
        let unknown = Verdict(.unknown, reason: .nothingWrongInKernel)
        for before in [S.blocked(.healthy), S.cycle(unknown, .healthy, .healthy)] {
            var recorder = Self.recorder()
            let reports = [
                S.cycle(S.healthy, .undetermined, .healthy), S.cycle(S.sick, .healthy, .healthy), before,
                before, S.cycle(S.sick, .healthy, .healthy), S.cycle(S.sick, .healthy, .healthy),
                S.cycle(S.sick, .healthy, .sick),
                // In an outage, an unknown verdict changes nothing.
                S.cycle(unknown, .sick, .sick), S.cycle(S.sick, .sick, .sick),
            ]
            let entries = reports.enumerated().flatMap { place, report in
                recorder.take(report, at: S.instant(Int64(place) * 1000))
            }
            let sick = entries.filter { $0.condition == .sick }.map(\.what)
            #expect(sick == [.changed(RecordedVerdict(S.sick), since: S.instant(4000).sinceBoot)])
        }
    }

    @Test("an earlier run's outage ends if the radio is blocked at the start, not if health is undetermined")
    func blockedAtStart() {
        let before = S.entry(
            .changed(RecordedVerdict(S.sick), since: S.instant(0).sinceBoot), .sick, at: S.instant(0))
        let undecided = S.cycle(S.sick, .undetermined, .undetermined)
        let cases: [(Report, endings: [String?])] = [
            (S.blocked(.undetermined), ["not judged"]), (undecided, [nil]),
        ]
        for (report, endings) in cases {
            var recorder = Self.recorder()
            let began = recorder.history.began(program: "0.1.0", at: S.instant(5000))
            let entries = (6...8).flatMap { recorder.take(report, at: S.instant($0 * 1000)) }
            #expect(entries.count == (endings == [nil] ? 0 : 1), "it is recorded once")
            let timeline = Timeline(of: "wlan0", [before, began] + entries)
            #expect(timeline.outages.map(\.endedBy) == endings)
        }
    }

    @Test("the health of a sick link is recorded again once a day, with its beginning")
    func daily() {
        var recorder = Self.recorder()
        let day: Int64 = 86_400_000
        let changes = stride(from: 0, to: 3 * day, by: Int(day / 8)).flatMap { time in
            // Between the checks that find a fault, some find none, or nothing.
            let verdict = time % day == day / 2 ? S.healthy : S.sick
            return recorder.take(S.cycle(verdict, .sick, .sick), at: S.instant(time + 1000))
        }.filter { if case .changed = $0.what { true } else { false } }
        #expect(changes.map(\.at) == [1000, day + 1000, 2 * day + 1000].map { S.instant($0) })
        let what = HistoryEntry.What.changed(RecordedVerdict(S.sick), since: S.instant(1000).sinceBoot)
        #expect(changes.allSatisfy { $0.what == what && $0.condition == .sick })
        var healthy = Self.recorder()
        let entries = stride(from: 0, to: 3 * day, by: Int(day / 8)).flatMap { time in
            healthy.take(S.cycle(S.healthy, .healthy, .healthy), at: S.instant(time))
        }
        let isSample = entries.dropFirst().map { if case .sampled = $0.what { true } else { false } }
        #expect(isSample.allSatisfy { $0 })
    }

    @Test("the file of a new name begins with the service's start and the link's health")
    func renamed() {
        for (verdict, condition): (Verdict, Health.Condition) in [(S.healthy, .healthy), (S.sick, .sick)] {
            var history = HistoryRecorder(.run, interface: "wlan0", at: S.instant(0))
            _ = history.began(program: "0.1.0", at: S.instant(0))
            var entries: [HistoryEntry] = []
            for (place, name) in ["wlan0", "wlan0", "uplink", "uplink"].enumerated() {
                let record = Record(S.cycle(verdict, condition, condition), about: name, at: .boot)
                entries += history.take(record, at: S.instant(Int64(place) * 1000))
            }
            let changed = HistoryEntry.What.changed(
                RecordedVerdict(verdict), since: S.instant(0).sinceBoot)
            #expect(entries.map(\.what) == [changed, .began(program: "0.1.0"), changed])
            #expect(entries.map(\.interface) == ["wlan0", "uplink", "uplink"])
            #expect(entries.map(\.condition) == [condition, condition, condition])
        }
    }

    @Test("a bounce is one entry with its cause, its effects and the verdict afterwards")
    func bounce() {
        var recorder = Self.recorder()
        _ = recorder.take(S.cycle(S.healthy, .healthy, .healthy), at: S.instant(0))
        let begun = recorder.take(.step(.beginning(.bounce, S.sick)), at: S.instant(1000))
        #expect(begun.map(\.condition) == [.sick])
        let ended = recorder.take(
            S.cycle(S.healthy, .sick, .healthy, .bounced(S.summary)), at: S.instant(6000))
        #expect(ended.map(\.condition) == [.healthy])
        #expect(ended.map(\.what) == [.acted(S.action)])
        #expect(
            S.action.use == .useful
                && S.action.restoration.refusedTexts == ["192.0.2.8/29 dev wlan0: Invalid argument"])
    }

    @Test("the methods that a dry run would try are one entry per outage, and no action")
    func withheld() {
        var recorder = Self.recorder()
        let dry = { (methods: [Model.Method]) in S.cycle(S.sick, .sick, .sick, .skipped(.dryRun(methods))) }
        let reports = [
            dry([.owner, .bounce]), dry([.owner, .bounce]), S.cycle(S.sick, .sick, .sick), dry([.reboot]),
            S.cycle(S.healthy, .sick, .healthy), dry([.reboot]),
        ]
        var entries: [HistoryEntry] = []
        for (place, report) in reports.enumerated() {
            entries += recorder.take(report, at: S.instant(Int64(place) * 1000))
        }
        let withheld = entries.compactMap { entry in
            if case .withheld(let cause, let methods) = entry.what { (cause, methods) } else { nil }
        }
        #expect(withheld.map(\.1) == [["owner", "bounce"], ["reboot"], ["reboot"]])
        #expect(withheld.allSatisfy { $0.0 == .sick(RecordedVerdict(S.sick)) })
        let timeline = Timeline(of: "wlan0", entries)
        #expect(timeline.actions.isEmpty && timeline.outages.allSatisfy { $0.actions == 0 })
        let text = HistoryText(timeline, isVerbose: false) { _ in "T" }.lines
        #expect(text[0].hasSuffix("; no bounce"))
        let row = text.first { $0.contains("nothing (dry run)") }
        #expect(row?.hasSuffix("would have tried owner, then bounce") == true)
        let kinds = HistoryJSON.objects(timeline) { _ in "T" }.compactMap { $0["kind"]?.string }
        #expect(kinds == ["outage", "withheld", "withheld", "outage", "withheld"])
        // After a block or an absence, the same decision is about another outage.
        for end in [S.blocked(.sick), .step(.absent)] {
            _ = recorder.take(end, at: S.instant(9000))
            let next = recorder.take(dry([.reboot]), at: S.instant(9500)).map(\.what)
            #expect(next.contains(.withheld(.sick(RecordedVerdict(S.sick)), methods: ["reboot"])))
        }
    }

    @Test("a dry run records its cause if --force asks for a bounce, or if a block has left the link down")
    func withheldWithoutFault() {
        var recorder = Self.recorder()
        let dry: [(verdict: Verdict, methods: [Model.Method])] = [(S.healthy, [.bounce]), (S.sick, [])]
        let reports = dry.map { S.cycle($0.verdict, .healthy, .healthy, .skipped(.dryRun($0.methods))) }
        let entries = reports.flatMap { recorder.take($0, at: S.instant(0)) }
        let causes = entries.compactMap { if case .withheld(let cause, _) = $0.what { cause } else { nil } }
        #expect(causes == [.asked, .block])
    }

    @Test("a bounce is recorded as useful, useless or of unclear use")
    func use() {
        let cases: [(ActionCause, Verdict.Conclusion, RecordedAction.Use)] = [
            (.sick(RecordedVerdict(S.sick)), .healthy, .useful),
            (.sick(RecordedVerdict(S.sick)), .sick, .useless),
            (.sick(RecordedVerdict(S.sick)), .unknown, .unclear),
            (.asked, .healthy, .unclear), (.asked, .sick, .useless), (.block, .unknown, .unclear),
        ]
        for (cause, conclusion, use) in cases {
            let outcome = RecordedVerdict(conclusion, reason: "")
            #expect(RecordedAction(cause: cause, action: "bounced", outcome: outcome).use == use, "\(cause)")
        }
    }

    @Test(
        "a bounce that a user requests on a sick link is useful if the link is healthy then, also when read")
    func requestedUse() throws {
        var recorder = Self.recorder()
        let entries = recorder.take(
            S.cycle(S.healthy, .sick, .healthy, .bounced(S.summary)), at: S.instant(1000))
        guard case .acted(let action)? = entries.first?.what else {
            Issue.record("\(entries)")
            return
        }
        #expect(action.cause == .asked && action.use == .useful)
        let stored = try #require(RecordedAction(.object(action.storedMembers)))
        #expect(stored == action && stored.use == .useful)
    }

    @Test("a failed bounce is recorded with its error")
    func failed() throws {
        var recorder = Self.recorder(.toggle)
        let failure = Failure(kind: .busy, code: 16, description: "Device or resource busy")
        let entries = recorder.take(
            S.cycle(S.sick, .undetermined, .undetermined, .failed(.lowering, failure)), at: S.instant(1000))
        guard case .acted(let action)? = entries.first?.what else {
            Issue.record("\(entries)")
            return
        }
        #expect(action.outcome.reason == "could not lower the link: Device or resource busy")
        #expect(action.cause == .asked && action.down == nil)
        #expect(entries[0].health == .sick, "the last verdict stands for a condition")
    }

    @Test("healthy checks give one sample per quarter of an hour, and a last sample at the end")
    func samples() throws {
        var recorder = Self.recorder()
        var samples: [HistorySample] = []
        for minute in 0...31 {
            for entry in recorder.take(
                S.cycle(S.healthy, .healthy, .healthy), at: S.instant(Int64(minute) * 60_000))
            {
                if case .sampled(let sample) = entry.what { samples.append(sample) }
            }
        }
        #expect(samples.map(\.checks) == [16, 15])
        #expect(samples[0].roundTrip == HistorySample.Spread(least: 1500, median: 1500, most: 1500))
        let end = recorder.ended(at: S.instant(32 * 60_000))
        #expect(end.count == 2 && end.last?.what == .ended)
        guard case .sampled(let last)? = end.first?.what else {
            Issue.record("\(end)")
            return
        }
        #expect(last.checks == 1)
    }

    @Test("a one-shot records no samples")
    func oneShot() {
        var recorder = Self.recorder(.reconnect)
        let entries = recorder.take(S.cycle(S.healthy, .healthy, .healthy), at: S.instant(3_600_000))
        #expect(entries.map(\.condition) == [.healthy] && recorder.ended(at: S.instant(0)).count == 1)
    }

    @Test("each disappearance and return of an interface is recorded, its first appearance is not")
    func presence() {
        var recorder = Self.recorder()
        let link = Link(
            index: InterfaceIndex(rawValue: 1), name: "wlan0", isUp: true, hasCarrier: true,
            operationalState: .up)
        let steps: [Report.Step] = [.appeared(link), .absent, .absent, .appeared(link), .appeared(link)]
        let entries = steps.flatMap { recorder.take(.step($0), at: S.instant(0)) }
        #expect(entries.map(\.what) == [.vanished, .appeared])
    }

    @Test("an interface whose reset fails is absent again, and its outage is over")
    func failedReset() {
        var recorder = Self.recorder()
        let steps: [Report.Step] = [.absent, .beginning(.reset, S.sick), .absent, .absent]
        let entries = steps.enumerated().flatMap { place, step in
            recorder.take(.step(step), at: S.instant(Int64(place) * 1000))
        }
        let since = S.instant(1000).sinceBoot
        #expect(
            entries.map(\.what) == [.vanished, .changed(RecordedVerdict(S.sick), since: since), .vanished])
        let timeline = Timeline(of: "wlan0", entries + [S.entry(.ended, at: S.instant(9000))])
        #expect(timeline.outages.map(\.endedBy) == ["vanished"])
        #expect(timeline.spans.map(\.state) == [.absent, .sick, .absent])
    }

    @Test("while an interface is absent, a service records an empty sample each quarter of an hour")
    func absence() {
        let quarter: Int64 = 900_000
        for command in [HistoryEntry.Command.run, .reconnect] {
            var history = HistoryRecorder(command, interface: "wlan0", at: S.instant(0))
            let cycle = Record(S.cycle(S.healthy, .healthy, .healthy), about: "wlan0", at: .boot)
            let absent = Record(.step(.absent), about: "wlan0", at: .boot)
            _ = history.take(cycle, at: S.instant(0))
            #expect(history.absenceSampleDue == nil)
            #expect(history.sampleOfAbsence(at: S.instant(quarter)) == nil)
            _ = history.take(absent, at: S.instant(1000))
            guard command == .run else {
                #expect(history.absenceSampleDue == nil)
                continue
            }
            #expect(history.absenceSampleDue == S.instant(quarter).sinceBoot)
            #expect(history.sampleOfAbsence(at: S.instant(quarter - 1)) == nil)
            let samples = (1...3).compactMap { history.sampleOfAbsence(at: S.instant($0 * quarter)) }
            let checks = samples.map { if case .sampled(let sample) = $0.what { sample.checks } else { -1 } }
            // The first one has the check from before.
            #expect(checks == [1, 0, 0] && samples.allSatisfy { $0.condition == .undetermined })
            _ = history.take(cycle, at: S.instant(3 * quarter + 1000))
            #expect(history.absenceSampleDue == nil)
        }
    }

    @Test("a suspend of a minute is recorded, a shorter one is not")
    func sleep() {
        let recorder = Self.recorder()
        #expect(recorder.history.slept(.seconds(59), at: S.instant(0)) == nil)
        #expect(recorder.history.slept(.seconds(60), at: S.instant(0))?.what == .slept(.seconds(60)))
    }

    @Test("for many values, minimum and maximum are exact, and the median is close, in bounded memory")
    func counters() throws {
        var counters = Downsampler()
        #expect(counters.spread == nil)
        for number in 0..<10_000 { counters.add(Int64(number * 7919 % 10_000)) }
        let spread = try #require(counters.spread)
        #expect(spread.least == 0 && spread.most == 9999)
        #expect((4000...6000).contains(spread.median), "\(spread.median)")
    }
}
