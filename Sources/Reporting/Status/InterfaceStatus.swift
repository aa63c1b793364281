import Model
import Toggling

/// The service's state of one interface, for status queries: the last check, since when the link has its
/// health, and the last action. Built from the reports alone.
public struct InterfaceStatus {
    /// A check, and when it ended.
    struct Check {
        var report: CycleReport
        var at: Instant
    }

    /// Why there was an action.
    enum Cause {
        case sick(Verdict)
        /// Requested by a user, or the plain timer.
        case asked
        /// An rfkill block had taken the link down.
        case block
    }

    /// An action, whatever its result.
    struct LastAction {
        var cause: Cause
        var check: Check
    }

    /// An event whose state still lasts.
    struct News {
        var interfaceEvent: InterfaceEvent
        var at: Instant
    }

    private(set) var condition: Health.Condition = .undetermined
    private(set) var since: Instant
    /// nil: none has ended yet, or the interface has disappeared since.
    private(set) var lastCheck: Check?
    var lastAction: LastAction? { actionKept.value }
    /// Few interfaces have one, and it is as large as all the rest.
    private var actionKept = Boxed<LastAction>.none
    /// The last action before the service began; nil: there was none, or it is unknown.
    private(set) var pastAction: PastAction?
    /// Since the service began.
    private(set) var actions = 0
    /// The cause of the action under way; nil: there is none.
    private(set) var cause: Cause?
    /// After the last check: the interface is away, or an action is under way; nil: neither.
    private(set) var news: News?
    /// The administrator's hold, as it was reported; nil: none.
    private(set) var hold: (administrativeHold: AdministrativeHold, news: News)?
    private(set) var counters = MetricCounters()

    /// - Parameter now: when the service begins to watch.
    public init(at now: Instant) { since = now }

    /// - Returns: the event for clients that monitor, beside the ends of checks; nil: they know everything
    ///   already.
    @discardableResult
    public mutating func take(_ report: Report, at now: Instant) -> InterfaceEvent? {
        let interfaceEvent = interfaceEvent(of: report)
        remember(report, at: now)
        if let interfaceEvent {
            let stays = interfaceEvent.kind == .absent || interfaceEvent.kind == .bounceBegun
            news = stays ? News(interfaceEvent: interfaceEvent, at: now) : nil
        }
        return interfaceEvent
    }

    private func interfaceEvent(of report: Report) -> InterfaceEvent? {
        guard let interfaceEvent = InterfaceEvent(report) else { return nil }
        switch interfaceEvent.kind {
        case .absent, .bounceBegun:
            return interfaceEvent.kind == news?.interfaceEvent.kind ? nil : interfaceEvent
        case .appeared: return news?.interfaceEvent.kind == .absent ? interfaceEvent : nil
        case .started, .renamed, .holdSet, .holdOver: return interfaceEvent
        }
    }

    /// - Parameter administrativeHold: the current hold.
    /// - Returns: the event for that; nil: the hold has not changed.
    public mutating func note(_ administrativeHold: AdministrativeHold?, at now: Instant) -> InterfaceEvent? {
        guard administrativeHold != hold?.administrativeHold else { return nil }
        let interfaceEvent = InterfaceEvent.held(administrativeHold, after: hold?.administrativeHold, at: now)
        hold = administrativeHold.map { ($0, News(interfaceEvent: interfaceEvent, at: now)) }
        return interfaceEvent
    }

    /// Sets the last action before the service began, from the history.
    public mutating func recall(_ action: PastAction) { pastAction = action }

    /// When the hold expires; nil: never, or there is none.
    public var holdEnd: Instant? {
        if case .until(let end)? = hold?.administrativeHold { end } else { nil }
    }

    private mutating func remember(_ report: Report, at now: Instant) {
        switch report {
        case .watching: break
        case .step(.beginning(_, let verdict)):
            cause = verdict.map { .sick($0) } ?? .asked
            // The report comes when it is over.
            if let verdict {
                note(.sick, at: now)
                counters.take(verdict)
            }
        case .step(.escalating(_, _, let verdict)): counters.take(verdict)
        case .step(.raisingAfterBlock): cause = .block
        case .step(.absent):
            note(.undetermined, at: now)
            lastCheck = nil
            cause = nil
        case .step: break
        case .cycle(let cycle): take(Check(report: cycle, at: now))
        }
    }

    private mutating func take(_ check: Check) {
        note(check.report.change.after, at: check.at)
        lastCheck = check
        defer { (cause, news) = (nil, nil) }
        counters.take(check.report, cause: MetricCounters.Cause(cause ?? .asked))
        switch check.report.action {
        case .bounced, .raised, .failed:
            actions += 1
            actionKept = .some(LastAction(cause: cause ?? .asked, check: check))
        case .none, .held, .skipped, .refused: break
        }
    }

    private mutating func note(_ condition: Health.Condition, at now: Instant) {
        if condition != self.condition {
            since = now
            counters.healthBecame(condition)
        }
        self.condition = condition
    }
}

/// An optional that needs no room if it is nil.
private enum Boxed<Value> {
    case none
    indirect case some(Value)

    var value: Value? {
        switch self {
        case .none: nil
        case .some(let value): value
        }
    }
}

extension InterfaceStatus {
    /// The signal of the access point at the last check, in dBm; nil: not Wi-Fi, not associated, or unknown.
    var signal: Int8? {
        lastCheck?.report.verdict.evidence.lazy.compactMap {
            if case .association(let association) = $0 { association?.station.signal } else { nil }
        }.first
    }
}

extension InterfaceStatus.Cause {
    var sentence: String {
        switch self {
        case .sick(let verdict): verdict.headline
        case .asked: "asked for"
        case .block: "an rfkill block had taken the link down"
        }
    }
}
