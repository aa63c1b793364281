import Model
import Toggling

/// The JSON object of an interface's state. Keys that `run --json` also has mean the same here. The keys are
/// a contract. A class, because the status is large.
public final class StatusJSON {
    /// What the object needs in addition to the ``InterfaceStatus``, as it is at the time of the query.
    public struct Present {
        public var interface: String
        public var now: Instant
        /// The state of the toggler; nil: it has ended.
        public var state: TogglerState?
        /// The current settings of the interface.
        public var settings: Settings
        /// The hold and the quiet hours that apply now.
        public var noBounceReasons: [NoBounceReason]
        /// The owners of the interface; nil: the interface does not exist.
        public var ownership: Ownership?
        /// Why power saving is kept off; nil: it is left as it is, or this was not looked up.
        public var powerSaveOff: PowerSaveOffReason?
        /// The same time as ``now``, to compare with times of earlier boots.
        public var instant: Timestamp
        /// Returns the text (RFC 3339) of an instant.
        public var wallTime: (Instant) -> String

        public init(
            interface: String, now: Instant, state: TogglerState?, settings: Settings,
            noBounceReasons: [NoBounceReason],
            ownership: Ownership?, instant: Timestamp, wallTime: @escaping (Instant) -> String
        ) {
            self.interface = interface
            self.now = now
            self.state = state
            self.settings = settings
            self.noBounceReasons = noBounceReasons
            self.ownership = ownership
            self.instant = instant
            self.wallTime = wallTime
        }
    }

    private let interfaceStatus: InterfaceStatus
    private let present: Present

    public init(_ interfaceStatus: InterfaceStatus, _ present: Present) {
        self.interfaceStatus = interfaceStatus
        self.present = present
    }

    private var check: CycleReport? { interfaceStatus.lastCheck?.cycle }

    private typealias Members = [(String, JSONText)]

    public var json: JSONText { .object(condition + lastCheck + prospect) }

    private var condition: Members {
        [
            ("time", time(present.now)),
            ("interface", .string(present.interface)),
            ("state", .string(present.state?.name ?? "ended")),
            ("condition", .string(interfaceStatus.condition.rawValue)),
            ("since", time(interfaceStatus.since)),
            ("since_ms", age(interfaceStatus.since)),
        ]
    }

    private var lastCheck: Members {
        let checked = interfaceStatus.lastCheck?.at
        let verdict = check?.verdict
        let evidence: [JSONText] = verdict?.evidence.map(\.row.json) ?? []
        return [
            ("checked", checked.map(time) ?? .null),
            ("checked_ms", checked.map(age) ?? .null),
            ("verdict", .optional(verdict?.conclusion.rawValue)),
            ("layer", .optional(verdict?.layer?.rawValue)),
            ("reason", .optional(verdict?.reason.description)),
            ("evidence", .array(evidence)),
            ("reasoning", .list(explanation)),
            ("signal_dbm", interfaceStatus.signal.map { .integer(Int64($0)) } ?? .null),
            ("degraded", check?.quality?.degradedJSON ?? .null),
            ("owner", present.ownership?.json ?? .null),
            ("power_save", .optional(present.powerSaveOff?.description)),
        ]
    }

    private var prospect: Members {
        [
            ("under_way", .optional(interfaceStatus.cause?.description)),
            ("held", .list(held)),
            ("next", next?.json(wallTime: present.wallTime) ?? .null),
            ("next_ms", .milliseconds(next.map { max(.zero, $0.at - present.now) })),
            ("actions", .integer(Int64(interfaceStatus.actions))),
            ("last_action", lastAction),
        ]
    }

    private var lastAction: JSONText {
        if let record = interfaceStatus.lastAction, let action = record.action {
            return json(action, at: record.at)
        }
        return interfaceStatus.pastAction.map { json($0.action, at: $0.moment.instant(at: present.instant)) }
            ?? .null
    }

    private func json(_ action: RecordedAction, at instant: Instant) -> JSONText {
        .object(
            [
                ("time", time(instant)), ("ago_ms", age(instant)),
                ("cause", .string(action.cause.description)),
            ] + action.members + action.outcome.members)
    }

    /// The first events for a new monitoring client: the end of the last check, and the events whose state
    /// still lasts, in order.
    public var events: [JSONText] {
        [interfaceStatus.lastCheck, interfaceStatus.news, interfaceStatus.hold?.record].compactMap(\.self)
            .sorted { $0.at < $1.at }.map { $0.json(wallTime: present.wallTime) }
    }

    private func time(_ instant: Instant) -> JSONText { .string(present.wallTime(instant)) }

    private func age(_ instant: Instant) -> JSONText {
        .milliseconds(max(.zero, present.now - instant))
    }

    private var explanation: [String] {
        check.map {
            Explanation($0.verdict, change: $0.change, settings: present.settings, quality: $0.quality).lines
        } ?? []
    }

    /// The next check. It is taken from the toggler's state, because an announced change may have brought the
    /// check forward since the last report.
    private var next: NextCheck? {
        if case .waiting(let next)? = present.state { next } else { nil }
    }

    /// Why no bounce followed the last check, and what prevents a bounce now.
    private var held: [String] {
        // If the next check is overdue or under way, take its time as the present one, so that no remaining
        // time is negative. Once an action has begun, nothing prevents it.
        let instant = min(present.now, (next ?? check?.next)?.at ?? present.now)
        let atCheck = [interfaceStatus.cause == nil ? check?.action.noBounceReason : nil].compactMap(\.self)
        return (atCheck.filter { $0.origin != .administrator } + present.noBounceReasons).map {
            $0.description(interface: present.interface, at: instant)
        }
    }
}
