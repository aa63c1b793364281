/// The bounce: snapshot, guard, lower, hold, raise, await the operational state, put back, verify.
extension Toggler {
    /// Between two looks at a link that is to come back, where no event came.
    private static let lookAgain: Duration = .seconds(1)
    /// Between a change that was announced and the next verification: announcements come in swarms.
    static let verifySpacing: Duration = .milliseconds(100)
    /// Between two attempts to put back what is missing.
    static let compareSpacing: Duration = .milliseconds(500)
    /// The slowest of the network managers and DHCP clients that were measured had its routes back 8.9 s
    /// after the raise.
    private static let ownersAllowance: Duration = .seconds(10)
    /// How long a one-shot goes on trying to raise, if settling is shorter.
    private static let raisingAllowance: Duration = .seconds(10)

    /// What was surveyed, or what is wanted, is not so any more, and nothing was done yet.
    mutating func lookAfresh(_ turn: inout Turn) {
        let isUnscheduled = if case .inquiring(let inquiry) = state { inquiry.isUnscheduled } else { false }
        let wish = personsCause
        letGo(&turn)
        if let wish { return begin(scope: .kernelOnly, cause: wish, &turn) }
        look(because: isUnscheduled ? .change : .schedule, &turn)
    }

    // MARK: Steps that ended

    mutating func bounceStepFinished(_ event: Event, _ turn: inout Turn) {
        switch (state, event) {
        case (.preparing(let bounce), .snapshotTaken(let snapshot)) where !bounce.isListening:
            prepared(bounce, snapshot, &turn)
        case (.preparing(let bounce), .snapshotFailed(let failure)) where !bounce.isListening:
            giveUp(bounce, .snapshot, failure, &turn)
        case (.performing(let bounce), .performed): performed(bounce, &turn)
        case (.performing(let bounce), .performingFailed(let failure)): notPerformed(bounce, failure, &turn)
        case (.arming(let bounce), .guardArmed): lower(bounce, &turn)
        case (.arming(let bounce), .guardFailed(let failure)): giveUp(bounce, .guarding, failure, &turn)
        case (.lowering(let bounce), .linkLowered): hold(bounce, &turn)
        case (.lowering(let bounce), .linkLoweringFailed(let failure)): notLowered(bounce, failure, &turn)
        case (.raising(let bounce), .linkRaised): raised(bounce, &turn)
        case (.raising(let bounce), .linkRaisingFailed(let failure)): notRaised(bounce, failure, &turn)
        case (.awaitingKeeper(let bounce), .restored(let comparison)):
            keeperCompared(bounce, comparison, &turn)
        case (.restoring(let bounce), .restored(let restoration)): restored(bounce, restoration, &turn)
        case (.comparing(let bounce), .restored(let restoration)): compared(bounce, restoration, &turn)
        default: break  // the answer to a step that was abandoned
        }
    }

    mutating func reached(_ deadline: Deadline, _ turn: inout Turn) {
        switch (state, deadline) {
        case (.waiting(let next), .look): look(because: next.why, &turn)
        case (.waiting, .keepsake): renewKeepsake(&turn)
        case (.inquiring, .inquiry), (.verifying, .inquiry): inquiryTimedOut(&turn)
        case (.preparing, .retry): listened(isHeard: false, &turn)
        case (.holding(let bounce), .hold): raise(bounce, &turn)
        case (.raising(let bounce), .retry): if !bounce.isRaiseInFlight { raise(bounce, &turn) }
        case (.awaitingLink(let bounce), .retry): ask(within: bounce, &turn)
        case (.awaitingLink(let bounce), .settle): putBack(bounce, &turn)
        case (.awaitingKeeper(let bounce), .retry): compareKeeper(bounce, &turn)
        case (.comparing(let bounce), .retry): compareAgain(bounce, &turn)
        case (.pausing(let bounce), .retry), (.pausing(let bounce), .settle): verify(bounce, &turn)
        default: break  // a deadline of a state that was left
        }
    }

    // MARK: Down

    mutating func arm(_ bounce: Bounce, _ turn: inout Turn) {
        let order = GuardOrder(
            macAddress: bounce.before.link.identity, snapshot: bounce.snapshot,
            hold: bounce.hold(under: settings),
            settle: settings.settle, restores: settings.restores, method: bounce.method)
        turn.emit(.armGuard(order))
        enter(.arming(bounce))
    }

    private mutating func lower(_ bounce: Bounce, _ turn: inout Turn) {
        // Kept before the link is lowered: whatever becomes of us then, the bounce is known of.
        let bounce = spent(bounce, &turn)
        forgetKeepsake(&turn)
        turn.emit(.lowerLink(bounce.method))
        enter(.lowering(bounce))
    }

