import Model

/// The health of a link: verdicts smoothed by fall and rise.
public struct Health: Hashable, Sendable {
    public typealias Condition = HealthChange.Condition

    public private(set) var condition: Condition = .undetermined
    /// The latest equal verdicts in a row.
    private(set) var streak: Streak?
    /// How often in a row the fault has moved to another layer before it had lasted for `fall` verdicts.
    private(set) var moves = 0
    /// When the check of the last counted sick verdict began; nil: the last verdict is not sick.
    private(set) var sickAt: Instant?
    /// Since when the condition is sick; nil: it is not sick.
    private(set) var sickSince: Instant?

    struct Streak: Hashable, Sendable {
        var conclusion: Verdict.Conclusion
        var count: Int
        /// The layer of the fault; nil: there is no fault, or layers are not distinguished.
        var layer: Layer?
    }

    /// Takes a verdict into account. A verdict unlike the last one begins a new streak; `fall` or `rise`
    /// verdicts in a row change the condition. The first healthy verdict counts at once, since it cannot
    /// cause a bounce.
    ///
    /// Each step of joining a network is announced, and each announcement causes a check. The sick verdicts
    /// of these checks count as one: a check counts only if it began at least `apart` after the last one that
    /// counted. A fault in another layer begins a new streak. If the fault moves on again and again, as with a
    /// station that loses its network before it has an address, `fall * 4` moves suffice.
    /// - Parameter now: when the check began.
    mutating func take(
        _ conclusion: Verdict.Conclusion, in layer: Layer? = nil, at now: Instant, apart: Duration, fall: Int,
        rise: Int
    ) {
        let layer = conclusion == .sick ? layer : nil
        let goesOn = streak?.conclusion == conclusion && streak?.layer == layer
        if conclusion == .sick, goesOn, let sickAt, now - sickAt < apart { return }
        sickAt = conclusion == .sick ? now : nil
        if !goesOn, let last = streak {
            moves = conclusion == .sick && last.conclusion == .sick && last.count < fall ? moves + 1 : 0
        }
        let count = goesOn ? (streak?.count ?? 0) + 1 : 1
        streak = Streak(conclusion: conclusion, count: count, layer: layer)
        switch conclusion {
        case .healthy where condition != .healthy && (count >= rise || condition == .undetermined):
            (condition, sickSince) = (.healthy, nil)
        case .sick where condition != .sick && (count >= fall || moves >= fall * 4):
            (condition, sickSince) = (.sick, now)
        case .healthy, .sick, .unknown: break
        }
    }

    /// Sets the condition to healthy at once, after a bounce with a healthy verdict.
    mutating func recover() {
        (streak, moves) = (Streak(conclusion: .healthy, count: 1), 0)
        (sickAt, sickSince, condition) = (nil, nil, .healthy)
    }

    /// Whether enough checks in a row found the current fault, so that a bounce is justified.
    func isSick(fall: Int) -> Bool {
        guard condition == .sick, let streak, streak.conclusion == .sick else { return false }
        return streak.count >= fall || moves >= fall * 4
    }

    /// Whether to check again soon: the last verdicts contradict the condition, or show another fault.
    func isInDoubt(fall: Int) -> Bool {
        switch (streak?.conclusion, condition) {
        case (.sick, .undetermined), (.sick, .healthy), (.healthy, .sick): true
        case (.sick, .sick): !isSick(fall: fall)
        case (.healthy, .healthy), (.healthy, .undetermined), (.unknown, _), (nil, _): false
        }
    }
}
