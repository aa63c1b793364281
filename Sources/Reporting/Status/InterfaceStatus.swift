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

    /// - Parameter now: when the service begins to watch.
    public init(at now: Instant) { since = now }

    /// Makes the record of a report, and takes it into account.
    public mutating func take(_ report: Report, about interface: String, at now: Instant) -> Record {
        let record = Record(
            report, about: interface, at: now, cause: cause, isNews: isNews(Record.Kind(report)))
        remember(record)
        counters.take(record)
        if record.isTold { news = record.isLasting ? record : nil }
        return record
    }

    /// Whether the event is new for monitoring clients.
    private func isNews(_ kind: Record.Kind) -> Bool {
        switch kind {
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

    /// Sets the last action before the service began, from the history.
    public mutating func recall(_ action: PastAction) { pastAction = action }

    /// When the hold expires; nil: it does not expire, or there is no hold.
    public var holdEnd: Instant? {
        if case .until(let end)? = hold?.administrativeHold { end } else { nil }
    }

    private mutating func remember(_ record: Record) {
        if let cycle = record.cycle {
            note(cycle.change.after, at: record.at)
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
            (lastCheck, cause) = (nil, nil)
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
