import Toggling

/// The JSON object of an interface's state: the keys of a cycle where they mean the same, and those that only a state
/// has. They are a contract.
public struct StatusRecord {
    /// The moment at which it is asked for.
    public struct Present {
        public var interface: String
        public var now: Instant
        /// nil: the toggler has ended.
        public var state: TogglerState?
        /// What is wanted of the interface now.
        public var settings: Settings
        /// What an administrator, or the hour, holds back now.
        public var obstacles: [Refusal]
        /// Who manages the interface; nil: it is not there.
        public var ownership: Ownership?
        /// The same moment as ``now``, for what is kept of earlier boots.
        public var moment: HistoryMoment
        /// The text (RFC 3339) of a moment so far from now; negative: in the past.
        public var wallTime: (Duration) -> String

        public init(
            interface: String, now: Instant, state: TogglerState?, settings: Settings, obstacles: [Refusal],
            ownership: Ownership?, moment: HistoryMoment, wallTime: @escaping (Duration) -> String
        ) {
            self.interface = interface
            self.now = now
            self.state = state
            self.settings = settings
            self.obstacles = obstacles
            self.ownership = ownership
            self.moment = moment
            self.wallTime = wallTime
        }
    }

    private let standing: Standing
    private let present: Present

    public init(_ standing: Standing, _ present: Present) {
        self.standing = standing
        self.present = present
    }

    private var look: CycleReport? { standing.lastLook?.report }

    private typealias Members = [(String, JSONText)]

    public var json: JSONText { .object(condition + lastLook + prospect) }

    private var condition: Members {
        [
            ("time", .string(present.wallTime(.zero))),
            ("interface", .string(present.interface)),
            ("state", .string(present.state?.name ?? "ended")),
            ("condition", .string(standing.condition.rawValue)),
            ("since", time(standing.since)),
            ("since_ms", age(standing.since)),
        ]
    }

    private var lastLook: Members {
        let checked = standing.lastLook?.at
        let verdict = look?.verdict
        let evidence: [JSONText] = verdict?.evidence.map(\.json) ?? []
        let reasoning: [JSONText] = reasoning.map { .string($0) }
        return [
            ("checked", checked.map(time) ?? .null),
            ("checked_ms", checked.map(age) ?? .null),
            ("verdict", .optional(verdict?.conclusion.rawValue)),
            ("layer", .optional(verdict?.layer?.rawValue)),
            ("reason", .optional(verdict?.reason.sentence)),
            ("evidence", .array(evidence)),
            ("reasoning", .array(reasoning)),
            ("signal_dbm", standing.signal.map { .integer(Int64($0)) } ?? .null),
            ("degraded", look?.quality?.degradedJSON ?? .null),
            ("owner", present.ownership?.json ?? .null),
        ]
    }

    private var prospect: Members {
        let held: [JSONText] = held.map { .string($0) }
        let next = next
        let nextLook: JSONText =
            next.map { .object([("time", time($0.at)), ("why", .string($0.why.word))]) } ?? .null
        return [
            ("under_way", .optional(standing.cause?.sentence)),
            ("held", .array(held)),
            ("next", nextLook),
            ("next_ms", .milliseconds(next.map { max(.zero, $0.at - present.now) })),
            ("actions", .integer(Int64(standing.deeds))),
            ("last_action", standing.lastDeed.map(json) ?? standing.pastDeed.map(json) ?? .null),
        ]
    }

    /// The last event, as it was told; nil: there was none.
    public var event: JSONText? {
        standing.lastLook.map { look in
            let (present, ago) = (present, look.at - present.now)
            return CycleRecord.json(
                look.report, interface: present.interface, time: present.wallTime(ago), now: look.at,
                wallTime: { present.wallTime(ago + $0) })
        }
    }

    /// What somebody is told who begins to monitor: the last event, and what has happened and still is so, in its order.
    public var events: [JSONText] {
        let look = standing.lastLook.flatMap { look in event.map { (look.at, $0) } }
        let news = [standing.news, standing.hold?.news].compactMap(\.self).map { news in
            let ago = news.at - present.now
            return (
                news.at,
                news.occurrence.json(interface: present.interface, time: present.wallTime(ago))
            )
        }
        return ([look].compactMap(\.self) + news).sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func time(_ moment: Instant) -> JSONText { .string(present.wallTime(moment - present.now)) }

    private func age(_ moment: Instant) -> JSONText {
        .milliseconds(max(.zero, present.now - moment))
    }

    private var reasoning: [String] {
        look.map {
            Reasoning($0.verdict, change: $0.change, settings: present.settings, quality: $0.quality).lines
        } ?? []
    }

    /// A change that is announced moves it: the toggler knows, the last report may not.
    private var next: NextLook? {
        if case .waiting(let next)? = present.state { next } else { nil }
    }

    /// What the last look was refused, and what holds since.
    private var held: [String] {
        // What was put off is done when its time has come: until then it is never less than nothing.
        let moment = min(present.now, next?.at ?? present.now)
        let refusals = [look?.action.refusal].compactMap(\.self)
        return (refusals.filter { !$0.isAdministrators } + present.obstacles).map {
            $0.sentence(interface: present.interface, at: moment)
        }
    }

    private func json(_ deed: Standing.Deed) -> JSONText {
        let report = deed.look.report
        let summary = report.action.summary
        let restoration = summary?.restoration ?? Restoration()
        return .object([
            ("time", time(deed.look.at)),
            ("ago_ms", age(deed.look.at)),
            ("cause", .string(deed.cause.sentence)),
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

    private func json(_ past: PastDeed) -> JSONText {
        let deed = past.deed
        let list = { (texts: [String]) in JSONText.array(texts.map { .string($0) }) }
        let moment = past.moment(at: present.moment)
        return .object([
            ("time", time(moment)),
            ("ago_ms", age(moment)),
            ("cause", .string(deed.why)),
            ("action", .string(deed.action)),
            ("methods", list(deed.methods)),
            ("down_ms", .milliseconds(deed.down)),
            ("recovery_ms", .milliseconds(deed.recovery)),
            ("lost", list(deed.lost)),
            ("restored", list(deed.restored)),
            ("refused", deed.refusedJSON),
            ("verdict", .string(deed.outcome.conclusion.rawValue)),
            ("layer", .optional(deed.outcome.layer?.rawValue)),
            ("reason", .string(deed.outcome.reason)),
        ])
    }
}

extension Refusal {
    /// What an administrator, or the hour, forbids is asked anew each time.
    fileprivate var isAdministrators: Bool {
        switch self {
        case .inhibited, .quiet: true
        case .radioBlocked, .administrativelyDown, .notWireless, .notStation, .absent, .cannotHelp,
            .backingOff, .budgetSpent, .useless, .early, .listening, .inUse, .alive,
            .dryRun:
            false
        }
    }
}

extension CycleReport.Action {
    /// Why nothing was done about it.
    fileprivate var refusal: Refusal? {
        switch self {
        case .held(let refusal), .skipped(let refusal), .refused(let refusal): refusal
        case .none, .bounced, .raised, .failed: nil
        }
    }
}

extension CycleReport {
    /// What came of what was done.
    fileprivate var outcome: String {
        if case .failed(let step, let failure) = action {
            step.sentence(failure)
        } else {
            verdict.reason.sentence
        }
    }
}
