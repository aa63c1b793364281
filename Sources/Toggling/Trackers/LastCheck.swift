import Model

/// What the last check found.
struct LastCheck: Hashable, Sendable {
    /// nil: there was no check.
    private(set) var verdict: Verdict?
    private(set) var endedAt: Instant?
    /// The current fault; nil: there is none.
    var fault: FaultStreak?
    var counterSample: CounterSample?

    /// - Parameter begun: when the check of this verdict began.
    mutating func take(_ verdict: Verdict, begun: Instant, at now: Instant) {
        (self.verdict, endedAt) = (verdict, now)
        let layer = verdict.conclusion == .sick ? verdict.layer : nil
        if layer != fault?.layer { fault = layer.map { FaultStreak(layer: $0, since: begun) } }
    }
}

/// The current fault, which every check since an instant has found.
struct FaultStreak: Hashable, Sendable {
    let layer: Layer
    /// When the first check that found the fault began. A host heard later is heard in spite of the fault.
    let since: Instant
}
