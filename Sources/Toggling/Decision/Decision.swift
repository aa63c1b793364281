import Model

/// The action that follows from a verdict.
indirect enum Decision {
    /// Bounce for this cause, by these methods.
    case bounce(BounceCause, KernelState, [Method])
    /// Only raise the link: an rfkill block, which is lifted now, has left it down.
    case raise(KernelState)
    /// End the cycle without a bounce, and report this action and verdict.
    case end(CycleReport.Action, Verdict)
    /// Query the kernel again: a bounce is due, but the kernel state is too old or lacks required details.
    case askOnceMore(BounceCause)
    /// Check again, because the kernel state no longer shows the fault.
    case checkAfresh
}

/// Decides whether to bounce, and if not, why. The first condition that applies decides (`decision`).
extension Toggler {
    /// The largest age that a kernel state may have when a bounce begins.
    private static let kernelStateLifetime: Duration = .milliseconds(100)
    /// How long a new connection may take to work: 8.9 s passed from the raise with the slowest owner.
    private static let joining: Duration = .seconds(10)
    /// For how long after a local disconnect the program checks whether the owner died. The service manager
    /// may restart the owner first: systemd does so five times, at once or a few seconds apart.
    static let ownersDeath: Duration = .seconds(300)

    /// Takes the verdict into account, decides, and carries out the decision.
    mutating func decide(_ verdict: Verdict, _ check: HealthCheck, _ effects: inout Effects) {
        let before = health.condition
        let forbidden = check.kernelState?.noBounceReason(under: settings)
        if check.scope == .full { take(verdict, check, &effects) }
        let decision = decision(verdict, check, forbidden, at: effects.now)
        if let last = check.escalation {
            if case .checkAfresh = decision, last.isBegun { return verify(last, &effects) }
            guard case .bounce(_, _, let methods) = decision else { return goOn(last, nil, &effects) }
            return goOn(last, last.escalated(by: methods), &effects)
        }
        if runMode != .probe, forbidden != nil {
            health = Health()
            qualityWindow.dropUndecided()
        }
        switch decision {
        case .end(let action, let told):
            let isDone = if case .skipped(.dryRun) = action { isUnconditional } else { false }
            let outcome = forbidden.map { RunOutcome.refused($0) } ?? RunOutcome(told.conclusion)
            end(action, told, before, isDone ? .healthy : outcome, &effects)
            if action == .none, let kernelState = check.kernelState {
                retryRestore(told, kernelState, &effects)
            }
        case .askOnceMore(let cause): begin(scope: .kernelOnly, cause: cause, &effects)
        case .checkAfresh: checkAfresh(&effects)
        case .raise(let kernelState): beginRaise(kernelState, &effects)
        case .bounce(let cause, let kernelState, let methods):
            beginBounce(cause, kernelState, methods, &effects)
        }
    }

    /// Decides, without side effects.
    /// - Parameter forbidden: why the state of the interface forbids a bounce; nil: it does not.
    private func decision(
        _ verdict: Verdict, _ check: HealthCheck, _ forbidden: NoBounceReason?, at now: Instant
    ) -> Decision {
        guard runMode != .probe, let kernelState = check.kernelState else { return .end(.none, verdict) }
        if let forbidden {
            guard forbidden == .administrativelyDown, let due = rfkillTracker.raiseDue, due <= now else {
                return .end(.refused(forbidden), verdict)
            }
            if let hold = kernelState.holdReason(at: now) { return .end(.held(hold), verdict) }
            return settings.isDryRun ? .end(.skipped(.dryRun([])), verdict) : .raise(kernelState)
        }
        guard let cause = check.cause ?? cause(verdict, check) else { return .end(.none, verdict) }
        let told = cause.verdict ?? verdict
        if let order = kernelState.orderToWait(at: now), !isRequested(cause) {
            return .end(.held(order), told)
        }
        let isRebootDue = check.escalation == nil && isRebootDue(for: cause, at: now)
        // The next method of a ladder does not wait again: the whole ladder counts as one bounce.
        if case .sick(let verdict) = cause, check.escalation == nil {
            let mayBeCured =
                verdict.callsForBounce(on: settings.bouncedLayers) || hasLostOwner(verdict, check, at: now)
            guard mayBeCured else { return .end(.skipped(.cannotHelp(verdict.layer)), told) }
            if let reason = reasonToWait(verdict, kernelState, backsOff: !isRebootDue, at: now) {
                return .end(.held(reason), told)
            }
        }
        let age = now - (check.kernelStateAt ?? check.begun)
        let needsMore =
            sparesUsers(from: cause) || livenessWindow(for: cause, at: now) != nil
            || asksOwner(about: cause) || isRebootDue
        if age > Self.kernelStateLifetime || needsMore && check.cause == nil { return .askOnceMore(cause) }
        // The owner's answer takes time, in which the station may have joined its network. Between two
        // methods of a ladder, a fault that has moved to another layer is no reason to check again.
        if asksOwner(about: cause), check.escalation == nil || kernelState.fault == nil,
            kernelState.fault?.layer ?? .dns != told.layer
        {
            return .checkAfresh
        }
        if sparesUsers(from: cause), let reason = kernelState.use { return .end(.held(reason), told) }
        if let window = check.livenessWindow,
            let liveness = kernelState.liveness(against: told, within: window)
        {
            var told = told
            told.evidence.append(.liveness(liveness))
            return .end(.held(.alive(liveness)), told)
        }
        var (due, known) = (cause, told)
        if asksOwner(about: cause) {
            known.evidence += kernelState.conditions
            if let condition = kernelState.ownerCondition, condition.kind == .toldToDisconnect {
                return .end(.held(.toldToDisconnect(condition.owner)), known)
            }
            due = .sick(known)
        }
        var methods = methods(for: due, kernelState, at: now)
        // With `auto`, the evidence may call for a method that was not tried yet.
        let isNothingLeft = isRebootDue && (settings.isDryRun || methods.allSatisfy(limiter.hasTried))
        let noReboot = isNothingLeft ? noRebootReason(kernelState, for: cause, at: now) : nil
        if isNothingLeft, noReboot == nil {
            methods = [.reboot]
        } else if isRebootDue, let delay = limiter.noBounceReason(at: now, settings) {
            return .end(.held(noReboot.map { .noReboot($0) } ?? delay), known)
        }
        guard !methods.isEmpty else {
            return .end(.held(limiter.noRestartReason(at: now) ?? .cannotHelp(told.layer)), known)
        }
        return settings.isDryRun
            ? .end(.skipped(.dryRun(methods)), known) : .bounce(due, kernelState, methods)
    }

