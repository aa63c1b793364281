import Model
import Toggling

/// The history of one interface for people: a summary line, and a table of events.
public struct HistoryText {
    private static let titles = ["WHEN", "WHAT", "FOR", "WHY, AND WHAT CAME OF IT"]

    private let timeline: Timeline
    private let wallTime: (Int64) -> String
    private let isVerbose: Bool

    /// - Parameters:
    ///   - wallTime: the text (RFC 3339) of a time in milliseconds since 1970.
    ///   - isVerbose: with the evidence, and with what was lost and restored.
    public init(_ timeline: Timeline, isVerbose: Bool, wallTime: @escaping (Int64) -> String) {
        self.timeline = timeline
        self.isVerbose = isVerbose
        self.wallTime = wallTime
    }

    public var lines: [String] {
        let events = (timeline.outages.map(row) + timeline.actions.map(row)).sorted { $0.at < $1.at }
        guard !events.isEmpty else { return [headline] }
        let rows = [Self.titles] + events.map(\.cells)
        let widths = Self.titles.indices.dropLast().map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = [headline, "  " + Self.line(Self.titles, widths)]
        for event in events {
            lines.append("  " + Self.line(event.cells, widths))
            if isVerbose { lines += event.details.map { "      \($0)" } }
        }
        return lines
    }

    /// `wlan0: 2 outages, 9m 4s in all; 3 bounces: 2 useful, 1 useless`.
    public var headline: String {
        let outages = timeline.outages.count
        let all = timeline.outages.reduce(Duration.zero) { $0 + $1.duration }
        var text = "\(timeline.interface): " + Self.count(outages, "outage")
        if outages > 0 { text += ", \(all.text) in all" }
        return text + "; " + Self.bounces(timeline)
    }

    /// `3 bounces: 2 useful, 1 useless`.
    static func bounces(_ timeline: Timeline) -> String {
        let uses = HistoryAction.Use.allCases.compactMap { use in
            let number = timeline.actions.filter { $0.action.use == use }.count
            return number == 0 ? nil : "\(number) \(use.rawValue)"
        }
        return count(timeline.actions.count, "bounce")
            + (uses.isEmpty ? "" : ": " + uses.joined(separator: ", "))
    }

    static func count(_ number: Int, _ noun: String) -> String {
        number == 0 ? "no \(noun)" : number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    private struct Event {
        var at: Int64
        var cells: [String]
        var details: [String]
    }

    private func row(_ outage: Timeline.Outage) -> Event {
        Event(
            at: outage.begin,
            cells: [
                instant(outage.begin), "outage", (outage.isExact ? "" : "~") + outage.duration.text,
                "\(outage.finding.headline); \(outage.ending)",
            ], details: outage.finding.evidence.map(Self.words))
    }

    private func row(_ entry: Timeline.Bounce) -> Event {
        let action = entry.action
        var evidence: [HistoryFinding.Row] = []
        if case .sick(let finding) = action.cause { evidence = finding.evidence }
        return Event(
            at: entry.at,
            cells: [
                instant(entry.at), action.headline, action.down.map(\.text) ?? "-",
                "\(action.why); \(action.use.rawValue): \(Self.outcome(action))",
            ],
            details: evidence.map(Self.words) + Self.list("lost", action.lost)
                + Self.list("put back", action.restored) + Self.list("not put back", action.refused))
    }

    static func outcome(_ action: HistoryAction) -> String {
        action.recovery.map { "back after \($0.text)" } ?? action.outcome.headline
    }

    private static func list(_ title: String, _ items: [String]) -> [String] {
        items.isEmpty ? [] : ["\(title): " + items.joined(separator: ", ")]
    }

    static func words(_ row: HistoryFinding.Row) -> String {
        let trip = row.roundTrip.map { " (\($0.text))" } ?? ""
        return "\(row.probe): \(row.result.rawValue)\(trip): \(row.detail)"
    }

    /// Without milliseconds, which nobody reads.
    private func instant(_ instant: Int64) -> String { Self.short(wallTime(instant)) }

    static func short(_ time: String) -> String {
        let parts = time.split(separator: ".", maxSplits: 1)
        return parts.count == 2 && parts[1].last == "Z" ? "\(parts[0])Z" : time
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
        return (padded + cells.suffix(1)).joined(separator: "  ")
    }
}
