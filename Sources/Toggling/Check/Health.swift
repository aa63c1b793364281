import Model

/// The health of a link: verdicts, smoothed by fall and rise.
public struct Health: Hashable, Sendable {
    public enum Condition: String, Codable, Hashable, Sendable, CaseIterable {
        /// No row of equal verdicts yet.
        case undetermined
        case healthy, sick
    }

    public private(set) var condition: Condition = .undetermined
    /// The row of equal verdicts that ends with the last one.
    private(set) var streak: Streak?
    /// When the look began whose sick verdict is the last in the row; nil: that one is not sick.
    private(set) var sickAt: Instant?

    struct Streak: Hashable, Sendable {
        var conclusion: Verdict.Conclusion
        var count: Int
        /// Where the fault sits; nil: there is none, or it does not matter.
        var layer: Layer?
    }

    /// Takes a verdict into account. A differing verdict begins a new row; only a full row changes the
    /// condition. The first healthy verdict of all needs no row: nothing is at stake.
    ///
    /// A link that joins announces each step, and each is looked at. Sick verdicts from one such moment are
    /// one: only a check that began `apart` from the last one counts. A fault in another layer is another fault.
    /// - Parameter now: When the look began.
    mutating func take(
        _ conclusion: Verdict.Conclusion, in layer: Layer? = nil, at now: Instant, apart: Duration, fall: Int,
        rise: Int
    ) {
        let layer = conclusion == .sick ? layer : nil
        let goesOn = streak?.conclusion == conclusion && streak?.layer == layer
        if conclusion == .sick, goesOn, let sickAt, now - sickAt < apart { return }
        sickAt = conclusion == .sick ? now : nil
        let count = goesOn ? (streak?.count ?? 0) + 1 : 1
        streak = Streak(conclusion: conclusion, count: count, layer: layer)
        switch conclusion {
        case .healthy where condition != .healthy && (count >= rise || condition == .undetermined):
            condition = .healthy
        case .sick where condition != .sick && count >= fall: condition = .sick
        case .healthy, .sick, .unknown: break
        }
    }

    /// Nothing that was seen before counts any more: the interface went away, or was not ours to judge.
    mutating func forget() { self = Health() }

    /// A bounce was verified, or a person vouched for it: healthy at once.
    mutating func recover() {
        streak = Streak(conclusion: .healthy, count: 1)
        sickAt = nil
        condition = .healthy
    }

    /// Whether the fault at hand has been found often enough to act upon.
    func isSick(fall: Int) -> Bool {
        condition == .sick && streak?.conclusion == .sick && streak?.count ?? 0 >= fall
    }

    /// Whether the last verdicts contradict the condition, or tell of another fault than those before, so that
    /// the next check should come soon.
    func isInDoubt(fall: Int) -> Bool {
        guard let streak else { return false }
        switch (streak.conclusion, condition) {
        case (.sick, .undetermined), (.sick, .healthy), (.healthy, .sick): return true
        case (.sick, .sick): return streak.count < fall
        case (.healthy, .healthy), (.healthy, .undetermined), (.unknown, _): return false
        }
    }
}

/// The condition before and after a cycle, and how far a row has come.
public struct HealthChange: Codable, Hashable, Sendable {
    public var before: Health.Condition
    public var after: Health.Condition
    /// Equal verdicts in a row, this one included.
    public var streak: Int

    public init(before: Health.Condition, after: Health.Condition, streak: Int) {
        self.before = before
        self.after = after
        self.streak = streak
    }
}

/// The fault at hand, and since when nothing but it was found.
struct FaultStreak: Hashable, Sendable {
    let layer: Layer
    /// When the first look began that found it. What is heard after that is heard in spite of it.
    let since: Instant

    /// What is at hand after one more verdict; nil: no fault.
    /// - Parameter begun: When the look began that reached it.
    static func after(_ verdict: Verdict, begun: Instant, last: FaultStreak?) -> FaultStreak? {
        guard verdict.conclusion == .sick, let layer = verdict.layer else { return nil }
        if let last, last.layer == layer { return last }
        return FaultStreak(layer: layer, since: begun)
    }
}
