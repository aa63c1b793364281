import Model

/// When to write the file of metrics: soon after news, and seldom otherwise. It causes no wake-up of its own:
/// what is not due yet is written with the next check.
public struct MetricsCadence {
    /// News come in groups, as when a hundred interfaces are checked for the first time: one file covers all.
    static let apart: Duration = .seconds(1)
    /// Less than the default interval: with that, each check is written.
    static let rest: Duration = .seconds(30)

    private var written: Instant?
    private var planned: Instant?

    public init() {}

    /// Something was reported.
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

    /// It was written, or writing failed.
    public mutating func wrote(at now: Instant) {
        written = now
        planned = nil
    }
}
