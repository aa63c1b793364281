import Model

/// The bounce: snapshot, guard, lower, keep down, raise, await the operational state, restore, verify.
extension Toggler {
    /// The time between two queries of a link that should come back, if no event arrives.
    private static let checkAgain: Duration = .seconds(1)
    /// The delay from an announced change to the next check: announcements come in bursts.
    static let verifySpacing: Duration = .milliseconds(100)
    /// The time between two attempts to restore what is missing.
    static let compareSpacing: Duration = .milliseconds(500)
    /// The slowest network manager or DHCP client that was measured had its routes back 8.9 s after the
    /// raise.
    private static let ownersAllowance: Duration = .seconds(10)
    /// How long a one-shot tries to raise the link, if the settle time is shorter.
    private static let raisingAllowance: Duration = .seconds(10)

    // MARK: Steps that ended

    mutating func bounceStepFinished(_ event: Event, _ effects: inout EffectBuffer) {
        guard case .bouncing(let bounce) = state else { return }
        switch (bounce.step, event) {
        case (.preparing, .snapshotTaken(let snapshot)): prepared(bounce, snapshot, &effects)
        case (.preparing, .snapshotFailed(let failure)): giveUp(bounce, .snapshot, failure, &effects)
        case (.performing, .performed): performed(bounce, &effects)
        case (.performing, .performingFailed(let failure)): notPerformed(bounce, failure, &effects)
        case (.arming, .guardArmed): lower(bounce, &effects)
        case (.arming, .guardFailed(let failure)): giveUp(bounce, .guarding, failure, &effects)
        case (.lowering, .linkLowered): hold(bounce, &effects)
        case (.lowering, .linkLoweringFailed(let failure)): notLowered(bounce, failure, &effects)
        case (.raising, .linkRaised): raised(bounce, &effects)
        case (.raising, .linkRaisingFailed(let failure)): notRaised(bounce, failure, &effects)
        case (.awaitingOwner(compareAt: nil), .restored(let comparison)):
            ownerCompared(bounce, comparison, &effects)
        case (.restoring, .restored(let restoration)): restored(bounce, restoration, &effects)
        case (.comparing, .restored(let restoration)): compared(bounce, restoration, &effects)
        default: break  // the answer to a step that was abandoned
        }
    }

    mutating func reached(_ deadline: Deadline, _ bounce: Bounce, _ effects: inout EffectBuffer) {
        switch (bounce.step, deadline) {
        case (.verifying, .probes): checkTimedOut(&effects)
        case (.scanning, .retry): directedScanDone(isHeard: false, &effects)
        case (.keepingDown, .keepDown): raise(bounce, &effects)
        case (.raising(isInFlight: false), .retry): raise(bounce, &effects)
        case (.awaitingLink, .retry): ask(within: bounce, &effects)
        case (.awaitingLink, .settle): putBack(bounce, &effects)
        case (.awaitingOwner, .retry): compareOwner(bounce, &effects)
        case (.comparing, .retry): compareAgain(bounce, &effects)
        case (.pausing, .retry), (.pausing, .settle): verify(bounce, &effects)
        default: break  // a deadline of a step that has ended
        }
    }

    // MARK: Down

    mutating func arm(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        let order = GuardOrder(
            macAddress: bounce.before.link.identity, snapshot: bounce.snapshot,
            hold: bounce.hold(under: settings),
            settle: settings.settle, restores: settings.restores, method: bounce.method)
        effects.emit(.armGuard(order))
        var bounce = bounce
        bounce.isGuarded = true
        enter(.arming, bounce)
    }

    private mutating func lower(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        // Saved before the link is lowered, so that the bounce counts even if this process dies.
        let bounce = spent(bounce, &effects)
        forgetBaseline(&effects)
        effects.emit(.lowerLink(bounce.method))
        enter(.lowering, bounce)
    }

    private mutating func hold(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        var bounce = bounce
        bounce.loweredAt = effects.now
        if runMode == .watch { localDisconnect.bounced() }
        effects.emit(.tellGuard(.lowered))
        let delay = bounce.hold(under: settings)
        effects.emit(.report(.step(.lowered(hold: delay))))
        let isOver = bounce.isTerminating || bounce.isGuardLost || delay == .zero
        if isOver { return raise(bounce, &effects) }
        effects.emit(.arm(.keepDown, at: effects.now + delay))
        enter(.keepingDown, bounce)
    }

