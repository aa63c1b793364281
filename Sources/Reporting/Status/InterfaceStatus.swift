import Model
import Toggling

/// The service's state of one interface: the last check, since when the link has its health, and the last
/// action. It makes the records of the interface from what its toggler reports.
public struct InterfaceStatus {
    private(set) var condition: Health.Condition = .undetermined
    private(set) var since: Instant
    /// nil: none has ended yet, or the interface has disappeared since.
    private(set) var lastCheck: Record?
    /// The last action, whatever its result.
    private(set) var lastAction: Record?
    /// The last action before the service began; nil: there was none, or it is unknown.
    private(set) var pastAction: PastAction?
    /// Since the service began.
    private(set) var actions = 0
    /// The cause of the action under way; nil: there is none.
    private(set) var cause: ActionCause?
    /// After the last check: the interface is away, or an action is under way; nil: neither.
    private(set) var news: Record?
    /// The administrator's hold, as it was reported; nil: none.
    private(set) var hold: (administrativeHold: AdministrativeHold, record: Record)?
    private(set) var counters = MetricCounters()

    /// - Parameter now: when the service begins to watch.
    public init(at now: Instant) { since = now }

    /// The record of a report.
    public mutating func take(_ report: Report, about interface: String, at now: Instant) -> Record {
        let record = Record(
            report, about: interface, at: now, cause: cause, isNews: isNews(Record.Kind(report)))
        remember(record)
        counters.take(record)
        if record.isTold { news = record.isLasting ? record : nil }
        return record
    }

    /// Whether clients that monitor do not know it yet.
    private func isNews(_ kind: Record.Kind) -> Bool {
        switch kind {
        case .absent, .bounceBegun: kind != news?.kind
        case .appeared: news?.kind == .absent
        default: true
        }
    }

    /// - Parameter administrativeHold: the current hold.
    /// - Returns: the record of its change; nil: it has not changed.
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

    /// When the hold expires; nil: never, or there is none.
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
    /// Its state lasts after it.
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
