import Model
import Toggling

/// When the file of metrics is written: soon after news, and seldom while nothing is new. Nothing wakes up
/// for it that would have slept: what is not due yet is written with the next check.
public struct MetricsCadence {
    /// News come together, as when a hundred interfaces are looked at for the first time: one file tells of
    /// all.
    static let apart: Duration = .seconds(1)
    /// Less than the usual interval: with that each check is written down.
    static let rest: Duration = .seconds(30)

    private var written: Instant?
    private var planned: Instant?

    public init() {}

    /// Something was told.
    /// - Returns: when to write; nil: it is planned already, or need not be told.
    public mutating func due(isNews: Bool, at now: Instant) -> Instant? {
        guard planned == nil else { return nil }
        if let written {
            guard isNews || now - written >= Self.rest else { return nil }
            planned = max(now, written + Self.apart)
        } else {
            planned = now
        }
        return planned
    }

    /// It was written, or could not be.
    public mutating func wrote(at now: Instant) {
        written = now
        planned = nil
    }
}

extension Report {
    /// Whether somebody may wait for it: a step, another health, or something that was done.
    public var isNewsForMetrics: Bool {
        switch self {
        case .watching, .step: return true
        case .cycle(let cycle):
            if cycle.change.before != cycle.change.after { return true }
            switch cycle.action {
            case .bounced, .raised, .failed: return true
            case .none, .held, .skipped, .refused: return false
            }
        }
    }
}