    // MARK: Causes of a bounce

    /// Sick verdicts in a row before the link counts as sick.
    var fall: Int {
        guard let reason = lastVerdict?.reason else { return settings.fall }
        return settings.fall(for: reason, beyondChance: qualityWindow.streakBeyondChance(settings))
    }

    /// Whether every scheduled check leads to a bounce, whatever the verdict.
    var isUnconditional: Bool { runMode == .toggle || settings.isForced && runMode != .probe }

    /// The cause of a bounce; nil: there is none.
    private func cause(_ verdict: Verdict, _ check: HealthCheck) -> BounceCause? {
        // Checks between two ticks do not bounce: the plain timer keeps its schedule.
        if isUnconditional { return check.isUnscheduled ? nil : .unconditional }
        return verdict.conclusion == .sick && health.isSick(fall: fall) ? .sick(verdict) : nil
    }

    /// Whether the owner may have died. An owner that dies leaves the network as on a user's order; only its
    /// condition shows the difference. The condition is queried while the disconnection is recent, and only a
    /// restart follows. Likewise, systemd-resolved is queried about failed names until a restart was in vain.
    private func hasLostOwner(_ verdict: Verdict, _ check: HealthCheck, at now: Instant) -> Bool {
        let isAboutNames = verdict.failedLookup != nil
        guard isAboutNames || verdict.reason == .disconnectedLocally, settings.methods.isEmpty,
            let fault = lastCheck.fault, let kernelState = check.kernelState
        else { return false }
        if check.cause == nil, isAboutNames { return !limiter.state.inVain.contains(.restartOwner) }
        if check.cause == nil { return now - fault.since < Self.ownersDeath }
        return methods(for: .sick(verdict), kernelState, at: now).contains(.restartOwner)
    }

    // MARK: Reasons against a bounce

    /// Why the bounce of a sick link is postponed; nil: it is not.
    private func reasonToWait(
        _ verdict: Verdict, _ kernelState: KernelState, backsOff: Bool, at now: Instant
    ) -> NoBounceReason? {
        if verdict.layer == .association, let silence = lastNetwork?.awaitedCAC, now < silence.until {
            return .awaitingCAC(frequency: silence.frequency, until: silence.until)
        }
        // A one-shot has no grace, because its user chooses when to start it.
        let grace = runMode == .watch ? (appearedAt ?? .boot) + settings.grace : nil
        // A station that has just joined is still exchanging keys or getting an address.
        let connected = runMode == .watch ? kernelState.wireless?.association?.station.connected : nil
        let waits = [
            grace, lastNetwork?.joiningUntil, localDisconnect.joiningUntil,
            connected.map { now + (Self.joining - $0) },
        ]
        if let until = waits.compactMap(\.self).first(where: { now < $0 }) { return .early(until: until) }
        return backsOff ? limiter.noBounceReason(at: now, settings) : limiter.budgetSpent(at: now, settings)
    }

    /// Whether logins prevent the bounce. A user who requests a bounce knows who is logged in.
    func sparesUsers(from cause: BounceCause) -> Bool { !isRequested(cause) && !settings.bouncesInUse }

    /// How recently another host must have been heard for the link to count as alive in spite of `cause`:
    /// after the silence began, and within a limit. nil: liveness does not prevent this bounce.
    func livenessWindow(for cause: BounceCause, at now: Instant) -> Duration? {
        guard case .sick(let verdict) = cause, !verdict.contradictions.isEmpty, let fault = lastCheck.fault,
            fault.layer == verdict.layer
        else { return nil }
        return min(now - fault.since, Liveness.duration)
    }

    /// Whether a user requested exactly this bounce.
    func isRequested(_ cause: BounceCause) -> Bool { runMode == .toggle || cause.isUserRequest }
}

extension KernelState {
    /// Why the state of the interface forbids a bounce, whatever the verdict; nil: it does not.
    func noBounceReason(under settings: Settings) -> NoBounceReason? {
        if !settings.allowsAnyInterface {
            guard let wireless else { return .notWireless }
            guard wireless.role == .station else { return .notStation(wireless.role) }
        }
        if radio != .none { return .radioBlocked(radio) }
        return fault?.reason == .administrativelyDown ? .administrativelyDown : nil
    }
}