    private mutating func notLowered(_ bounce: Bounce, _ failure: Failure, _ effects: inout EffectBuffer) {
        switch failure.kind {
        case .noSuchDevice: vanish(&effects)
        case .notPermitted, .unavailable: giveUp(bounce, .lowering, failure, &effects)
        case .radioBlocked, .busy, .cannotWrite, .timedOut, .lost, .other:
            // The link may be down in spite of the error. Raising a link that is up does no harm.
            var bounce = bounce
            bounce.loweringFailure = failure
            raise(bounce, &effects)
        }
    }

    // MARK: Up

    mutating func raise(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        var bounce = bounce
        bounce.raisingSince = bounce.raisingSince ?? effects.now
        effects.emit(.disarm(.keepDown))
        effects.emit(.raiseLink(bounce.method))
        enter(.raising(isInFlight: true), bounce)
    }

    private mutating func raised(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        var bounce = bounce
        bounce.raisedAt = effects.now
        effects.emit(.disarm(.retry))
        if bounce.isWhole {
            effects.emit(.tellGuard(.raised))
            effects.emit(.report(.step(.raised(downFor: effects.now - (bounce.loweredAt ?? effects.now)))))
        }
        settle(bounce, &effects)
    }

    /// From now on the link should come back by itself.
    mutating func settle(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        var bounce = bounce
        bounce.settleUntil = settleEnd(at: effects.now)
        if bounce.isTerminating || settings.settle == .zero || bounce.loweringFailure != nil {
            return putBack(bounce, &effects)
        }
        effects.emit(.arm(.settle, at: bounce.settleUntil ?? effects.now))
        bounce.step = .awaitingLink
        ask(within: bounce, &effects)
    }

    /// The plain timer keeps its schedule: the settle time ends at the next tick.
    private func settleEnd(at now: Instant) -> Instant {
        let end = now + settings.settle
        return runMode == .watch && settings.isForced ? min(end, nextTick(now).at) : end
    }

    private mutating func notRaised(_ bounce: Bounce, _ failure: Failure, _ effects: inout EffectBuffer) {
        if failure.kind == .noSuchDevice { return vanish(&effects) }
        if !bounce.isWhole { return giveUp(bounce, .raising, failure, &effects) }
        var bounce = bounce
        bounce.failedRaises += 1
        let retryAt = givesUpRaising(bounce, at: effects.now) ? nil : effects.now + bounce.retryWait
        if bounce.lastRaiseFailure != failure || retryAt == nil {
            effects.emit(.report(.step(.raiseFailed(failure, retryAt: retryAt))))
        }
        bounce.lastRaiseFailure = failure
        guard let retryAt else { return leaveDown(bounce, failure, &effects) }
        effects.emit(.arm(.retry, at: retryAt))
        enter(.raising(isInFlight: false), bounce)
    }

    /// The service never stops raising a link that it lowered. A one-shot, or a program that is told to end,
    /// has to.
    private func givesUpRaising(_ bounce: Bounce, at now: Instant) -> Bool {
        if bounce.isTerminating { return bounce.failedRaises > 1 }
        let allowance = max(settings.settle, Self.raisingAllowance)
        return runMode != .watch && now - (bounce.raisingSince ?? now) >= allowance
    }

    /// The guard stays and continues to raise the link after this process has ended. Its intent record is for
    /// `repair` or the next start.
    private mutating func leaveDown(_ bounce: Bounce, _ failure: Failure, _ effects: inout EffectBuffer) {
        disarmAll(&effects)
        let isBlocked = failure.kind == .radioBlocked
        finish(isBlocked ? .refused(.radioBlocked(.soft)) : .failed(.raising, failure), &effects)
    }

    // MARK: Restoring

    /// Asks the kernel whether an event, or a missing event, shows the true state of the link.
    mutating func ask(within bounce: Bounce, _ effects: inout EffectBuffer) {
        var bounce = bounce
        if bounce.pendingQuery == nil {
            let number = nextCheckNumber()
            bounce.pendingQuery = number
            effects.emit(.kernelState(number))
        }
        if bounce.step == .awaitingLink { effects.emit(.arm(.retry, at: effects.now + Self.checkAgain)) }
        enter(.bouncing(bounce))
    }

