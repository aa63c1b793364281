import Model

/// A link that the kernel cannot set up again after a bounce, because its device fails. The device is reset
/// under a new guard; the old guard stays until the new one is ready. At last the machine is rebooted.
extension Toggler {
    /// After this many refusals the device is reset.
    static let refusals = 3
    /// If a reset was refused, it is tried again after this many more refusals.
    private static let refusalsToSkip = 100

    /// Whether the device is to be reset, because the link cannot be set up.
    func callsForReset(_ bounce: Bounce, _ attempts: Bounce.Attempts, at now: Instant) -> Bool {
        let isRefused = attempts.refused >= Self.refusals && bounce.method == .bounce
        if !isRefused || bounce.isTerminating || attempts.isRebooting { return false }
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

    /// Goes on trying to set the link up, because the device was not reset, or perhaps was.
    mutating func notReset(
        _ bounce: consuming Bounce, _ step: BounceStep, _ failure: Failure, _ effects: inout Effects
    ) {
        var attempts = bounce.attempts ?? Bounce.Attempts(since: effects.now)
        (attempts.awaitsGuard, attempts.refused) = (false, -Self.refusalsToSkip)
        effects.report(.passedOver(.reset, step, failure, next: nil))
        guard step == .lowering else {
            effects.emit(.arm(.retry, at: effects.now + attempts.wait))
            return enter(.raising(attempts), bounce)
        }
        if !failure.mayHaveBegun { bounce.goBack() }
        bounce.step = .raising(attempts)
        raise(bounce, &effects)
    }

    /// Reboots the machine if that is due and allowed. Until it goes down, the attempts go on.
    mutating func rebootIfDue(
        _ bounce: Bounce, _ attempts: consuming Bounce.Attempts, _ kernelState: KernelState,
        _ effects: inout Effects
    ) {
        let now = effects.now
        if isRebootDue(bounce, attempts, at: now), !kernelState.link.isUp, kernelState.radio == .none {
            let reason = rebootObstacle(kernelState, for: bounce.cause, at: now)
            if let reason, !reason.isLike(attempts.obstacle) { effects.report(.notRecovered(nil, reason)) }
            (attempts.obstacle, attempts.isRebooting) = (reason, reason == nil)
            if reason == nil {
                effects.report(.beginning(.reboot, bounce.cause.verdict))
                effects.emit(.perform(.reboot))
            }
        }
        enter(.raising(attempts), bounce)
    }

    mutating func notRebooted(
        _ bounce: Bounce, _ attempts: consuming Bounce.Attempts, _ failure: Failure, _ effects: inout Effects
    ) {
        attempts.isRebooting = false
        effects.report(.passedOver(.reboot, .performing, failure, next: nil))
        enter(.raising(attempts), bounce)
    }
}
