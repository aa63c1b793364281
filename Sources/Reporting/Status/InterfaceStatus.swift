import Model
import Toggling

/// What the service remembers of one interface so that somebody can ask: the last check, since when the link
/// is as it is, and what was done last. Fed from the reports alone.
public struct InterfaceStatus {
    /// A check, and when it ended.
    struct Check {
        var report: CycleReport
        var at: Instant
    }

    /// Why something was done.
    enum Cause {
        case sick(Verdict)
        /// A person, or the plain timer.
        case asked
        /// An rfkill block had taken the link down.
        case block
    }

    /// Something that was done, to whatever end.
    struct LastAction {
        var cause: Cause
        var check: Check
    }

    /// Something that happened and still is so.
    struct News {
        var interfaceEvent: InterfaceEvent
        var at: Instant
    }

    private(set) var condition: Health.Condition = .undetermined
    private(set) var since: Instant
    /// nil: none has ended yet, or the interface went away since.
    private(set) var lastCheck: Check?
    var lastAction: LastAction? { actionKept.value }
    /// Hardly any interface has one, and it is as large as all the rest.
    private var actionKept = Boxed<LastAction>.none
    /// What was done last before the service began; nil: nothing, or it is not known.
    private(set) var pastAction: PastAction?
    /// Since the service began.
    private(set) var actions = 0
    /// What called for that which is under way; nil: nothing is.
    private(set) var cause: Cause?
    /// Behind the last check: the interface is away, or something is under way; nil: neither.
    private(set) var news: News?
    /// What an administrator wants of it, as it was told; nil: nothing.
    private(set) var hold: (administrativeHold: AdministrativeHold, news: News)?
    private(set) var counters = MetricCounters()

    /// - Parameter now: The service begins to watch.
    public init(at now: Instant) { since = now }

    /// - Returns: what those who monitor are told of it, beside the ends of looks; nil: nothing that they do
    ///   not know.
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

    /// - Parameter inhibition: what an administrator wants of it now.
    /// - Returns: what is told of that; nil: it is what he wanted before.
    public mutating func note(_ administrativeHold: AdministrativeHold?, at now: Instant) -> InterfaceEvent? {
        guard administrativeHold != hold?.administrativeHold else { return nil }
        let interfaceEvent = InterfaceEvent.held(administrativeHold, after: hold?.administrativeHold, at: now)
        hold = administrativeHold.map { ($0, News(interfaceEvent: interfaceEvent, at: now)) }
        return interfaceEvent
    }

    /// What the history says was done last before the service began.
    public mutating func recall(_ action: PastAction) { pastAction = action }

    /// When what an administrator wants is over by itself; nil: never, or he wants nothing.
    public var holdEnd: Instant? {
        if case .until(let end)? = hold?.administrativeHold { end } else { nil }
    }

    private mutating func remember(_ report: Report, at now: Instant) {
        switch report {
        case .watching: break
        case .step(.beginning(_, let verdict)):
            cause = verdict.map { .sick($0) } ?? .asked
            // The report of it comes when it is over.
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

/// An optional that takes no room where it is nil.
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
    /// How well the access point was heard at the last check, in dBm; nil: not Wi-Fi, not associated, or not
    /// known.
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