    private mutating func hold(_ bounce: Bounce, _ turn: inout Turn) {
        var bounce = bounce
        bounce.loweredAt = turn.now
        if mission == .watch { departure.bounced() }
        turn.emit(.tellGuard(.lowered))
        let delay = bounce.hold(under: settings)
        turn.emit(.report(.step(.lowered(hold: delay))))
        let isOver = bounce.isTerminating || bounce.isGuardLost || delay == .zero
        if isOver { return raise(bounce, &turn) }
        turn.emit(.arm(.hold, at: turn.now + delay))
        enter(.holding(bounce))
    }

    private mutating func notLowered(_ bounce: Bounce, _ failure: Failure, _ turn: inout Turn) {
        switch failure.kind {
        case .noSuchDevice: vanish(&turn)
        case .notPermitted, .unavailable: giveUp(bounce, .lowering, failure, &turn)
        case .radioBlocked, .busy, .cannotWrite, .timedOut, .lost, .other:
            // Whether it went down after all is not known: raising what is up does no harm.
            var bounce = bounce
            bounce.loweringFailure = failure
            raise(bounce, &turn)
        }
    }

    // MARK: Up

    mutating func raise(_ bounce: Bounce, _ turn: inout Turn) {
        var bounce = bounce
        bounce.raisingSince = bounce.raisingSince ?? turn.now
        bounce.isRaiseInFlight = true
        turn.emit(.disarm(.hold))
        turn.emit(.raiseLink(bounce.method))
        enter(.raising(bounce))
    }

    private mutating func raised(_ bounce: Bounce, _ turn: inout Turn) {
        var bounce = bounce
        bounce.isRaiseInFlight = false
        bounce.raisedAt = turn.now
        turn.emit(.disarm(.retry))
        if !bounce.isRaiseOnly {
            turn.emit(.tellGuard(.raised))
            turn.emit(.report(.step(.raised(downFor: turn.now - (bounce.loweredAt ?? turn.now)))))
        }
        settle(bounce, &turn)
    }

    /// The link is to come back by itself now.
    mutating func settle(_ bounce: Bounce, _ turn: inout Turn) {
        var bounce = bounce
        bounce.settleUntil = settleEnd(at: turn.now)
        if bounce.isTerminating || settings.settle == .zero || bounce.loweringFailure != nil {
            return putBack(bounce, &turn)
        }
        turn.emit(.arm(.settle, at: bounce.settleUntil ?? turn.now))
        enter(.awaitingLink(bounce))
        ask(within: bounce, &turn)
    }

    /// The plain timer keeps its pace: settling ends with the next tick.
    private func settleEnd(at now: Instant) -> Instant {
        let end = now + settings.settle
        return mission == .watch && settings.isForced ? min(end, nextTick(now).at) : end
    }

    private mutating func notRaised(_ bounce: Bounce, _ failure: Failure, _ turn: inout Turn) {
        if failure.kind == .noSuchDevice { return vanish(&turn) }
        if bounce.isRaiseOnly { return giveUp(bounce, .raising, failure, &turn) }
        var bounce = bounce
        bounce.isRaiseInFlight = false
        bounce.failedRaises += 1
        let retryAt = givesUpRaising(bounce, at: turn.now) ? nil : turn.now + bounce.retryWait
        if bounce.lastRaiseFailure != failure || retryAt == nil {
            turn.emit(.report(.step(.raiseFailed(failure, retryAt: retryAt))))
        }
        bounce.lastRaiseFailure = failure
        guard let retryAt else { return leaveDown(bounce, failure, &turn) }
        turn.emit(.arm(.retry, at: retryAt))
        enter(.raising(bounce))
    }

    /// The service never gives up a link that it lowered; a one-shot, and one that is told to end, must.
    private func givesUpRaising(_ bounce: Bounce, at now: Instant) -> Bool {
        if bounce.isTerminating { return bounce.failedRaises > 1 }
        let allowance = max(settings.settle, Self.raisingAllowance)
        return mission != .watch && now - (bounce.raisingSince ?? now) >= allowance
    }

    /// The guard stays, and goes on trying once we have ended; its record is for whoever comes after it.
    private mutating func leaveDown(_ bounce: Bounce, _ failure: Failure, _ turn: inout Turn) {
        disarmAll(&turn)
        let isBlocked = failure.kind == .radioBlocked
        finish(isBlocked ? .refused(.radioBlocked(.soft)) : .failed(.raising, failure), &turn)
    }

    // MARK: Back

    /// Asks the kernel whether the link is what an event, or its absence, makes believe.
    mutating func ask(within bounce: Bounce, _ turn: inout Turn) {
        var bounce = bounce
        if bounce.pendingSurvey == nil {
            let number = nextInquiryNumber()
            bounce.pendingSurvey = number
            turn.emit(.survey(number))
        }
        if case .awaitingLink = state {
            turn.emit(.arm(.retry, at: turn.now + Self.lookAgain))
            enter(.awaitingLink(bounce))
        } else {
            enter(.holding(bounce))
        }
    }

