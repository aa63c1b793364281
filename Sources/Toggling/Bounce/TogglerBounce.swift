import Model

/// The bounce: snapshot, guard, lower, keep down, raise, await the operational state, restore, verify.
extension Toggler {
    /// The time between two queries of a link that should come back, if no announcement arrives.
    private static let checkAgain: Duration = .seconds(1)
    /// The delay from an announced change to the next check or comparison, because announcements come in bursts.
    static let verifySpacing: Duration = .milliseconds(100)
    /// The time between two attempts to restore what is missing.
    static let compareSpacing: Duration = .milliseconds(500)
    /// How long the guard may take to start: it waits for work of other interfaces, which may hang.
    static let guardsAllowance: Duration = .seconds(10)
    /// If the guard starts later than this, the verdict that the link is sick is too old.
    private static let promptGuard: Duration = .seconds(3)
    /// How long owners need to restore the link: the gateway answered at most 8.9 s after the raise.
    private static let ownersAllowance: Duration = .seconds(10)
    /// The least time for which a one-shot keeps trying to raise the link.
    private static let raisingAllowance: Duration = .seconds(10)

    // MARK: Down

    mutating func arm(_ bounce: consuming Bounce, _ effects: inout Effects) {
        effects.emit(.armGuard(guardOrder(bounce, by: bounce.method)))
        effects.emit(.arm(.retry, at: effects.now + Self.guardsAllowance))
        bounce.guardedSince = effects.now
        enter(.arming, bounce)
    }

    func guardOrder(_ bounce: Bounce, by method: Method) -> GuardOrder {
        GuardOrder(
            macAddress: bounce.before.link.identity, snapshot: bounce.snapshot,
            downTime: bounce.downTime(under: settings), settle: settings.settle, restores: settings.restores,
            method: method)
    }

    /// Lowers the link, unless the link may have recovered while the guard started. A user's request does not
    /// age, nor does the absence of an interface, and a ladder that has acted goes on.
    mutating func guardArmed(_ bounce: Bounce, _ effects: inout Effects) {
        effects.emit(.disarm(.retry))
        let isLate = bounce.guardedSince.map { effects.now - $0 > Self.promptGuard } ?? false
        if isLate, bounce.cause.verdict != nil, !bounce.isBegun, !bounce.seeksInterface {
            return checkAfresh(&effects)
        }
        lower(bounce, &effects)
    }

    mutating func lower(_ bounce: Bounce, _ effects: inout Effects) {
        // The count is saved before the link is lowered, so that the bounce counts even if this process dies.
        let bounce = spent(bounce, &effects)
        forgetBaseline(&effects)
        effects.emit(.lowerLink(bounce.method))
        enter(.lowering(isGuardLost: false), bounce)
    }

    /// Keeps the link down, after the kernel has reported it down.
    /// - Parameter isGuardLost: whether the guard died, so that the link is raised at once.
    mutating func keepDown(_ bounce: consuming Bounce, isGuardLost: Bool, _ effects: inout Effects) {
        bounce.lowered(at: effects.now)
        if runMode == .watch { localDisconnect.stay() }
        effects.emit(.tellGuard(.lowered))
        let downTime = bounce.downTime(under: settings)
        effects.report(.lowered(keptDownFor: downTime))
        if bounce.isTerminating || isGuardLost || downTime == .zero { return raise(bounce, &effects) }
        effects.emit(.arm(.keepDown, at: effects.now + downTime))
        enter(.keepingDown, bounce)
    }

    mutating func notLowered(_ bounce: Bounce, _ failure: Failure, _ effects: inout Effects) {
        switch failure.kind {
        case .noSuchDevice: vanish(&effects)
        case _ where bounce.loweredAt != nil: notReset(bounce, .lowering, failure, &effects)
        case .notPermitted, .unavailable: giveUp(bounce, .lowering, failure, &effects)
        case .radioBlocked, .busy, .cannotWrite, .timedOut, .lost, .notBack, .other:
            // The link may be down in spite of the error. Raising a link that is up does no harm.
            raise(bounce.failed(.lowering, failure), &effects)
        }
    }

