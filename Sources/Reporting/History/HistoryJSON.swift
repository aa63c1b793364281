import Model
import Toggling

/// The JSON objects of `history --json`, ordered by when things began. Their keys are a contract.
public enum HistoryJSON {
    /// What becomes one object.
    enum Item {
        case outage(Timeline.Outage)
        case action(Timeline.Bounce)

        /// Milliseconds since 1970.
        var begin: Int64 {
            switch self {
            case .outage(let outage): outage.begin
            case .action(let action): action.at
            }
        }
    }

    static func items(_ timeline: Timeline) -> [Item] {
        // The sort is stable: an outage comes before the actions on it.
        (timeline.outages.map { .outage($0) } + timeline.actions.map { .action($0) }).sorted {
            $0.begin < $1.begin
        }
    }

    /// - Parameter wallTime: the text (RFC 3339) of a time in milliseconds since 1970.
    public static func objects(_ timeline: Timeline, wallTime: (Int64) -> String) -> [JSONText] {
        items(timeline).map { object($0, of: timeline.interface, wallTime) }
    }

    static func object(_ item: Item, of interface: String, _ wallTime: (Int64) -> String) -> JSONText {
        switch item {
        case .outage(let outage): object(outage, of: interface, wallTime)
        case .action(let action): object(action, of: interface, wallTime)
        }
    }

    private static func object(
        _ outage: Timeline.Outage, of interface: String, _ wallTime: (Int64) -> String
    ) -> JSONText {
        .object([
            ("kind", "outage"),
            ("interface", .string(interface)),
            ("begin", .string(wallTime(outage.begin))),
            ("end", outage.end.map { .string(wallTime($0)) } ?? .null),
            ("duration_ms", .milliseconds(outage.duration)),
            ("exact", .bool(outage.isExact)),
            ("layer", .optional(outage.finding.layer?.rawValue)),
            ("reason", .string(outage.finding.reason)),
            ("evidence", .array(outage.finding.evidence.map(HistoryCodec.json))),
            ("actions", .integer(Int64(outage.actions))),
            ("ended_by", .optional(outage.endedBy)),
        ])
    }

    private static func object(
        _ entry: Timeline.Bounce, of interface: String, _ wallTime: (Int64) -> String
    ) -> JSONText {
        let action = entry.action
        let list = { (texts: [String]) in JSONText.array(texts.map { .string($0) }) }
        var evidence: [HistoryFinding.Row] = []
        if case .sick(let finding) = action.cause { evidence = finding.evidence }
        return .object([
            ("kind", "bounce"),
            ("interface", .string(interface)),
            ("time", .string(wallTime(entry.at))),
            ("by", .string(entry.witness.rawValue)),
            ("action", .string(action.action)),
            ("methods", list(action.methods)),
            ("cause", .string(action.why)),
            ("evidence", .array(evidence.map(HistoryCodec.json))),
            ("down_ms", .milliseconds(action.down)),
            ("recovery_ms", .milliseconds(action.recovery)),
            ("verdict", .string(action.outcome.conclusion.rawValue)),
            ("layer", .optional(action.outcome.layer?.rawValue)),
            ("reason", .string(action.outcome.reason)),
            ("use", .string(action.use.rawValue)),
            ("lost", list(action.lost)),
            ("restored", list(action.restored)),
            ("refused", list(action.refused)),
        ])
    }
}
