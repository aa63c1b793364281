import Model
import Toggling

/// The JSON objects of `history --json`, in the order of ``Timeline/items``. Their keys are a contract.
public enum HistoryJSON {
    /// The objects of a timeline's events.
    /// - Parameter wallTime: a function that returns the text (RFC 3339) of a time in milliseconds since
    ///   1970.
    public static func objects(_ timeline: Timeline, wallTime: (Int64) -> String) -> [JSONText] {
        timeline.items.map { object($0, of: timeline.interface, wallTime) }
    }

    static func object(
        _ item: Timeline.Item, of interface: String, _ wallTime: (Int64) -> String
    ) -> JSONText {
        switch item {
        case .outage(let outage):
            .object([
                ("kind", "outage"),
                ("interface", .string(interface)),
                ("begin", .string(wallTime(outage.begin))),
                ("end", outage.end.map { .string(wallTime($0)) } ?? .null),
                ("duration_ms", .milliseconds(outage.duration)),
                ("exact", .bool(outage.isExact)),
                ("layer", .optional(outage.finding.layer?.rawValue)),
                ("reason", .string(outage.finding.reason)),
                ("evidence", outage.finding.evidenceJSON),
                ("actions", .integer(Int64(outage.actions))),
                ("ended_by", .optional(outage.endedBy)),
                ("methods", .list(outage.methods)),
            ])
        case .action(let bounce): object(bounce, of: interface, wallTime)
        case .withheld(let withheld):
            .object([
                ("kind", "withheld"),
                ("interface", .string(interface)),
                ("time", .string(wallTime(withheld.at))),
                ("by", .string(withheld.command.rawValue)),
                ("methods", .list(withheld.methods)),
                ("cause", .string(withheld.cause.description)),
                ("layer", .optional(withheld.cause.layer?.rawValue)),
                ("reason", .string(withheld.cause.reason)),
                ("evidence", .array(withheld.cause.evidence.map(\.json))),
            ])
        }
    }

    private static func object(
        _ bounce: Timeline.Bounce, of interface: String, _ wallTime: (Int64) -> String
    ) -> JSONText {
        let action = bounce.action
        return .object(
            [
                ("kind", "bounce"), ("interface", .string(interface)),
                ("time", .string(wallTime(bounce.at))), ("by", .string(bounce.command.rawValue)),
            ] + action.doing + [
                ("cause", .string(action.cause.description)),
                ("evidence", .array(action.cause.evidence.map(\.json))),
            ] + action.times + action.outcome.members + [
                ("use", .string(action.use.rawValue)),
                ("lost", .list(action.restoration.lost)),
                ("restored", .list(action.restoration.restored)),
                ("refused", .list(action.restoration.refusedTexts)),
            ])
    }
}
