import Model

/// A link that the kernel cannot set up again after a bounce, because its device fails. The device is reset
/// under a new guard, which can undo the reset. The old guard stays until the new one is ready.
extension Toggler {
    /// After this many refusals the device is reset.
    static let refusals = 3
    /// If a reset was refused, it is tried again after this many more refusals.
    private static let refusalsToSkip = 100

    /// Whether the device is to be reset, because the link cannot be set up.
    func callsForReset(_ bounce: Bounce, _ attempts: Bounce.Attempts, at now: Instant) -> Bool {
        let isRefused = attempts.refused >= Self.refusals && bounce.method == .bounce
        if !isRefused || bounce.isTerminating { return false }
        guard settings.methods.isEmpty else { return bounce.ladder.rest.contains(.reset) }
        return bounce.before.wireless?.role == .station && mayRestart(for: bounce.cause, at: now)
    }

    mutating func prepareReset(
        _ bounce: Bounce, _ attempts: consuming Bounce.Attempts, _ failure: Failure, _ effects: inout Effects
    ) {
        (attempts.lastFailure, attempts.refused, attempts.awaitsGuard) = (failure, 0, true)
        effects.report(.passedOver(bounce.method, .raising, failure, next: .reset))
        effects.emit(.armGuard(guardOrder(bounce, by: .reset)))
        effects.emit(.arm(.retry, at: effects.now + Self.guardsAllowance))
        enter(.raising(attempts), bounce)
    }

    mutating func reset(_ bounce: Bounce, _ effects: inout Effects) {
        effects.emit(.disarm(.retry))
        lower(bounce.goingOn(with: .reset, at: effects.now), &effects)
    }

    /// Goes on trying to set the link up, because the new guard could not be started.
    mutating func resetNotGuarded(
        _ bounce: Bounce, _ attempts: consuming Bounce.Attempts, _ failure: Failure, _ effects: inout Effects
    ) {
        attempts.awaitsGuard = false
        attempts.refused = -Self.refusalsToSkip
        effects.report(.passedOver(.reset, .guarding, failure, next: nil))
        effects.emit(.arm(.retry, at: effects.now + attempts.wait))
        enter(.raising(attempts), bounce)
    }

    /// Goes on trying to set the link up, because the device was not reset, or perhaps was.
    mutating func notReset(_ bounce: consuming Bounce, _ failure: Failure, _ effects: inout Effects) {
        effects.report(.passedOver(bounce.method, .lowering, failure, next: nil))
        if !failure.mayHaveBegun { bounce.goBack() }
        bounce.step = .raising(Bounce.Attempts(since: effects.now, refused: -Self.refusalsToSkip))
        raise(bounce, &effects)
    }
}
