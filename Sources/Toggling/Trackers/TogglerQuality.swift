/// What becomes of single probes: kept, shown, and reckoned with where silence calls for a bounce.
extension Toggler {
    /// The question to the kernel with which a check begins.
    func kernelState(for check: HealthCheck) -> Effect {
        if let duration = check.livenessWindow {
            return .kernelStateWithLiveness(check.number, heardWithin: duration)
        }
        if let cause = check.cause, sparesUsers(from: cause) { return .kernelStateWithLogins(check.number) }
        return check.scope == .full && qualityWindow.asksForPowerSave(settings)
            ? .kernelStateWithPowerSave(check.number) : .kernelState(check.number)
    }

    /// The health has taken this verdict into account.
    mutating func noteQuality(_ verdict: Verdict, _ check: HealthCheck, at now: Instant) {
        guard runMode == .watch, let kernelState = check.kernelState else { return }
        qualityWindow.take(
            check.outcomes(at: now), in: Network(kernelState), isSick: verdict.conclusion == .sick,
            isOutage: health.condition == .sick, settings: settings, at: now)
    }

    /// Sick verdicts in a row before the link counts as sick. Where probes are lost all the time, silence has to
    /// last longer than chance would make it.
    var fall: Int {
        guard lastVerdict?.reason.isSilence == true else { return settings.fall }
        return max(settings.fall, qualityWindow.streakBeyondChance(settings))
    }
}