    // MARK: Up

    mutating func raise(_ bounce: Bounce, _ effects: inout Effects) {
        var attempts = bounce.attempts ?? Bounce.Attempts(since: effects.now)
        (attempts.isInFlight, attempts.awaitsGuard) = (true, false)
        effects.emit(.disarm(.keepDown))
        effects.emit(.raiseLink(bounce.method))
        enter(.raising(attempts), bounce)
    }

    mutating func raised(_ bounce: consuming Bounce, _ effects: inout Effects) {
        (bounce.raisedAt, bounce.pendingQuery) = (effects.now, nil)
        effects.emit(.disarm(.retry))
        if bounce.attempts?.isRebooting == true, !bounce.isTerminating { effects.emit(.stopPerforming) }
        if bounce.isWhole {
            effects.emit(.tellGuard(.raised))
            effects.report(.raised(downFor: bounce.downOfMethod))
        }
        settle(bounce, &effects)
    }

    /// Begins the settle time, in which the link should become healthy.
    mutating func settle(_ bounce: consuming Bounce, _ effects: inout Effects) {
        var end = effects.now + settings.settle
        // The plain timer keeps its schedule: the settle time ends at the next tick at the latest.
        if runMode == .watch, settings.isForced { end = min(end, nextTick(effects.now).at) }
        bounce.settleUntil = end
        // If lowering failed, the link may never have been down: there may be nothing to wait for.
        let isFutile = bounce.methodFailure != nil && !bounce.before.link.isOperational
        if bounce.isTerminating || settings.settle == .zero || isFutile { return putBack(bounce, &effects) }
        effects.emit(.arm(.settle, at: end))
        bounce.step = .awaitingLink
        queryKernel(within: bounce, &effects)
    }

    mutating func notRaised(
        _ bounce: consuming Bounce, _ attempts: Bounce.Attempts, _ failure: Failure, _ effects: inout Effects
    ) {
        if failure.kind == .noSuchDevice { return vanish(&effects) }
        // Only a run that seeks lost interfaces can do something else. All others go on trying.
        let isSought = bounce.seeksInterface || runMode == .watch && seeksInterface && !bounce.isTerminating
        if failure.kind == .notBack, bounce.method == .reset, isSought { return vanish(&effects) }
        if !bounce.isWhole { return giveUp(bounce, .raising, failure, &effects) }
        var attempts = attempts
        attempts.isInFlight = false
        attempts.failed += 1
        attempts.refusedSince = failure.isOfDevice ? attempts.refusedSince ?? effects.now : nil
        if failure.isOfDevice { attempts.refused += 1 }
        if callsForReset(bounce, attempts, at: effects.now) {
            return prepareReset(bounce, attempts, failure, &effects)
        }
        // Until told to end, the service never gives up raising a link that it lowered; a one-shot does.
        let allowance = max(settings.settle, Self.raisingAllowance)
        let isLate = runMode != .watch && effects.now - attempts.since >= allowance
        let isLast = bounce.isTerminating ? attempts.failed > 1 : isLate
        let retryAt = isLast ? nil : effects.now + attempts.wait
        if attempts.lastFailure != failure || retryAt == nil {
            effects.report(.raiseFailed(failure, retryAt: retryAt))
        }
        attempts.lastFailure = failure
        guard let retryAt else { return leaveDown(failure, &effects) }
        effects.emit(.arm(.retry, at: retryAt))
        bounce.step = .raising(attempts)
        guard isRebootDue(bounce, attempts, at: effects.now) else { return enter(.bouncing(bounce)) }
        queryKernel(within: bounce, with: KernelState.Details(rebootState: true), &effects)
    }

