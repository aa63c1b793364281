/// The time of the next check, and the reason for it.
public struct NextCheck: Encodable, Hashable, Sendable {
    /// The reason for the time.
    public enum Why: String, Encodable, Hashable, Sendable, CaseIterable {
        /// The check comes at the next tick of the schedule.
        case schedule
        /// The check comes soon, because fall or rise needs another verdict.
        case recheck
        /// The check comes when the back-off or the budget allows the next bounce.
        case backoff, budget
        /// The check comes at the end of the grace, or of another time that is left to the owner or the
        /// access point.
        case grace
        /// The check comes at the end of an administrator's hold.
        case hold
        /// The check comes at the end of the quiet hours.
        case quiet
        /// The check comes early, because the kernel announced a change.
        case change
    }

    public var at: Instant
    public var why: Why

    package init(at: Instant, why: Why) {
        self.at = at
        self.why = why
    }
}
