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
        /// How often in a row the fault has moved to another layer before it had lasted for `fall` verdicts.
        var moves = 0

        func isEnough(_ fall: Int) -> Bool { count >= fall || moves >= fall * 4 }
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
        let last = streak?.conclusion == conclusion ? streak : nil
        let goesOn = last != nil && last?.layer == layer
        if conclusion == .sick, goesOn, let sickAt, now - sickAt < apart { return }
        sickAt = conclusion == .sick ? now : nil
        let next = Streak(
            conclusion: conclusion, count: (goesOn ? last?.count ?? 0 : 0) + 1, layer: layer,
            moves: last.map { goesOn ? $0.moves : $0.count < fall ? $0.moves + 1 : 0 } ?? 0)
        streak = next
        switch conclusion {
        case .healthy where condition != .healthy && (next.count >= rise || condition == .undetermined):
            (condition, sickSince) = (.healthy, nil)
        case .sick where condition != .sick && next.isEnough(fall): (condition, sickSince) = (.sick, now)
        case .healthy, .sick, .unknown: break
        }
    }

    /// Sets the condition to healthy at once, after a bounce with a healthy verdict.
    mutating func recover() {
        self = Health()
        (streak, condition) = (Streak(conclusion: .healthy, count: 1), .healthy)
    }

    /// Whether enough checks in a row found the current fault, so that a bounce is justified.
    func isSick(fall: Int) -> Bool {
        condition == .sick && streak?.conclusion == .sick && streak?.isEnough(fall) == true
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