    /// Ends the run with the link down. The guard goes on trying; the intent record is left for `repair`.
    private mutating func leaveDown(_ failure: Failure, _ effects: inout Effects) {
        disarmAll(&effects)
        let isBlocked = failure.kind == .radioBlocked
        finish(isBlocked ? .refused(.radioBlocked(.soft)) : .failed(.raising, failure), &effects)
    }

    /// Ends the run with the link up. If items are missing, the guard restores them after the end of this process.
    mutating func terminated(_ bounce: Bounce, _ effects: inout Effects) {
        letGo(keepsGuard: !bounce.restoration.refused.isEmpty, &effects)
        finish(.interrupted, &effects)
    }

    // MARK: Restoring

    /// Queries the kernel, because an announcement may be late or lost.
    mutating func queryKernel(
        within bounce: consuming Bounce, with details: KernelState.Details = .none, _ effects: inout Effects
    ) {
        if bounce.pendingQuery == nil {
            queries += 1
            bounce.pendingQuery = queries
            effects.emit(.kernelState(queries, with: details))
        }
        if bounce.step == .awaitingLink { effects.emit(.arm(.retry, at: effects.now + Self.checkAgain)) }
        enter(.bouncing(bounce))
    }

    /// Handles the answer to the query of `queryKernel(within:)`, unless the step that asked is over.
    mutating func kernelStateReadWithin(
        _ bounce: consuming Bounce, _ kernelState: KernelState, _ effects: inout Effects
    ) {
        if let attempts = bounce.attempts { return rebootIfDue(bounce, attempts, kernelState, &effects) }
        guard bounce.step == .keepingDown || bounce.step == .awaitingLink else {
            return enter(.bouncing(bounce))
        }
        note(kernelState, at: effects.now)
        if bounce.step == .keepingDown {
            guard kernelState.link.isUp else { return enter(.bouncing(bounce)) }
            effects.report(.raisedByOther)
            return raise(bounce, &effects)
        }
        let fault = kernelState.fault
        let staysDown = bounce.staysDown(fault?.reason == .administrativelyDown, at: effects.now)
        // An owner that makes the connection anew may set the link down for longer.
        if let fault, staysDown, bounce.method.takesLinkDown {
            bounce.verdict = Verdict(.sick, layer: fault.layer, reason: fault.reason)
            return loweredByOther(bounce, &effects)
        }
        guard kernelState.link.isBack(asBefore: bounce.before.link) else { return enter(.bouncing(bounce)) }
        if !bounce.isWhole, pendingRestore?.isElsewhere(kernelState) == true {
            (bounce.snapshot, bounce.ladder.leftover) = (Snapshot(), Snapshot())
        }
        // This is done only once, even if the carrier was lost again during the wait for the address owner.
        if bounce.ownerUntil == nil {
            effects.report(.operational(after: effects.now - (bounce.raisedAt ?? effects.now)))
            let gateways = bounce.before.gateways.map(\.address)
            // Before the station's keys were installed, traffic to a gateway made the kernel resolve its
            // hardware address. That request was lost, and the kernel would repeat it only after 1 s.
            if !gateways.isEmpty { effects.emit(.resolveNeighbours(gateways)) }
        }
        awaitOwner(bounce, &effects)
    }

    mutating func putBack(_ bounce: Bounce, _ effects: inout Effects) {
        effects.emit(.disarm(.retry))
        effects.emit(.restore(bounce.snapshot, puttingBack: settings.restores))
        enter(.restoring, bounce)
    }

