import Model
import Toggling

/// The events for which hooks are run. The raw value is the event's name.
public enum HookEvent: String, CaseIterable, Sendable {
    /// The service begins to watch the interface.
    case started
    /// The health changed, without a bounce.
    case health
    case bounceBegun = "bounce-begun"
    /// The bounce was carried out, or failed.
    case bounceFinished = "bounce-finished"
    /// A bounce is prevented, for another reason than before.
    case held
    /// rfkill blocks the radio.
    case radioBlocked = "radio-blocked"
    case absent
    case appeared
}

/// Selects the events for hooks from the records of one interface: changes, not checks.
public struct HookWatch {
    /// Why no bounce followed the last check; nil: no reason prevented a bounce, or something else has
    /// happened since.
    private var noBounceReason: NoBounceReason.Kind?

    public init() {}

    /// Takes a record.
    /// - Returns: the events of the record, in order; empty: nothing has changed.
    public mutating func take(_ record: Record) -> [HookEvent] {
        guard record.kind == .absent || record.cycle != nil else {
            // What follows is news again: an interface may come and go, and be gone after a bounce.
            if [.appeared, .bounceBegun].contains(record.kind) { noBounceReason = nil }
            return [HookEvent(record.kind)].compactMap(\.self)
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

extension HookEvent {
    /// The event of a record that is about neither a cycle nor an absence; nil: hooks do not get the record.
    fileprivate init?(_ kind: Record.Kind) {
        switch kind {
        case .started: self = .started
        case .bounceBegun: self = .bounceBegun
        case .appeared: self = .appeared
        case .checked, .bounceStep, .bounceFinished, .bounceFailed, .held, .refused, .absent, .renamed,
            .holdSet, .holdOver, .reloaded, .reloadRefused, .hookFailed:
            return nil
        }
    }
}

extension HealthChange {
    /// Whether the link became healthy or sick. A link whose verdicts were forgotten, for example because
    /// rfkill blocks the radio, became neither.
    fileprivate var isJudgement: Bool { before != after && after != .undetermined }
}

/// The data that a hook gets for one event.
public struct HookMessage {
    /// The object of `run --json`, with the further keys `event` and `dropped`.
    public let json: JSONText
    /// The data as environment variables, for hooks that do not read JSON. A value is not escaped and may
    /// contain any characters.
    public let variables: [(name: String, value: String)]

    /// - Parameters:
    ///   - dropped: the number of events of this interface that were skipped since the last one.
    ///   - wallTime: a function that returns the text (RFC 3339) of an instant.
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