    mutating func kernelStateReadWithin(
        _ bounce: Bounce, _ kernelState: KernelState, _ effects: inout EffectBuffer
    ) {
        var bounce = bounce
        note(kernelState, at: effects.now)
        if bounce.step == .keepingDown {
            guard kernelState.link.isUp else { return enter(.bouncing(bounce)) }
            effects.emit(.report(.step(.raisedByOther)))
            return raise(bounce, &effects)
        }
        if let fault = kernelState.fault, fault.reason == .administrativelyDown {
            bounce.verdict = Verdict(.sick, layer: fault.layer, reason: fault.reason)
            return loweredByOther(bounce, &effects)
        }
        guard kernelState.link.isOperational else { return enter(.bouncing(bounce)) }
        if !bounce.isWhole, pendingRestore?.isElsewhere(kernelState) == true {
            bounce.dropPendingRestore()
        }
        // Only once, even if the link was lost again while the address owner was awaited.
        if bounce.ownerUntil == nil {
            effects.emit(.report(.step(.operational(after: effects.now - (bounce.raisedAt ?? effects.now)))))
            resolveNeighbours(bounce, &effects)
        }
        awaitOwner(bounce, &effects)
    }

    mutating func putBack(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        effects.emit(.disarm(.retry))
        effects.emit(.restore(bounce.snapshot, puttingBack: settings.restores))
        enter(.restoring, bounce)
    }

    private mutating func restored(
        _ bounce: Bounce, _ restoration: Restoration, _ effects: inout EffectBuffer
    ) {
        if let sequel = bounce.sequel { return restoredLate(bounce, sequel, restoration, &effects) }
        var bounce = bounce
        bounce.restoration = restoration
        if bounce.isTerminating {
            letGo(&effects)
            return finish(.interrupted, &effects)
        }
        if let failure = bounce.loweringFailure { return giveUp(bounce, .lowering, failure, &effects) }
        if settings.settle != .zero { return verify(bounce, &effects) }
        // The interface itself may have disappeared; then nothing else is worth reporting. The error depends
        // on the restored item: for a route through a gateway it is that the gateway is unreachable
        // (ENETUNREACH).
        let mayBeGone = !restoration.refused.isEmpty
        mayBeGone ? verify(bounce, scope: .kernelOnly, &effects) : methodEnded(bounce, &effects)
    }

    // MARK: Verification

    private mutating func verify(
        _ bounce: Bounce, scope: HealthCheck.Scope = .full, _ effects: inout EffectBuffer
    ) {
        effects.emit(.disarm(.retry))
        enter(.verifying(makeCheck(scope: scope, &effects)), bounce)
    }

    mutating func verifySoon(_ bounce: Bounce, planned: Instant, _ effects: inout EffectBuffer) {
        let soon = effects.now + Self.verifySpacing
        if soon < planned { pause(bounce, until: soon, &effects) }
    }

    mutating func verified(_ verdict: Verdict, _ bounce: Bounce, _ effects: inout EffectBuffer) {
        var bounce = bounce
        bounce.judge(verdict, at: effects.now)
        if verdict.reason == .administrativelyDown { return loweredByOther(bounce, &effects) }
        let isGood = verdict.conclusion == .healthy || verdict.reason == .noGateway && bounce.hadNoGateway
        let isOver = bounce.settleUntil.map { effects.now >= $0 } ?? true
        if isGood || isOver {
            effects.emit(.disarm(.settle))
            return compare(bounce, &effects)
        }
        pause(bounce, until: effects.now + Self.checkAgain, &effects)
    }

    /// A user or another program set the link down: there is nothing to wait for, and nothing can be
    /// restored.
    private mutating func loweredByOther(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        effects.emit(.report(.step(.loweredByOther)))
        letGo(&effects)
        endBounce(bounce, &effects)
    }

    private mutating func pause(_ bounce: Bounce, until verifyAt: Instant, _ effects: inout EffectBuffer) {
        effects.emit(.arm(.retry, at: verifyAt))
        enter(.pausing(until: verifyAt), bounce)
    }

    /// The owner may have restored by now what was missing right after the raise, and the kernel may accept
    /// now what it refused then.
    private mutating func compare(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        bounce.isIncomplete ? compareAgain(bounce, &effects) : methodEnded(bounce, &effects)
    }

    private mutating func compareAgain(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        effects.emit(
            .restore(bounce.snapshot.rest(after: bounce.restoration), puttingBack: settings.restores))
        enter(.comparing, bounce)
    }

