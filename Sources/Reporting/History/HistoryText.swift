import Model

/// The history of one interface as text for people: a summary line, and a table of events.
public struct HistoryText {
    private static let titles = ["WHEN", "WHAT", "FOR", "CAUSE AND RESULT"]

    private let timeline: Timeline
    private let wallTime: (Int64) -> String
    private let isVerbose: Bool

    /// - Parameters:
    ///   - wallTime: a function that returns the text (RFC 3339) of a time in milliseconds since 1970.
    ///   - isVerbose: whether to show the evidence, and what was lost and restored.
    public init(_ timeline: Timeline, isVerbose: Bool, wallTime: @escaping (Int64) -> String) {
        self.timeline = timeline
        self.isVerbose = isVerbose
        self.wallTime = wallTime
    }

    public var lines: [String] {
        let rows = timeline.items.map(row)
        guard !rows.isEmpty else { return [headline] }
        let lines = TextTable.lines([Self.titles] + rows.map(\.cells)).map { "  \($0)" }
        let details = rows.map { isVerbose ? $0.details.map { "      \($0)" } : [] }
        return [headline, lines[0]] + zip(lines.dropFirst(), details).flatMap { [$0] + $1 }
    }

    /// The summary line, such as `wlan0: 2 outages, 9m 4s in all; 3 bounces: 2 useful, 1 useless`.
    public var headline: String {
        var text = "\(timeline.interface): " + Self.count(timeline.outages.count, "outage")
        if !timeline.outages.isEmpty { text += ", \(timeline.outageTime) in all" }
        return text + "; " + Self.uses(of: timeline, "bounce")
    }

    /// The actions counted by their use, such as `3 bounces: 2 useful, 1 useless`.
    static func uses(of timeline: Timeline, _ noun: String) -> String {
        let uses = RecordedAction.Use.allCases.compactMap { use in
            let number = timeline.actions.filter { $0.action.use == use }.count
            return number == 0 ? nil : "\(number) \(use.rawValue)"
        }
        return count(timeline.actions.count, noun)
            + (uses.isEmpty ? "" : ": " + uses.joined(separator: ", "))
    }

    static func count(_ number: Int, _ noun: String) -> String {
        number == 0 ? "no \(noun)" : number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    private func row(_ item: Timeline.Item) -> (cells: [String], details: [String]) {
        switch item {
        case .outage(let outage):
            let length = outage.length(ifInexact: "~")
            return (
                [instant(outage.begin), "outage", length, "\(outage.finding.headline); \(outage.ending)"],
                outage.finding.evidence.map(Self.description)
            )
        case .action(let bounce):
            let action = bounce.action
            let why = "\(action.cause.description); \(action.use.rawValue): \(Self.outcome(action))"
            return (
                [instant(bounce.at), action.headline, action.down?.text ?? "-", why],
                action.cause.evidence.map(Self.description) + action.losses
            )
        case .withheld(let withheld):
            let why = "\(withheld.cause.description); would have tried \(Self.sequence(withheld.methods))"
            return (
                [instant(withheld.at), "nothing (dry run)", "-", why],
                withheld.cause.evidence.map(Self.description)
            )
        }
    }

    /// The methods that a dry run would have tried. Without a method, it would have raised the link.
    private static func sequence(_ methods: [String]) -> String {
        methods.isEmpty ? "to raise the link" : methods.joined(separator: ", then ")
    }

    static func outcome(_ action: RecordedAction) -> String {
        action.recovery.map { "back after \($0.text)" } ?? action.outcome.headline
    }

    static func description(_ row: Evidence.Row) -> String {
        let trip = row.roundTrip.map { " (\($0.text))" } ?? ""
        return "\(row.probe): \(row.result.rawValue)\(trip): \(row.detail)"
    }

    private func instant(_ instant: Int64) -> String { Self.short(wallTime(instant)) }

    /// A time in UTC without its milliseconds, which people do not need. Any other time stays as it is.
    static func short(_ time: String) -> String {
        let parts = time.split(separator: ".", maxSplits: 1)
        return parts.count == 2 && parts[1].last == "Z" ? "\(parts[0])Z" : time
    }
}
