import Model
import Toggling

/// The JSON objects of a record. Their keys are a contract.
extension Record {
    typealias Members = [(String, JSONText)]

    /// The object with the keys of `run --json`. For an event, its name comes first, as monitoring clients
    /// get it.
    /// - Parameter wallTime: a function that returns the text (RFC 3339) of an instant.
    public func json(wallTime: (Instant) -> String) -> JSONText {
        let name: Members = kind.isEvent ? [("event", .string(kind.rawValue))] : []
        return .object(name + members(wallTime: wallTime))
    }

    /// The members of the object. For an event, `action` is `none`. `methods` has the method that begins
    /// (`bounce-begun`), and is empty otherwise. The other members about an action, `next` and `degraded` are
    /// null or empty.
    func members(wallTime: (Instant) -> String) -> Members {
        let verdict = verdict.map { RecordedVerdict($0) }
        let done =
            cycle.map { RecordedAction($0, cause: .asked) }
            ?? RecordedAction(
                cause: .asked, action: CycleReport.Action.none.word,
                methods: method.map { [$0.rawValue] } ?? [], outcome: RecordedVerdict(.unknown, reason: ""))
        return [
            ("time", .string(wallTime(at))), ("interface", .string(interface)),
            ("verdict", .optional(verdict?.conclusion.rawValue)),
            ("layer", .optional(verdict?.layer?.rawValue)), ("reason", .string(reason)),
            ("evidence", verdict?.evidenceJSON ?? .array([])),
        ] + done.members + [
            ("next", cycle?.next?.json(wallTime: wallTime) ?? .null),
            ("degraded", cycle?.quality?.degradedJSON ?? .null),
        ]
    }
}

extension NextCheck {
    func json(wallTime: (Instant) -> String) -> JSONText {
        .object([("time", .string(wallTime(at))), ("why", .string(why.rawValue))])
    }
}