    mutating func surveyedWithin(_ bounce: Bounce, _ survey: Survey, _ turn: inout Turn) {
        var bounce = bounce
        bounce.pendingSurvey = nil
        note(survey, at: turn.now)
        if case .holding = state {
            guard survey.link.isUp else { return enter(.holding(bounce)) }
            turn.emit(.report(.step(.raisedByOther)))
            return raise(bounce, &turn)
        }
        if let fault = survey.fault, fault.reason == .administrativelyDown {
            bounce.verdict = Verdict(.sick, layer: fault.layer, reason: fault.reason)
            return loweredByOther(bounce, &turn)
        }
        guard survey.link.isOperational else { return enter(.awaitingLink(bounce)) }
        if bounce.isRaiseOnly, arrears?.isElsewhere(survey) == true { bounce.leaveArrears() }
        // Once, also where it was lost again while its keeper was waited for.
        if bounce.keeperUntil == nil {
            turn.emit(.report(.step(.operational(after: turn.now - (bounce.raisedAt ?? turn.now)))))
            askAgain(bounce, &turn)
        }
        awaitKeeper(bounce, &turn)
    }

    mutating func putBack(_ bounce: Bounce, _ turn: inout Turn) {
        turn.emit(.disarm(.retry))
        turn.emit(.restore(bounce.snapshot, puttingBack: settings.restores))
        enter(.restoring(bounce))
    }

    private mutating func restored(_ bounce: Bounce, _ restoration: Restoration, _ turn: inout Turn) {
        if let sequel = bounce.sequel { return madeGood(bounce, sequel, restoration, &turn) }
        var bounce = bounce
        bounce.restoration = restoration
        if bounce.isTerminating {
            letGo(&turn)
            return finish(.interrupted, &turn)
        }
        if let failure = bounce.loweringFailure { return giveUp(bounce, .lowering, failure, &turn) }
        if settings.settle != .zero { return verify(bounce, &turn) }
        // Perhaps the interface itself has gone, and that is all there is to say. Which error tells so depends on what
        // was put back: for a route behind a gateway it is the gateway that cannot be reached (ENETUNREACH).
        let mayBeGone = !restoration.refused.isEmpty
        mayBeGone ? verify(bounce, scope: .kernelOnly, &turn) : methodEnded(bounce, &turn)
    }

    // MARK: Verification

    private mutating func verify(_ bounce: Bounce, scope: Inquiry.Scope = .full, _ turn: inout Turn) {
        turn.emit(.disarm(.retry))
        enter(.verifying(bounce, makeInquiry(scope: scope, &turn)))
    }

    mutating func verifySoon(_ bounce: Bounce, _ turn: inout Turn) {
        let soon = turn.now + Self.verifySpacing
        guard let planned = bounce.verifyAt, soon < planned else { return }
        pause(bounce, until: soon, &turn)
    }

    mutating func verified(_ verdict: Verdict, _ bounce: Bounce, _ turn: inout Turn) {
        var bounce = bounce
        bounce.judge(verdict, at: turn.now)
        if verdict.reason == .administrativelyDown { return loweredByOther(bounce, &turn) }
        let isGood = verdict.conclusion == .healthy || verdict.reason == .noGateway && bounce.hadNoGateway
        let isOver = bounce.settleUntil.map { turn.now >= $0 } ?? true
        if isGood || isOver {
            turn.emit(.disarm(.settle))
            return compare(bounce, &turn)
        }
        pause(bounce, until: turn.now + Self.lookAgain, &turn)
    }

    /// Somebody else wants the link down: there is nothing to wait for, and nothing can be put back.
    private mutating func loweredByOther(_ bounce: Bounce, _ turn: inout Turn) {
        turn.emit(.report(.step(.loweredByOther)))
        letGo(&turn)
        endBounce(bounce, &turn)
    }

    private mutating func pause(_ bounce: Bounce, until verifyAt: Instant, _ turn: inout Turn) {
        var bounce = bounce
        bounce.verifyAt = verifyAt
        turn.emit(.arm(.retry, at: verifyAt))
        enter(.pausing(bounce))
    }

    /// What was missing right after the raise may have come back from its owner, and what could not be put
    /// back then may be possible now.
    private mutating func compare(_ bounce: Bounce, _ turn: inout Turn) {
        bounce.isIncomplete ? compareAgain(bounce, &turn) : methodEnded(bounce, &turn)
    }

