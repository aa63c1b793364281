import Model

/// The health of a link: verdicts smoothed by fall and rise.
public struct Health: Hashable, Sendable {
    public typealias Condition = HealthChange.Condition

    public private(set) var condition: Condition = .undetermined
    /// The latest equal verdicts in a row.
    private(set) var streak: Streak?
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
    /// counted. A fault in another layer begins a new streak.
    /// - Parameter now: when the check began.
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
            (condition, sickSince) = (.healthy, nil)
        case .sick where condition != .sick && count >= fall: (condition, sickSince) = (.sick, now)
        case .healthy, .sick, .unknown: break
        }
    }

    /// Forgets all verdicts: the interface disappeared or has another master, or a bounce is forbidden.
    mutating func forget() { self = Health() }

    /// Sets the condition to healthy at once, after a bounce with a healthy verdict.
    mutating func recover() {
        streak = Streak(conclusion: .healthy, count: 1)
        (sickAt, sickSince, condition) = (nil, nil, .healthy)
    }

    /// Whether enough checks in a row found the current fault, so that a bounce is justified.
    func isSick(fall: Int) -> Bool {
        condition == .sick && streak?.conclusion == .sick && streak?.count ?? 0 >= fall
    }

    /// Whether to check again soon: the last verdicts contradict the condition, or show another fault.
    func isInDoubt(fall: Int) -> Bool {
        guard let streak else { return false }
        switch (streak.conclusion, condition) {
        case (.sick, .undetermined), (.sick, .healthy), (.healthy, .sick): return true
        case (.sick, .sick): return streak.count < fall
        case (.healthy, .healthy), (.healthy, .undetermined), (.unknown, _): return false
        }
    }
}
