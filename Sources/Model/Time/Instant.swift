/// A point in time on the boot-time clock (`CLOCK_BOOTTIME`, clock_gettime(2)): nanoseconds since the machine
/// started, including suspend. Unlike wall-clock time it is never set or stepped.
public struct Instant: Comparable, Codable, Hashable, Sendable {
    /// Nanoseconds since boot; negative: before this boot.
    public var nanoseconds: Int64

    /// When the machine started.
    public static let boot = Instant(nanoseconds: 0)

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func < (one: Instant, other: Instant) -> Bool { one.nanoseconds < other.nanoseconds }
    public static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + duration.nanoseconds)
    }
    public static func - (one: Instant, other: Instant) -> Duration {
        .nanoseconds(one.nanoseconds - other.nanoseconds)
    }
}

extension [Instant] {
    /// When a budget of `budget` events per `window` has room again, if the events happened at these
    /// instants, the oldest first; nil: it has room now.
    package func end(ofBudget budget: Int, per window: Duration, at now: Instant) -> Instant? {
        let inWindow = filter { now - $0 < window }
        return inWindow.count < budget ? nil : inWindow[inWindow.count - budget] + window
    }
}

extension Duration {
    /// The duration in whole nanoseconds; a fraction is dropped.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The duration in milliseconds, with its fraction.
    public var milliseconds: Double { Double(nanoseconds) / 1_000_000 }
}
