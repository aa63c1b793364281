import Model
import Toggling

/// The JSON object of an interface's state: the keys of a cycle where they mean the same, and those that only
/// a state has. They are a contract.
public struct StatusJSON {
    /// The context of the query.
    public struct Present {
        public var interface: String
        public var now: Instant
        /// nil: the toggler has ended.
        public var state: TogglerState?
        /// The current settings of the interface.
        public var settings: Settings
        /// Current holds and quiet hours.
        public var obstacles: [NoBounceReason]
        /// The owners of the interface; nil: it does not exist.
        public var ownership: Ownership?
        /// The same time as ``now``, for what is stored from earlier boots.
        public var instant: Timestamp
        /// The text (RFC 3339) of a time relative to now; negative: in the past.
        public var wallTime: (Duration) -> String

        public init(
            interface: String, now: Instant, state: TogglerState?, settings: Settings,
            obstacles: [NoBounceReason],
            ownership: Ownership?, instant: Timestamp, wallTime: @escaping (Duration) -> String
        ) {
            self.interface = interface
            self.now = now
            self.state = state
            self.settings = settings
            self.obstacles = obstacles
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

    private var check: CycleReport? { interfaceStatus.lastCheck?.report }

    private typealias Members = [(String, JSONText)]

    public var json: JSONText { .object(condition + lastCheck + prospect) }

    private var condition: Members {
        [
            ("time", .string(present.wallTime(.zero))),
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
        let evidence: [JSONText] = verdict?.evidence.map(\.json) ?? []
        let explanation: [JSONText] = explanation.map { .string($0) }
        return [
            ("checked", checked.map(time) ?? .null),
            ("checked_ms", checked.map(age) ?? .null),
            ("verdict", .optional(verdict?.conclusion.rawValue)),
            ("layer", .optional(verdict?.layer?.rawValue)),
            ("reason", .optional(verdict?.reason.sentence)),
            ("evidence", .array(evidence)),
            ("reasoning", .array(explanation)),
            ("signal_dbm", interfaceStatus.signal.map { .integer(Int64($0)) } ?? .null),
            ("degraded", check?.quality?.degradedJSON ?? .null),
            ("owner", present.ownership?.json ?? .null),
        ]
    }

    private var prospect: Members {
        let held: [JSONText] = held.map { .string($0) }
        let next = next
        let nextCheck: JSONText =
            next.map { .object([("time", time($0.at)), ("why", .string($0.why.word))]) } ?? .null
        return [
            ("under_way", .optional(interfaceStatus.cause?.sentence)),
            ("held", .array(held)),
            ("next", nextCheck),
            ("next_ms", .milliseconds(next.map { max(.zero, $0.at - present.now) })),
            ("actions", .integer(Int64(interfaceStatus.actions))),
            (
                "last_action",
                interfaceStatus.lastAction.map(json) ?? interfaceStatus.pastAction.map(json) ?? .null
            ),
        ]
    }

    /// The last event, as it was reported; nil: there was none.
    public var event: JSONText? {
        interfaceStatus.lastCheck.map { check in
            let (present, ago) = (present, check.at - present.now)
            return CycleJSON.json(
                check.report, interface: present.interface, time: present.wallTime(ago), now: check.at,
                wallTime: { present.wallTime(ago + $0) })
        }
    }

    /// The first events for a new monitoring client: the last event, and the events whose state still lasts,
    /// in order.
    public var events: [JSONText] {
        let check = interfaceStatus.lastCheck.flatMap { check in event.map { (check.at, $0) } }
        let news = [interfaceStatus.news, interfaceStatus.hold?.news].compactMap(\.self).map { news in
            let ago = news.at - present.now
            return (
                news.at,
                news.interfaceEvent.json(interface: present.interface, time: present.wallTime(ago))
            )
        }
        return ([check].compactMap(\.self) + news).sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func time(_ instant: Instant) -> JSONText { .string(present.wallTime(instant - present.now)) }

    private func age(_ instant: Instant) -> JSONText {
        .milliseconds(max(.zero, present.now - instant))
    }

    private var explanation: [String] {
        check.map {
            Explanation($0.verdict, change: $0.change, settings: present.settings, quality: $0.quality).lines
        } ?? []
    }

    /// An announced change moves it: the toggler knows that, the last report may not.
    private var next: NextCheck? {
        if case .waiting(let next)? = present.state { next } else { nil }
    }

    /// Why the last check did not bounce, and what applies since.
    private var held: [String] {
        // A postponed action is taken when its time has come: the remaining time is never negative.
        let instant = min(present.now, next?.at ?? present.now)
        let noBounceReasons = [check?.action.noBounceReason].compactMap(\.self)
        return (noBounceReasons.filter { $0.origin != .administrator } + present.obstacles).map {
            $0.sentence(interface: present.interface, at: instant)
        }
    }

    private func json(_ action: InterfaceStatus.LastAction) -> JSONText {
        let report = action.check.report
        let summary = report.action.summary
        let restoration = summary?.restoration ?? Restoration()
        return .object([
            ("time", time(action.check.at)),
            ("ago_ms", age(action.check.at)),
            ("cause", .string(action.cause.sentence)),
            ("action", .string(report.action.word)),
            ("methods", .array((summary?.methods ?? []).map { .string($0.rawValue) })),
            ("down_ms", .milliseconds(summary?.down)),
            ("recovery_ms", .milliseconds(summary?.recovery)),
            ("lost", .array(restoration.lost.map { .string($0) })),
            ("restored", .array(restoration.restored.map { .string($0) })),
            ("refused", restoration.refusedJSON),
            ("verdict", .string(report.verdict.conclusion.rawValue)),
            ("layer", .optional(report.verdict.layer?.rawValue)),
            ("reason", .string(report.outcome)),
        ])
    }

    private func json(_ past: PastAction) -> JSONText {
        let action = past.action
        let list = { (texts: [String]) in JSONText.array(texts.map { .string($0) }) }
        let instant = past.instant(at: present.instant)
        return .object([
            ("time", time(instant)),
            ("ago_ms", age(instant)),
            ("cause", .string(action.why)),
            ("action", .string(action.action)),
            ("methods", list(action.methods)),
            ("down_ms", .milliseconds(action.down)),
            ("recovery_ms", .milliseconds(action.recovery)),
            ("lost", list(action.lost)),
            ("restored", list(action.restored)),
            ("refused", action.refusedJSON),
            ("verdict", .string(action.outcome.conclusion.rawValue)),
            ("layer", .optional(action.outcome.layer?.rawValue)),
            ("reason", .string(action.outcome.reason)),
        ])
    }
}

extension CycleReport.Action {
    /// Why there was no action.
    fileprivate var noBounceReason: NoBounceReason? {
        switch self {
        case .held(let noBounceReason), .skipped(let noBounceReason), .refused(let noBounceReason):
            noBounceReason
        case .none, .bounced, .raised, .failed: nil
        }
    }
}

extension CycleReport {
    /// The result of the action.
    fileprivate var outcome: String {
        if case .failed(let step, let failure) = action {
            step.sentence(failure)
        } else {
            verdict.reason.sentence
        }
    }
}
