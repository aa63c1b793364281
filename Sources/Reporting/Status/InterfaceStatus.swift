import Model
import Toggling

/// What the service knows of one interface: the last check, since when the link has its health, and the last
/// action. It also makes the interface's records from the reports of its toggler.
public struct InterfaceStatus {
    private(set) var condition: Health.Condition = .undetermined
    private(set) var since: Instant
    /// The last check; nil: none has ended yet, or the interface has disappeared since.
    private(set) var lastCheck: Record?
    /// The last action, whatever its result.
    private(set) var lastAction: Record?
    /// The last action before the service began; nil: there was none, or it is unknown.
    private(set) var pastAction: PastAction?
    /// The number of actions since the service began.
    private(set) var actions = 0
    /// The cause of the action under way; nil: there is none.
    private(set) var cause: ActionCause?
    /// The record of an absence or of an action that began after the last check and still lasts; nil: there
    /// is none.
    private(set) var news: Record?
    /// The administrator's hold, and the record that reported it; nil: there is no hold.
    private(set) var hold: (administrativeHold: AdministrativeHold, record: Record)?
    private(set) var counters = MetricCounters()
    /// The last outage that has ended; nil: there was none, or it is unknown.
    private(set) var lastOutage: PeriodOfOutage?
    /// When the health was first known after the last reboot by this program for this link; nil: there was no
    /// such reboot.
    private(set) var lastReboot: KnownMoment?
    /// The first sick check of the present outage; nil: the link is not sick.
    private var outageBegin: KnownMoment?
    /// When the first of the sick verdicts in a row was found; nil: the last verdict does not count as sick
    /// (``CycleReport/isPartOfOutage``), or there was no verdict since the interface was last absent.
    private var firstSick: Instant?

    /// - Parameter now: when the service begins to watch.
    public init(at now: Instant) { since = now }

    /// Makes the record of a report, and takes it into account.
    public mutating func take(_ report: Report, about interface: String, at now: Instant) -> Record {
        let record = Record(
            report, about: interface, at: now, cause: cause, isNews: isNews(report))
        remember(record)
        counters.take(record)
        if record.isTold { news = record.isLasting ? record : nil }
        return record
    }

    /// Whether the event is new for monitoring clients.
    private func isNews(_ report: Report) -> Bool {
        // A reboot may follow a bounce that does not end.
        if case .step(.beginning(.reboot, _)) = report { return true }
        let kind = Record.Kind(report)
        return switch kind {
        case .absent, .bounceBegun: kind != news?.kind
        case .appeared: news?.kind == .absent
        default: true
        }
    }

    /// Takes the current hold into account.
    /// - Parameter administrativeHold: the current hold; nil: there is none.
    /// - Returns: the record of the change; nil: the hold has not changed.
    public mutating func note(
        _ administrativeHold: AdministrativeHold?, about interface: String, at now: Instant
    ) -> Record? {
        guard administrativeHold != hold?.administrativeHold else { return nil }
        let record = Record.held(
            administrativeHold, after: hold?.administrativeHold, about: interface, at: now)
        hold = administrativeHold.map { ($0, record) }
        return record
    }

    /// Takes what the history tells of the time before the service began. Checks may have ended since.
    public mutating func recall(_ past: PastEvents) {
        pastAction = past.action
        lastReboot = lastReboot ?? past.reboot.map { .past($0) }
        if lastOutage == nil, let begin = past.sickSince, condition == .healthy {
            lastOutage = PeriodOfOutage(begin: .past(begin), end: .present(since))
        }
        lastOutage =
            lastOutage ?? past.outage.map { PeriodOfOutage(begin: .past($0.begin), end: .past($0.end)) }
        guard let begin = past.sickSince, condition != .healthy else { return }
        // If the link was found to be absent meanwhile, or cannot be judged, the outage is over.
        let isOver =
            news?.kind == .absent || condition == .undetermined && lastCheck?.cycle?.change.streak == 0
        if isOver {
            lastOutage = PeriodOfOutage(begin: .past(begin), end: .present(lastCheck?.at ?? since))
        } else {
            outageBegin = .past(begin)
        }
    }

    /// Notes that the health is known again after a reboot by this program for this link.
    public mutating func rebooted(at now: Instant) { lastReboot = .present(now) }

    /// When the hold expires; nil: it does not expire, or there is no hold.
    public var holdEnd: Instant? {
        if case .until(let end)? = hold?.administrativeHold { end } else { nil }
    }

    private mutating func remember(_ record: Record) {
        if let cycle = record.cycle {
            if cycle.verdict.conclusion == .sick { firstSick = firstSick ?? record.at }
            note(cycle.change.after, at: record.at)
            // If the link is not judged (the streak is 0), for example because rfkill blocks the radio, an
            // outage from before the service began is over. `note` does not end it if the health was not
            // known yet.
            if cycle.change.streak == 0 { followOutage(cycle.change.after, at: record.at) }
            if !cycle.isPartOfOutage { firstSick = nil }
            lastCheck = record
            cause = nil
            if record.action != nil {
                actions += 1
                lastAction = record
            }
        } else if record.kind == .bounceBegun {
            cause = record.cause
            if record.verdict != nil { note(.sick, at: record.at) }
        } else if record.kind == .absent {
            note(.undetermined, at: record.at)
            // Also forget an outage from before the service began that no check has confirmed, which `note`
            // does not end.
            (lastCheck, cause, firstSick, outageBegin) = (nil, nil, nil, nil)
        }
    }

    private mutating func note(_ condition: Health.Condition, at now: Instant) {
        if condition != self.condition {
            since = now
            counters.healthBecame(condition)
            followOutage(condition, at: now)
        }
        self.condition = condition
    }

    private mutating func followOutage(_ condition: Health.Condition, at now: Instant) {
        if condition == .sick {
            outageBegin = outageBegin ?? .present(firstSick ?? now)
        } else if let begin = outageBegin {
            lastOutage = PeriodOfOutage(begin: begin, end: .present(now))
            outageBegin = nil
        }
    }
}

/// A moment since the service began, or one before that, from the history.
enum KnownMoment: Hashable, Sendable {
    case present(Instant)
    case past(PastMoment)

    /// The moment on the current boot clock. A moment of an earlier boot is negative, unless the wall clock
    /// is wrong.
    func instant(at now: Timestamp) -> Instant {
        switch self {
        case .present(let instant): instant
        case .past(let moment): moment.instant(at: now)
        }
    }
}

/// An outage that is over, from its first sick check.
struct PeriodOfOutage: Hashable, Sendable {
    var begin: KnownMoment
    var end: KnownMoment
}

extension Record {
    /// Whether the record begins a state that lasts.
    fileprivate var isLasting: Bool { kind == .absent || kind == .bounceBegun }
}

extension InterfaceStatus {
    /// The signal of the access point at the last check, in dBm; nil: not Wi-Fi, not associated, or unknown.
    var signal: Int8? {
        lastCheck?.verdict?.evidence.lazy.compactMap {
            if case .association(let association) = $0 { association?.station.signal } else { nil }
        }.first
    }
}
