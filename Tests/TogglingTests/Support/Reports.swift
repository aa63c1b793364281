@testable import Model
@testable import Toggling

/// What a toggler has reported in a virtual world, and what it has saved for later runs.
struct Reports {
    private(set) var cycles: [CycleReport] = []
    private(set) var steps: [Report.Step] = []
    private(set) var remembered: [KnownTargets] = []
    /// The limiter's states that were saved, and when, since the call of `start`.
    private(set) var kept: [(at: Duration, limiter: BounceLimiter.Saved)] = []
    /// How the run ended; nil: it has not ended.
    private(set) var outcome: RunOutcome?

    mutating func note(_ effect: Effect, at now: Duration) {
        switch effect {
        case .report(.cycle(let cycle)): cycles.append(cycle)
        case .report(.step(let step)): steps.append(step)
        case .remember(let knownTargets): remembered.append(knownTargets)
        case .rememberBounces(let limiter): kept.append((now, limiter))
        case .finish(let outcome): self.outcome = outcome
        default: break
        }
    }
}
