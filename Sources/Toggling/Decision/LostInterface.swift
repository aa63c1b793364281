import Model

/// What to do after the answer to a query about an absent interface, which may be back meanwhile.
indirect enum AbsenceDecision {
    /// The interface exists.
    case appear(Link)
    /// Reset the device, or reboot the machine. The kernel state is the last one of the interface.
    case recover(Method, KernelState)
    /// Wait; `because` tells what prevents the reset or the reboot, if the device has lost its interface.
    case askAgain(at: Instant, isLostByDevice: Bool, because: NoBounceReason? = nil)
}

/// Decides whether to reset a device that has lost its interface, although nobody unplugged it.
extension Toggler {
    /// The least time between two queries. The service resets a device only if two queries in a row find its
    /// interface lost, so that a driver that restarts, or a device just plugged in, is not interrupted.
    static let absenceSpacing: Duration = .seconds(15)

    /// Whether a lost interface is brought back: in the service only with `auto` and without `--force`, and
    /// only if there was a verdict and the last one did not find the link set down or blocked; in a toggle,
    /// if its user names the method `reset` alone; never in a dry run.
    var seeksInterface: Bool {
        if settings.isDryRun { return false }
        if runMode == .toggle { return settings.methods == [.reset] }
        return settings.methods.isEmpty && !settings.isForced
            && lastVerdict.map { $0.layer != .radio } ?? false
    }

    /// - Parameter answer: the state of the interface; if its device has lost it, its last state; nil: there is none.
    func absenceDecision(on answer: KernelState?, _ absence: Absence, at now: Instant) -> AbsenceDecision {
        let later = now + max(settings.interval, Self.absenceSpacing)
        guard let answer else { return .askAgain(at: later, isLostByDevice: false) }
        // The interface has come back, and was announced during a bounce that failed.
        guard answer.radioCondition?.isLoss == true else { return .appear(answer.link) }
        guard seeksInterface, answer.noBounceReason(under: settings) == nil else {
            return .askAgain(at: later, isLostByDevice: false)
        }
        var noReboot: NoBounceReason?
        if isRebootDue(absence, at: now) {
            noReboot = rebootObstacle(answer, for: .sick(answer.lossVerdict), at: now)
            if noReboot == nil { return .recover(.reboot, answer) }
        }
        let reason =
            answer.orderToWait(at: now) ?? limiter.noRestartReason(at: now)
            ?? limiter.noBounceReason(at: now, settings)
        // A toggle is an order: it does not wait.
        if runMode == .toggle || absence.isLostByDevice && reason == nil { return .recover(.reset, answer) }
        // A hold may be released before its end.
        let end = reason.map { $0.end?.at ?? later } ?? now
        return .askAgain(
            at: max(now + Self.absenceSpacing, min(later, end)), isLostByDevice: true,
            because: noReboot ?? reason)
    }
}