    private mutating func compared(_ bounce: Bounce, _ next: Restoration, _ effects: inout EffectBuffer) {
        var bounce = bounce
        bounce.restoration.add(next)
        let again = effects.now + Self.compareSpacing
        guard bounce.isIncomplete, let end = comparingEnd(bounce), again < end else {
            return methodEnded(bounce, &effects)
        }
        effects.emit(.arm(.retry, at: again))
        enter(.comparing, bounce)
    }

    /// How long to wait for missing items. What the kernel refused is retried until the settle time ends,
    /// since duplicate address detection or a missing carrier may still prevent it. What the owner has to
    /// restore is awaited no longer than owners need.
    private func comparingEnd(_ bounce: Bounce) -> Instant? {
        guard let raisedAt = bounce.raisedAt, let settleUntil = bounce.settleUntil else { return nil }
        if !bounce.restoration.refused.isEmpty { return settleUntil }
        return min(settleUntil, raisedAt + Self.ownersAllowance)
    }

    // MARK: The end

    /// Ends everything that the bounce has started.
    mutating func release(_ effects: inout EffectBuffer) {
        dismissGuard(&effects)
        effects.emit(.disarm(.retry))
        effects.emit(.disarm(.settle))
    }

    mutating func endBounce(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        release(&effects)
        if bounce.methods.isEmpty { return endFruitless(bounce, &effects) }
        oweRestore(bounce, at: effects.now)
        let before = health.condition
        let verdict = bounce.verdict ?? bounce.ladder.verdict ?? Verdict(.unknown, reason: .notVerified)
        if verdict.conclusion == .healthy { health.recover() }
        if let cause = bounce.cause {
            let settings = settings
            limit(&effects) {
                $0.judge(verdict, cause: cause, in: Network(bounce.before), settings: settings)
            }
        }
        let summary = BounceSummary(
            down: bounce.down,
            recovery: verdict.conclusion == .healthy ? bounce.recovery(at: effects.now) : nil,
            restoration: bounce.losses, methods: bounce.methods)
        let action: CycleReport.Action = bounce.isWhole ? .bounced(summary) : .raised(summary)
        end(action, verdict, before, outcome(of: bounce, verdict), &effects)
    }

    private func outcome(of bounce: Bounce, _ verdict: Verdict) -> RunOutcome {
        if !bounce.losses.refused.isEmpty { return .sick }
        let wasAskedFor = bounce.cause == nil
        switch verdict.reason {
        case .notVerified where wasAskedFor: return .healthy
        case .noGateway where wasAskedFor && bounce.hadNoGateway: return .healthy
        case .administrativelyDown: return .refused(.administrativelyDown)
        default: return RunOutcome(verdict.conclusion)
        }
    }

    /// A method was not carried out; the link is up.
    mutating func giveUp(
        _ bounce: Bounce, _ step: BounceStep, _ failure: Failure, _ effects: inout EffectBuffer
    ) {
        if failure.kind == .noSuchDevice { return vanish(&effects) }
        letGo(&effects)
        if bounce.isTerminating { return finish(.interrupted, &effects) }
        goOn(after: bounce.failed(step, failure), &effects)
    }

    /// No method could be carried out.
    mutating func endFruitless(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        guard let methodFailure = bounce.methodFailure ?? bounce.ladder.methodFailure else {
            return checkAfresh(&effects)
        }
        let (step, failure) = (methodFailure.step, methodFailure.failure)
        let verdict = bounce.cause ?? Verdict(.unknown, reason: .notVerified)
        end(.failed(step, failure), verdict, health.condition, .failed(step, failure), &effects)
    }

    /// Told to end while the link may be down because of us: first raise it and restore what it lost.
    mutating func terminate(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        guard !bounce.isTerminating else { return }
        var bounce = bounce
        bounce.isTerminating = true
        effects.emit(.report(.step(.finishing)))
        switch bounce.step {
        case .keepingDown, .raising(isInFlight: false): raise(bounce, &effects)
        case .awaitingLink, .awaitingOwner(compareAt: _?): putBack(bounce, &effects)
        // The step in flight is answered first.
        case .lowering, .raising, .awaitingOwner, .restoring: enter(.bouncing(bounce))
        case .preparing, .scanning, .performing, .arming, .verifying, .pausing, .comparing: break
        }
    }
}
