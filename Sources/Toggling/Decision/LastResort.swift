import Model

/// `Method.reboot`: tried, outside of the ladder, when all else has failed and the outage has lasted long.
extension Toggler {
    /// Whether the outage has lasted long enough, and all other methods that the user named, and with `auto`
    /// the bounce, were tried and failed. If so, the back-off no longer delays the reboot, but all other
    /// reasons do, and with `auto` also a method that the evidence calls for and that was not tried yet.
    func isRebootDue(for cause: BounceCause, at now: Instant) -> Bool {
        guard isLastResortDue(since: health.sickSince, at: now),
            cause.verdict?.callsForBounce(on: settings.bouncedLayers) == true
        else { return false }
        // In a dry run no method is tried, so none has failed.
        if settings.isDryRun { return true }
        let others = settings.namedMethods + (settings.methods.isEmpty ? [.bounce] : [])
        return others.allSatisfy { $0 == .reboot || limiter.hasTried($0) }
    }

    /// The same for an interface that its device lost long enough ago: a reset since then was in vain, or no
    /// more resets are allowed today. Other methods need an interface.
    func isRebootDue(_ absence: Absence, at now: Instant) -> Bool {
        guard settings.settle > .zero, absence.isLostByDevice, let since = lastCheck.fault?.since,
            isLastResortDue(since: since, at: now)
        else { return false }
        return limiter.noRestartReason(at: now) != nil || limiter.state.restarts.contains { $0 >= since }
    }

    /// The same for a link that its device has refused to raise long enough, even after a reset if possible.
    func isRebootDue(_ bounce: Bounce, _ attempts: Bounce.Attempts, at now: Instant) -> Bool {
        let isReady = !bounce.isTerminating && !attempts.isRebooting && !attempts.awaitsGuard
        return isReady && bounce.cause.verdict != nil && [.bounce, .reset].contains(bounce.method)
            && settings.settle > .zero && !settings.isDryRun && !settings.isForced
            && isLastResortDue(since: attempts.refusedSince, at: now)
    }

    /// While the machine slept, no method could help, so the time counts from the resume.
    private func isLastResortDue(since begun: Instant?, at now: Instant) -> Bool {
        guard runMode == .watch, settings.mayReboot, let begun else { return false }
        return now - max(begun, resumedAt ?? begun) >= settings.rebootAfter
    }

    /// Why a reboot that is due for a lost interface, or a link that cannot be raised, is not carried out.
    func rebootObstacle(
        _ kernelState: KernelState, for cause: BounceCause, at now: Instant
    ) -> NoBounceReason? {
        kernelState.orderToWait(at: now) ?? limiter.budgetSpent(at: now, settings)
            ?? noRebootReason(kernelState, for: cause, at: now).map { .noReboot($0) }
    }

    /// Why a reboot that is due is not carried out; nil: it is carried out.
    func noRebootReason(
        _ kernelState: KernelState, for cause: BounceCause, at now: Instant
    ) -> NoRebootReason? {
        guard let state = kernelState.rebootState else { return .unknownRoutes }
        guard state.isRecordable else { return .unrecordable }
        if let name = state.otherUplink { return .uplink(name) }
        // Without addresses, only the SSID identifies the network; without an association, the last SSID.
        let ssid = kernelState.wireless?.association?.ssid ?? lastNetwork?.ssid
        guard knownTargets.hasAnswer(in: ssid) else { return .neverWorked }
        if let until = state.limitEnd(at: now) { return .limit(until: until) }
        if let failedAt = state.failedAt, now - failedAt < settings.rebootAfter {
            return .failed(until: failedAt + settings.rebootAfter)
        }
        return sparesUsers(from: cause) ? state.user.map { .login($0) } : nil
    }
}
