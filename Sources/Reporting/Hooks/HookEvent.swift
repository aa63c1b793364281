import Model
import Toggling

/// The events for hooks. The raw value is the event's name.
public enum HookEvent: String, CaseIterable, Sendable {
    /// The service begins to watch the interface.
    case started
    /// The health changed, without a bounce.
    case health
    case bounceBegun = "bounce-begun"
    /// It was carried out, or failed.
    case bounceFinished = "bounce-finished"
    /// Another reason than before prevents a bounce.
    case held
    /// rfkill keeps the radio silent.
    case radioBlocked = "radio-blocked"
    case absent
    case appeared
}

/// Selects the records of one interface that are events for hooks: changes, not checks.
public struct HookWatch {
    /// Why the last check did not bounce.
    private var noBounceReason: NoBounceReason.Kind?

    public init() {}

    /// - Returns: in order; empty: nothing has changed.
    public mutating func take(_ record: Record) -> [HookEvent] {
        guard record.kind == .absent || record.cycle != nil else {
            return [HookEvent(rawValue: record.kind.rawValue)].compactMap(\.self)
        }
        let noBounceReason = record.kind == .absent ? .absent : record.cycle?.action.noBounceReason?.kind
        let isNews = noBounceReason != nil && noBounceReason != self.noBounceReason
        self.noBounceReason = noBounceReason
        if record.kind == .absent { return isNews ? [.absent] : [] }
        if record.action != nil { return [.bounceFinished] }
        let health: [HookEvent] = record.cycle?.change.isJudgement == true ? [.health] : []
        return health + (isNews ? [noBounceReason == .radioBlocked ? .radioBlocked : .held] : [])
    }
}

extension HealthChange {
    /// It became healthy or sick. A link that is not checked any more has become neither.
    fileprivate var isJudgement: Bool { before != after && after != .undetermined }
}

/// What a hook gets for one event.
public struct HookMessage {
    /// The object of `run --json`, with two more keys.
    public let json: JSONText
    /// The same for hooks that read no JSON: variables, unescaped; a value may contain anything.
    public let variables: [(name: String, value: String)]

    /// - Parameters:
    ///   - dropped: events of the same interface since the last one that were skipped.
    ///   - wallTime: the text (RFC 3339) of an instant.
    public init(_ event: HookEvent, _ record: Record, dropped: Int, wallTime: (Instant) -> String) {
        let json = JSONText.object(
            [("event", .string(event.rawValue)), ("dropped", .integer(Int64(dropped)))]
                + record.members(wallTime: wallTime))
        self.json = json
        let keys = ["event", "dropped", "interface", "verdict", "layer", "reason", "action"]
        variables = keys.map { key in
            ("WIFI_TOGGLER_" + key.uppercased(), key == "dropped" ? String(dropped) : json[key]?.string ?? "")
        }
    }
}
