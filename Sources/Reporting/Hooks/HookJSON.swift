import Model
import Toggling

/// What a hook gets for one event: the object of `run --json`, with two more keys.
public struct HookJSON {
    /// The object.
    public let json: JSONText
    /// The same for hooks that read no JSON: variables, unescaped; a value may contain anything.
    public let variables: [(name: String, value: String)]

    /// - Parameters:
    ///   - dropped: events of the same interface since the last one that were skipped.
    ///   - time: now, as RFC 3339 text.
    ///   - wallTime: the text for a later instant, for `next`.
    public init(
        _ event: HookEvent, _ report: Report, interface: String, dropped: Int, time: String, now: Instant,
        wallTime: (Duration) -> String
    ) {
        let members = Self.members(
            report, interface: interface, time: time, now: now, wallTime: wallTime)
        json = .object(
            [("event", .string(event.rawValue)), ("dropped", .integer(Int64(dropped)))] + members)
        let words = [("EVENT", event.rawValue), ("DROPPED", String(dropped))]
        let keys = ["interface", "verdict", "layer", "reason", "action"]
        variables = (words + keys.map { ($0.uppercased(), Self.text($0, of: members)) }).map {
            ("WIFI_TOGGLER_" + $0.0, $0.1)
        }
    }

    private typealias Members = [(String, JSONText)]

    private static func members(
        _ report: Report, interface: String, time: String, now: Instant, wallTime: (Duration) -> String
    ) -> Members {
        if case .cycle(let cycle) = report {
            return CycleJSON.members(
                cycle, interface: interface, time: time, now: now, wallTime: wallTime)
        }
        return InterfaceEvent(report)?.members(interface: interface, time: time)
            ?? CycleJSON.members(interface: interface, time: time, verdict: nil, method: nil, reason: nil)
    }

    private static func text(_ key: String, of members: Members) -> String {
        members.first { $0.0 == key }?.1.string ?? ""
    }
}