    private mutating func compareAgain(_ bounce: Bounce, _ turn: inout Turn) {
        turn.emit(.restore(bounce.snapshot.rest(after: bounce.restoration), puttingBack: settings.restores))
        enter(.comparing(bounce))
    }

    private mutating func compared(_ bounce: Bounce, _ next: Restoration, _ turn: inout Turn) {
        var bounce = bounce
        bounce.restoration.add(next)
        let again = turn.now + Self.compareSpacing
        guard bounce.isIncomplete, let end = comparingEnd(bounce), again < end else {
            return methodEnded(bounce, &turn)
        }
        turn.emit(.arm(.retry, at: again))
        enter(.comparing(bounce))
    }

    /// How long to wait for what is missing: for what the kernel refused, while duplicate address detection
    /// or the carrier may still be in the way, as long as settling lasts; for what its owner has to bring
    /// back, no longer than owners need.
    private func comparingEnd(_ bounce: Bounce) -> Instant? {
        guard let raisedAt = bounce.raisedAt, let settleUntil = bounce.settleUntil else { return nil }
        if !bounce.restoration.refused.isEmpty { return settleUntil }
        return min(settleUntil, raisedAt + Self.ownersAllowance)
    }

    // MARK: The end

    /// Nothing of the bounce is left to do.
    mutating func release(_ turn: inout Turn) {
        turn.emit(.disarmGuard)
        turn.emit(.disarm(.retry))
        turn.emit(.disarm(.settle))
    }

    mutating func endBounce(_ bounce: Bounce, _ turn: inout Turn) {
        release(&turn)
        if bounce.methods.isEmpty { return endFruitless(bounce, &turn) }
        fallInArrears(bounce, at: turn.now)
        let before = health.condition
        let verdict = bounce.verdict ?? bounce.ladder.verdict ?? Verdict(.unknown, reason: .notVerified)
        if verdict.conclusion == .healthy { health.recover() }
        if let cause = bounce.cause {
            let settings = settings
            restrain(&turn) {
                $0.judge(verdict, cause: cause, in: Network(bounce.before), settings: settings)
            }
        }
        let summary = BounceSummary(
            down: bounce.down, recovery: verdict.conclusion == .healthy ? bounce.recovery(at: turn.now) : nil,
            restoration: bounce.losses, methods: bounce.methods)
        let action: CycleReport.Action = bounce.isRaiseOnly ? .raised(summary) : .bounced(summary)
        end(action, verdict, before, outcome(of: bounce, verdict), &turn)
    }

    private func outcome(of bounce: Bounce, _ verdict: Verdict) -> Outcome {
        if !bounce.losses.refused.isEmpty { return .sick }
        let wasAskedFor = bounce.cause == nil
        switch verdict.reason {
        case .notVerified where wasAskedFor: return .healthy
        case .noGateway where wasAskedFor && bounce.hadNoGateway: return .healthy
        case .administrativelyDown: return .refused(.administrativelyDown)
        default: return Outcome(verdict.conclusion)
        }
    }

    /// A method that was not carried out, the link up.
    mutating func giveUp(
        _ bounce: Bounce, _ step: BounceStep, _ failure: Failure, _ turn: inout Turn
    ) {
        if failure.kind == .noSuchDevice { return vanish(&turn) }
        letGo(&turn)
        if bounce.isTerminating { return finish(.interrupted, &turn) }
        goOn(after: bounce.failed(step, failure), &turn)
    }

    /// Nothing could be done.
    mutating func endFruitless(_ bounce: Bounce, _ turn: inout Turn) {
        guard let obstacle = bounce.obstacle ?? bounce.ladder.obstacle else { return lookAfresh(&turn) }
        let (step, failure) = (obstacle.step, obstacle.failure)
        let verdict = bounce.cause ?? Verdict(.unknown, reason: .notVerified)
        end(.failed(step, failure), verdict, health.condition, .failed(step, failure), &turn)
    }

    /// Told to end while the link is in our hands: it is raised, and what it lost put back, first.
    mutating func terminateBounce(_ turn: inout Turn) {
        guard var bounce = state.bounce, !bounce.isTerminating else { return }
        bounce.isTerminating = true
        turn.emit(.report(.step(.finishing)))
        switch state {
        case .lowering: enter(.lowering(bounce))
        case .holding: raise(bounce, &turn)
        case .raising: bounce.isRaiseInFlight ? enter(.raising(bounce)) : raise(bounce, &turn)
        case .awaitingLink: putBack(bounce, &turn)
        case .awaitingKeeper: bounce.isComparing ? enter(.awaitingKeeper(bounce)) : putBack(bounce, &turn)
        case .restoring: enter(.restoring(bounce))
        case .idle, .absent, .waiting, .inquiring, .preparing, .performing, .arming, .verifying, .pausing,
            .comparing,
            .finished:
            break
        }
    }
}
