import Model

/// A link that the kernel refuses to set up again after a bounce: the firmware of the device may hang. The
/// device is reset under a new guard, which can undo the reset. The old guard stays until the new one is
/// ready.
extension Toggler {
    /// After this many refusals the device is reset.
    static let refusals = 3

    /// Whether the device is to be reset, because the link cannot be set up.
    func callsForReset(
        _ bounce: Bounce, _ attempts: Bounce.Attempts, _ failure: Failure, at now: Instant
    ) -> Bool {
        // The kernel has answered with an error of the driver. A hanging kernel would not reset the device.
        let isDrivers = failure.kind == .other || failure.kind == .busy
        guard isDrivers, attempts.failed == Self.refusals, bounce.isWhole, bounce.method == .bounce,
            bounce.isGuarded, !bounce.isTerminating, !bounce.ladder.tried.contains(.reset)
        else { return false }
        guard settings.methods.isEmpty else { return bounce.ladder.rest.contains(.reset) }
        return bounce.before.wireless?.role == .station && !limiter.state.inVain.contains(.reset)
            && (isRequested(bounce.cause) || limiter.noRestartReason(at: now) == nil)
    }

    mutating func prepareReset(
        _ bounce: Bounce, _ attempts: consuming Bounce.Attempts, _ failure: Failure, _ effects: inout Effects
    ) {
        attempts.lastFailure = failure
        attempts.awaitsGuard = true
        effects.report(.passedOver(bounce.method, .raising, failure, next: .reset))
        effects.emit(.armGuard(guardOrder(bounce, by: .reset)))
        effects.emit(.arm(.retry, at: effects.now + Self.guardsAllowance))
        enter(.raising(attempts), bounce)
    }

    mutating func reset(_ bounce: Bounce, _ effects: inout Effects) {
        effects.emit(.disarm(.retry))
        limit(&effects) { limiter, now, _ in limiter.spendRestart(at: now) }
        lower(bounce.goingOn(with: .reset, at: effects.now), &effects)
    }

    /// Goes on trying to set the link up, because the new guard could not be started.
    mutating func resetNotGuarded(
        _ bounce: Bounce, _ attempts: consuming Bounce.Attempts, _ failure: Failure, _ effects: inout Effects
    ) {
        attempts.awaitsGuard = false
        effects.report(.passedOver(.reset, .guarding, failure, next: nil))
        effects.emit(.arm(.retry, at: effects.now + attempts.wait))
        enter(.raising(attempts), bounce)
    }
}