    mutating func restored(_ bounce: consuming Bounce, _ restoration: Restoration, _ effects: inout Effects) {
        if bounce.isTerminating {
            bounce.restoration = restoration
            return terminated(bounce, &effects)
        }
        if let sequel = bounce.sequel { return restoredLate(sequel, restoration, &effects) }
        bounce.restoration = restoration
        if let methodFailure = bounce.methodFailure {
            return giveUp(bounce, methodFailure.step, methodFailure.failure, &effects)
        }
        if settings.settle != .zero { return verify(bounce, &effects) }
        // A refused item may mean that the interface has disappeared. The error alone does not show that: for
        // a route through a gateway, the error is ENETUNREACH. So the kernel is queried once more.
        let mayBeGone = !restoration.refused.isEmpty
        mayBeGone ? verify(bounce, scope: .kernelOnly, &effects) : methodEnded(bounce, &effects)
    }

    // MARK: Verification

    mutating func verify(_ bounce: Bounce, scope: HealthCheck.Scope = .full, _ effects: inout Effects) {
        effects.emit(.disarm(.retry))
        enter(.verifying(makeCheck(scope: scope, &effects)), bounce)
    }

    mutating func verified(_ verdict: Verdict, _ bounce: consuming Bounce, _ effects: inout Effects) {
        // Without a settle time nothing is verified: the link has had no time to come back.
        if settings.settle > .zero { bounce.judge(verdict, at: effects.now) }
        let isOver = bounce.settleUntil.map { effects.now >= $0 } ?? true
        let isDown = verdict.reason == .administrativelyDown
        let staysDown = bounce.staysDown(isDown, at: effects.now)
        if isDown, isOver || staysDown && bounce.method.takesLinkDown {
            bounce.verdict = verdict
            return loweredByOther(bounce, &effects)
        }
        // What was restored is lost again, and is restored once more when the link is up.
        if isDown { return awaitLink(bounce, &effects) }
        let isGood = verdict.conclusion == .healthy || verdict.reason == .noGateway && bounce.hadNoGateway
        guard isGood || isOver else { return pause(bounce, until: effects.now + Self.checkAgain, &effects) }
        effects.emit(.disarm(.settle))
        // By now the owner may have restored missing items, and the kernel may accept those that it refused.
        bounce.isIncomplete ? compareAgain(bounce, &effects) : methodEnded(bounce, &effects)
    }

    /// Waits again until the link is up.
    mutating func awaitLink(_ bounce: consuming Bounce, _ effects: inout Effects) {
        (bounce.step, bounce.ownerUntil) = (.awaitingLink, nil)
        if let settleUntil = bounce.settleUntil { effects.emit(.arm(.settle, at: settleUntil)) }
        queryKernel(within: bounce, &effects)
    }

    /// Ends the bounce, because a user or another program set the link down, and so nothing can be restored.
    private mutating func loweredByOther(_ bounce: Bounce, _ effects: inout Effects) {
        effects.report(.loweredByOther)
        letGo(&effects)
        endBounce(bounce, &effects)
    }

    mutating func pause(_ bounce: Bounce, until verifyAt: Instant, _ effects: inout Effects) {
        effects.emit(.arm(.retry, at: verifyAt))
        enter(.pausing(until: verifyAt), bounce)
    }

    mutating func compareAgain(_ bounce: Bounce, _ effects: inout Effects) {
        effects.emit(
            .restore(bounce.snapshot.rest(after: bounce.restoration), puttingBack: settings.restores))
        enter(.comparing, bounce)
    }

    mutating func compared(_ bounce: consuming Bounce, _ next: Restoration, _ effects: inout Effects) {
        bounce.restoration.add(next)
        let again = effects.now + Self.compareSpacing
        guard bounce.isIncomplete, let end = comparingEnd(bounce), again < end else {
            return methodEnded(bounce, &effects)
        }
        effects.emit(.arm(.retry, at: again))
        enter(.comparing, bounce)
    }

    /// How long to wait for missing items. What the kernel refused is retried until the settle time ends,
    /// because duplicate address detection or a missing carrier may still prevent it. The wait for what the
    /// owner has to restore is no longer than owners need.
    private func comparingEnd(_ bounce: Bounce) -> Instant? {
        guard let raisedAt = bounce.raisedAt, let settleUntil = bounce.settleUntil else { return nil }
        if !bounce.restoration.refused.isEmpty { return settleUntil }
        return min(settleUntil, raisedAt + Self.ownersAllowance)
    }

