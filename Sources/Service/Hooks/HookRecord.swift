import Toggling

/// What a hook is told of one event: the object of `run --json`, and two keys more.
public struct HookRecord {
    /// The object.
    public let json: JSONText
    /// The same for those who read no JSON: variables, as they came; a value may hold anything.
    public let variables: [(name: String, value: String)]

    /// - Parameters:
    ///   - dropped: events of the same interface that came since the last one and are not told.
    ///   - time: now, as RFC 3339 text.
    ///   - wallTime: the text for a later instant, for `next`.
    public init(
        _ event: HookEvent, _ report: Report, interface: String, dropped: Int, time: String, now: Instant,
        wallTime: (Duration) -> String
    ) {
        let cycle =
            if case .cycle(let cycle) = report {
                CycleRecord.json(cycle, interface: interface, time: time, now: now, wallTime: wallTime)
            } else {
                Self.step(report, interface: interface, time: time)
            }
        guard case .object(let members) = cycle else { preconditionFailure("a record is an object") }
        json = .object(
            [("event", .string(event.rawValue)), ("dropped", .integer(Int64(dropped)))] + members)
        let words = [("EVENT", event.rawValue), ("DROPPED", String(dropped))]
        let keys = ["interface", "verdict", "layer", "reason", "action"]
        variables = (words + keys.map { ($0.uppercased(), cycle[$0]?.string ?? "") }).map {
            ("WIFI_TOGGLER_" + $0.0, $0.1)
        }
    }

    /// The keys of a cycle for what is none: null where there is nothing to say.
    private static func step(_ report: Report, interface: String, time: String) -> JSONText {
        var verdict: Verdict?
        var reason: String?
        var method: Method?
        if case .step(let step) = report {
            if case .beginning(let first, let cause) = step {
                (verdict, method) = (cause, first)
                reason = cause == nil ? Standing.Cause.asked.sentence : nil
            } else if case .raisingAfterBlock = step {
                reason = Standing.Cause.block.sentence
            }
        }
        return .object([
            ("time", .string(time)), ("interface", .string(interface)),
            ("verdict", .optional(verdict?.conclusion.rawValue)),
            ("layer", .optional(verdict?.layer?.rawValue)),
            ("reason", .optional(reason ?? verdict?.reason.sentence)),
            ("evidence", .array(verdict?.evidence.map(\.json) ?? [])),
            ("action", .string(CycleReport.Action.none.word)),
            ("methods", .array([method].compactMap { $0.map { .string($0.rawValue) } })),
            ("down_ms", .null), ("recovery_ms", .null),
            ("lost", .array([])), ("restored", .array([])), ("refused", .array([])),
            ("next", .null), ("degraded", .null),
        ])
    }
}
