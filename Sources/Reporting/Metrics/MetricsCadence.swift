import Model

/// When to write the metrics file: soon after news, and seldom otherwise. Without news, a write that is not
/// due yet waits for a later report, so that it causes no wake-up of its own.
public struct MetricsCadence {
    /// The least time between two writes. News comes in groups, for example when a hundred interfaces are
    /// checked for the first time, and then one write covers all of it.
    static let apart: Duration = .seconds(1)
    /// The least time between two writes without news. It is less than the default interval, so that by
    /// default each check is written.
    static let rest: Duration = .seconds(30)

    private var written: Instant?
    private var planned: Instant?
    /// The interfaces whose next check is made before the next one of the schedule. The file has the time of
    /// that check, which is over when the check is done: alerts would take the service for hung.
    private var expected: Set<String> = []

    public init() {}

    /// Whether the file must soon have what the record tells.
    public mutating func isNews(_ record: Record) -> Bool {
        guard let cycle = record.cycle else { return true }
        let wasExpected = expected.remove(record.interface) != nil
        if let next = cycle.next, next.why != .schedule { expected.insert(record.interface) }
        return record.isUrgent || wasExpected
    }

    /// Notes a report.
    /// - Returns: when to write; nil: a write is planned already, or not needed.
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

    /// Notes that the file was written, or that writing failed.
    public mutating func wrote(at now: Instant) {
        written = now
        planned = nil
    }
}