    // MARK: The end

    /// Dismisses the guard and disarms the deadlines of the bounce.
    mutating func release(_ effects: inout Effects) {
        dismissGuard(&effects)
        effects.emit(.disarm(.retry))
        effects.emit(.disarm(.settle))
    }

    mutating func endBounce(_ bounce: Bounce, _ effects: inout Effects) {
        release(&effects)
        if bounce.methods.isEmpty { return endFruitless(bounce, &effects) }
        // In a check between two methods, this was reported before (`goOn(_:_:)`, `letGo`).
        if state.check?.escalation == nil, let failed = bounce.methodFailure {
            effects.report(.passedOver(bounce.method, failed.step, failed.failure, next: nil))
        }
        oweRestore(bounce, at: effects.now)
        let before = health.condition
        let verdict = bounce.lastVerdict ?? Verdict(.unknown, reason: .notVerified)
        if verdict.conclusion == .healthy { health.recover() }
        if let cause = bounce.cause.verdict {
            let network = Network(bounce.before)
            limit(&effects) { $0.judge(verdict, of: bounce, cause: cause, in: network, settings: $2) }
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
        let wasAskedFor = bounce.cause.verdict == nil
        switch verdict.reason {
        case .notVerified where wasAskedFor: return .healthy
        case .noGateway where wasAskedFor && bounce.hadNoGateway: return .healthy
        case .administrativelyDown: return .refused(.administrativelyDown)
        default: return RunOutcome(verdict.conclusion)
        }
    }

    /// Gives up a method that was not carried out. If the link is down, this program did not take it down.
    mutating func giveUp(_ bounce: Bounce, _ step: BounceStep, _ failure: Failure, _ effects: inout Effects) {
        if failure.kind == .noSuchDevice, !bounce.seeksInterface { return vanish(&effects) }
        letGo(&effects)
        if bounce.isTerminating { return finish(.interrupted, &effects) }
        guard bounce.seeksInterface else { return goOn(after: bounce, step, failure, &effects) }
        effects.report(.passedOver(bounce.method, step, failure, next: nil))
        // The bounce is counted, so that the next attempt is delayed.
        if !bounce.ladder.isSpent { _ = spent(bounce, &effects) }
        vanish(&effects)
    }

    /// Ends a bounce of which no method could be carried out.
    mutating func endFruitless(_ bounce: Bounce, _ effects: inout Effects) {
        guard let failed = bounce.lastFailure else { return checkAfresh(&effects) }
        if bounce.cause.verdict != nil { limit(&effects) { $0.note(inVain: bounce, $2) } }
        // A link that could not be lowered, as far as the kernel said, may have been down all the same.
        if !bounce.losses.lost.isEmpty { oweRestore(bounce, at: effects.now) }
        let verdict = bounce.cause.verdict ?? Verdict(.unknown, reason: .notVerified)
        end(
            .failed(failed.step, failed.failure), verdict, health.condition,
            .failed(failed.step, failed.failure), &effects)
    }

    /// Handles the order to end while the link may be down: the program first raises the link and restores.
    mutating func terminate(_ bounce: consuming Bounce, _ effects: inout Effects) {
        guard !bounce.isTerminating else { return }
        bounce.isTerminating = true
        effects.report(.finishing)
        if bounce.attempts?.isRebooting == true { effects.emit(.stopPerforming) }
        switch bounce.step {
        case .keepingDown: raise(bounce, &effects)
        case .raising(let attempts) where !attempts.isInFlight: raise(bounce, &effects)
        case .awaitingLink, .awaitingOwner(compareAt: _?): putBack(bounce, &effects)
        default: enter(.bouncing(bounce))  // the answer to this step comes first
        }
    }
}
