import Model
import Toggling

/// The first sentences about an interface: how available it was, and what its outages have in common.
struct PageSummary {
    /// An hour of the day is named if it has at least this many outages, and at least half of all.
    private static let fewestInHour = 3

    private let timeline: Timeline
    private let time: PageTime

    init(_ timeline: Timeline, _ time: PageTime) {
        self.timeline = timeline
        self.time = time
    }

    // MARK: Availability

    /// The total time in one of these states, in milliseconds.
    private func total(_ states: [Timeline.Span.State]) -> Int64 {
        timeline.spans.reduce(0) { states.contains($1.state) ? $0 + $1.end - $1.begin : $0 }
    }

    /// The time in which it is known whether the link could be used, in milliseconds.
    private var judged: Int64 { total([.healthy, .sick, .absent]) }

    /// The share of healthy time, such as `99.42 %`; nil: `judged` is 0.
    var availability: String? {
        judged == 0 ? nil : Self.percent(total([.healthy]), of: judged)
    }

    /// The share with two decimals, rounded down, so that only a link without any outage has 100 %.
    /// - Parameters:
    ///   - part: a duration in milliseconds.
    ///   - whole: a duration that is at least as long, within the range of wall-clock times.
    static func percent(_ part: Int64, of whole: Int64) -> String {
        let hundredths = part * 10_000 / max(1, whole)
        let (number, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        return part == whole ? "100 %" : "\(number).\(rest < 10 ? "0" : "")\(rest) %"
    }

    /// Explains what the availability is a share of.
    var basis: String {
        "Available is the share of healthy time in the \(Duration.milliseconds(judged).text) in which the link"
            + " was healthy, sick or absent. Suspends, time without a verdict, and time in which the service did"
            + " not run are not counted."
    }

    // MARK: Outages

    /// The number and duration of the outages, such as `9 outages, 3h 14m in all, the longest 1h 20m from
    /// 2026-02-03 02:10 +01:00`. The durations are as in the text of `history`.
    var outages: String {
        let all = timeline.outages
        guard let longest = all.max(by: { $0.duration < $1.duration }) else { return "no outage" }
        if all.count == 1 { return "1 outage of \(longest.length(ifInexact: ""))" }
        return "\(HistoryText.count(all.count, "outage")), \(timeline.outageTime) in all, the longest"
            + " \(longest.length(ifInexact: "")) from \(time.minute(longest.begin)) \(time.zone(longest.begin))"
    }

    /// The hour of the day in which most outages began, such as `7 of 9 began between 02:00 and 03:00 local
    /// time`; nil: there are too few outages, or they are spread over the day.
    var hour: String? {
        let begins = timeline.outages.map { time.hour($0.begin) }
        let counts = (0..<24).map { hour in begins.filter { $0 == hour }.count }
        guard let most = counts.max(), most >= Self.fewestInHour, 2 * most >= begins.count,
            let hour = counts.firstIndex(of: most)
        else { return nil }
        return "\(most) of \(begins.count) began between \(Self.clock(hour)) and \(Self.clock(hour + 1))"
            + " local time"
    }

    /// The time at the beginning of an hour, such as `05:00`; the end of the day is `24:00`.
    private static func clock(_ hour: Int) -> String { (hour < 10 ? "0" : "") + "\(hour):00" }

    /// The layers of the outages, the most frequent first, such as `5 at the gateway, 4 at the association`.
    var causes: String {
        let layers = Layer.allCases.map(Optional.some) + [nil]
        let counts = layers.map { layer in timeline.outages.filter { $0.finding.layer == layer }.count }
        return zip(layers, counts).filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
            .map { "\($0.1) \(Self.place($0.0))" }.joined(separator: ", ")
    }

    private static func place(_ layer: Layer?) -> String {
        switch layer {
        case .dns?: "at DNS"
        case .internet?: "on the Internet"
        case let layer?: "at the \(layer.rawValue)"
        case nil: "at no known layer"
        }
    }

    // MARK: Recovery

    /// The number of actions and their uses, such as `12 actions: 9 useful, 2 useless, 1 unclear`.
    var actions: String { HistoryText.uses(of: timeline, "action") }

    /// A row for each method: how often it was tried, and with which results. If another method was tried
    /// after it, the method was useless.
    var methods: [[String]] {
        var rows: [(method: String, uses: [RecordedAction.Use])] = []
        for entry in timeline.actions {
            let methods = entry.action.methods.isEmpty ? [entry.action.action] : entry.action.methods
            for (place, method) in methods.enumerated() {
                let use = place == methods.count - 1 ? entry.action.use : .useless
                let row = rows.firstIndex { $0.method == method } ?? rows.count
                if row == rows.count { rows.append((method, [])) }
                rows[row].uses.append(use)
            }
        }
        return rows.map { row in
            [row.method, String(row.uses.count)]
                + RecordedAction.Use.allCases.map { use in String(row.uses.filter { $0 == use }.count) }
        }
    }
}
