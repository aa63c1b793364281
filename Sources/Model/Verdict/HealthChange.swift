/// The condition of a link before and after a cycle, and the length of the streak.
public struct HealthChange: Encodable, Hashable, Sendable {
    /// The smoothed health.
    public enum Condition: String, Encodable, Hashable, Sendable, CaseIterable {
        /// Not enough equal verdicts yet.
        case undetermined
        case healthy, sick
    }

    public var before: Condition
    public var after: Condition
    /// Equal verdicts in a row, including this one.
    public var streak: Int

    public init(before: Condition, after: Condition, streak: Int) {
        (self.before, self.after, self.streak) = (before, after, streak)
    }
}
