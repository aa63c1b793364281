import Model

@testable import Reporting
@testable import Toggling

/// Entries and reports for the tests of the history.
enum HistorySamples {
    static let boot = "6c1f0a2e-0000-4000-8000-000000000001"
    /// 2027-01-15T08:00:00Z.
    static let wall: Int64 = 1_800_000_000_000

    /// The time this many milliseconds after the samples' first time, by both clocks.
    static func instant(_ milliseconds: Int64, boot: String = boot, wall: Int64 = wall) -> Timestamp {
        Timestamp(wall: wall + milliseconds, boot: boot, sinceBoot: 100_000 + milliseconds)
    }

    static let gateway = IPAddress("192.0.2.1")!
    static let sick = Verdict(
        .sick, layer: .gateway, reason: .gatewaySilent([gateway]),
        evidence: [
            .operational(.up, hasCarrier: true),
            .probe(.neighbour(gateway), .unanswered(detail: "no answer in 2s")),
        ])
    static let healthy = Verdict(
        .healthy, reason: .probeAnswered(.neighbour(gateway)),
        evidence: [
            .probe(.neighbour(gateway), .answered(roundTrip: .microseconds(1500), detail: "reachable"))
        ])

    static let summary = BounceSummary(
        down: .microseconds(3_000_250), recovery: .milliseconds(1200),
        restoration: Restoration(
            lost: ["default via 192.0.2.1 dev wlan0", "192.0.2.8/29 dev wlan0"],
            restored: ["default via 192.0.2.1 dev wlan0"],
            refused: [
                Restoration.Refused(
                    description: "192.0.2.8/29 dev wlan0",
                    failure: Failure(kind: .other, description: "Invalid argument"))
            ]))

    static func cycle(
        _ verdict: Verdict, _ before: Health.Condition, _ after: Health.Condition,
        _ action: CycleReport.Action = .none, streak: Int = 1
    ) -> Report {
        .cycle(
            CycleReport(
                verdict: verdict, action: action,
                change: HealthChange(before: before, after: after, streak: streak), next: nil))
    }

    /// A check that finds the radio blocked: its verdict is forgotten.
    static func blocked(_ before: Health.Condition) -> Report {
        cycle(
            Verdict(.sick, layer: .radio, reason: .radioBlocked(.soft)), before, .undetermined,
            .refused(.radioBlocked(.soft)), streak: 0)
    }

    static func entry(
        _ what: HistoryEntry.What, _ condition: Health.Condition = .undetermined,
        at instant: Timestamp = instant(0), by command: HistoryEntry.Command = .run,
        interface: String = "wlan0"
    ) -> HistoryEntry {
        HistoryEntry(at: instant, interface: interface, command: command, condition: condition, what: what)
    }

    static let action = RecordedAction(
        cycleReport(.bounced(summary), healthy), cause: .sick(RecordedVerdict(sick)))

    static func cycleReport(_ action: CycleReport.Action, _ verdict: Verdict) -> CycleReport {
        CycleReport(
            verdict: verdict, action: action,
            change: HealthChange(before: .sick, after: .healthy, streak: 1), next: nil)
    }

    /// At least one entry of each kind.
    static let every: [HistoryEntry] = [
        entry(.began(program: "0.1.0")),
        entry(.changed(RecordedVerdict(healthy), since: 100_000), .healthy),
        entry(.changed(RecordedVerdict(sick), since: 99_000), .sick),
        entry(.acted(action), .healthy),
        entry(
            .acted(
                RecordedAction(
                    cause: .asked, action: "bounced", methods: ["bounce"],
                    outcome: RecordedVerdict(.unknown, reason: "not verified"))), by: .toggle),
        entry(.acted(RecordedAction(cause: .block, action: "raised", outcome: RecordedVerdict(healthy)))),
        entry(
            .withheld(.sick(RecordedVerdict(sick)), methods: ["owner", "bounce"]), .sick),
        entry(.vanished), entry(.appeared), entry(.slept(.seconds(3600)), .healthy),
        entry(
            .sampled(
                HistorySample(
                    checks: 15, unanswered: 1,
                    signal: HistorySample.Spread(least: -71, median: -60, most: -55),
                    roundTrip: HistorySample.Spread(least: 900, median: 1500, most: 20_000))), .healthy),
        entry(.sampled(HistorySample(checks: 1, unanswered: 0, signal: nil, roundTrip: nil)), .healthy),
        entry(.ended),
    ]
}
