import Model
import Toggling

@testable import Reporting

/// A month of a bad link, as entries that a service would write; they are the same in each run. The access
/// point restarts on some nights, the gateway hangs now and then, and the signal is worse in the evening.
enum BadMonth {
    private typealias S = HistorySamples
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 60 * minute
    private static let day: Int64 = 24 * hour
    static let days: Int64 = 30
    /// 2027-03-12T00:00:00Z: summer time begins in Europe on the 28th.
    static let begin: Int64 = 1_804_809_600_000

    private struct Outage {
        var day: Int64
        var at: Int64
        var length: Int64
        var layer: Layer
        var methods: [String]
        var isUseful = true
    }

    private static let outages: [Outage] = [
        Outage(day: 1, at: 2 * hour + 4 * minute, length: 2 * minute, layer: .gateway, methods: ["owner"]),
        Outage(
            day: 4, at: 2 * hour + 11 * minute, length: 6 * minute, layer: .association, methods: ["bounce"]),
        Outage(
            day: 7, at: 2 * hour + 3 * minute, length: 9 * minute, layer: .association,
            methods: ["owner", "bounce"]),
        Outage(day: 10, at: 14 * hour, length: 4 * minute, layer: .gateway, methods: ["owner"]),
        Outage(day: 13, at: 2 * hour + 20 * minute, length: 3 * minute, layer: .gateway, methods: ["bounce"]),
        Outage(
            day: 17, at: 2 * hour + 2 * minute, length: 12 * minute, layer: .association, methods: ["bounce"]),
        Outage(
            day: 20, at: 19 * hour + 30 * minute, length: 3 * hour, layer: .gateway,
            methods: ["bounce", "rfkill"], isUseful: false),
        Outage(
            day: 24, at: 2 * hour + 5 * minute, length: 2 * minute, layer: .association, methods: ["owner"]),
        Outage(day: 28, at: 2 * hour + 40 * minute, length: 5 * minute, layer: .gateway, methods: ["bounce"]),
    ]

    private static func entry(
        _ what: HistoryEntry.What, _ condition: Health.Condition, _ instant: Int64
    ) -> HistoryEntry {
        S.entry(what, condition, at: S.instant(instant, wall: begin))
    }

    private static let unassociated = Verdict(
        .sick, layer: .association, reason: .notAssociated,
        evidence: [.operational(.dormant, hasCarrier: false), .association(nil)])

    private static func entries(of outage: Outage) -> [HistoryEntry] {
        // Outages keep their local time, also after the clock change on the seventeenth day.
        let start = outage.day * day + outage.at - (outage.day < 16 ? 1 : 2) * hour
        let sick = RecordedVerdict(outage.layer == .gateway ? S.sick : unassociated)
        let healthy = RecordedVerdict(S.healthy)
        let action = RecordedAction(
            cause: .sick(sick), action: outage.methods == ["owner"] ? "recovered" : "bounced",
            methods: outage.methods, down: outage.methods == ["owner"] ? nil : .seconds(3),
            recovery: outage.isUseful ? .seconds(4) : nil, outcome: outage.isUseful ? healthy : sick)
        // Milliseconds since boot. The first entry was written 100 s after boot.
        let since = 100_000 + start
        let changed = entry(.changed(sick, since: since), .sick, start + minute)
        if outage.isUseful { return [changed, entry(.acted(action), .healthy, start + outage.length)] }
        return [
            changed, entry(.acted(action), .sick, start + 5 * minute),
            entry(.changed(healthy, since: since + outage.length), .healthy, start + outage.length),
        ]
    }

    private static func sample(_ quarter: Int64) -> HistoryEntry {
        let ofDay = quarter % 96
        // Between 18:00 and 23:00 (UTC) the neighbours use their own Wi-Fi.
        let evening: Int64 = (72..<92).contains(ofDay) ? 1 : 0
        let noise = quarter * 7919 % 11
        let sample = HistorySample(
            checks: 15, unanswered: Int(evening),
            signal: .init(
                least: -66 - noise - evening * 10, median: -60 - noise / 2 - evening * 8,
                most: -55 - evening * 6),
            roundTrip: .init(
                least: 900, median: 1500 + noise * 150 + evening * 12_000,
                most: 20_000 + noise * 2000 + evening * 150_000))
        return entry(.sampled(sample), .healthy, quarter * 15 * minute)
    }

    /// The timeline of the entries after they were written as lines and read back.
    static var timeline: Timeline {
        let samples = (1..<days * 96).map(sample)
        let events = outages.flatMap(entries)
        let first = [
            entry(.began(program: "0.1.0"), .undetermined, 0),
            entry(.changed(RecordedVerdict(S.healthy), since: 101_000), .healthy, 1000),
        ]
        let all = first + (samples + events).sorted { $0.at.sinceBoot < $1.at.sinceBoot }
        let file = (all + [entry(.ended, .healthy, days * day)]).flatMap(HistoryLine.bytes)
        let entries = HistoryLine.readings(of: file).compactMap { reading -> HistoryEntry? in
            if case .entry(let entry) = reading { entry } else { nil }
        }
        return Timeline(of: "wlan0", entries)
    }

    /// The local time of central Europe, independent of the machine's time zone.
    static func wallTime(_ milliseconds: Int64) -> String {
        let summer = begin + 16 * day + hour
        let offset: Int64 = milliseconds < summer ? 1 : 2
        return HistoryShownTests.wallTime(milliseconds + offset * hour).dropLast() + "+0\(offset):00"
    }
}
