import Model

/// The ladder: one method after the other, the gentlest first, until one helps.
extension Toggler {
    mutating func beginBounce(_ cause: BounceCause, _ kernelState: KernelState, _ effects: inout EffectBuffer)
    {
        let ladder = Ladder(settings.methods, leftover: leftover(kernelState))
        let bounce = Bounce(cause, before: kernelState, ladder, at: effects.now)
        effects.emit(.report(.step(.beginning(bounce.method, cause.verdict))))
        take(bounce, &effects)
    }

    /// The second half of a bounce, for a link that an rfkill block by another program took down.
    mutating func beginRaise(_ kernelState: KernelState, _ effects: inout EffectBuffer) {
        rfkillTracker.tried()
        effects.emit(.report(.step(.raisingAfterBlock)))
        forgetBaseline(&effects)
        let ladder = Ladder([.bounce], leftover: pendingRestore?.snapshot ?? Snapshot())
        let bounce = Bounce(.asked, before: kernelState, ladder, plan: .fromRaise, at: effects.now)
        raise(bounce, &effects)
    }

    private mutating func take(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        guard bounce.method.mayCostRoutes else { return perform(bounce, &effects) }
        effects.emit(.takeSnapshot)
        enter(.preparing, bounce)
    }

    /// The snapshot is taken.
    mutating func prepared(_ bounce: Bounce, _ snapshot: Snapshot, _ effects: inout EffectBuffer) {
        var bounce = bounce
        bounce.snapshot = snapshot.after(bounce.ladder.leftover)
        bounce.method.takesLinkDown ? goDown(bounce, &effects) : perform(bounce, &effects)
    }

    private mutating func perform(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        forgetBaseline(&effects)
        effects.emit(.perform(bounce.method))
        enter(.performing, bounce)
    }

    /// The whole ladder counts as one bounce in the back-off and the budget, whichever methods it tries.
    mutating func spent(_ bounce: Bounce, _ effects: inout EffectBuffer) -> Bounce {
        guard !bounce.isSpent else { return bounce }
        let (now, settings) = (effects.now, settings)
        limit(&effects) { $0.spend(at: now, settings: settings) }
        var bounce = bounce
        bounce.isSpent = true
        return bounce
    }

    // MARK: Methods that do not take the link down

    mutating func performed(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        var bounce = spent(bounce, &effects)
        bounce.raisedAt = effects.now
        settle(bounce, &effects)
    }

    mutating func notPerformed(_ bounce: Bounce, _ failure: Failure, _ effects: inout EffectBuffer) {
        // If the interface does not exist, the method was not tried either.
        if failure.kind == .noSuchDevice { return vanish(&effects) }
        if bounce.method.mayCostRoutes, failure.leavesInDoubt {
            // The method may be running in spite of the error: wait as long as for a success, and restore
            // what it destroys.
            let step = Report.Step.passedOver(bounce.method, .performing, failure, next: nil)
            effects.emit(.report(.step(step)))
            return performed(bounce, &effects)
        }
        let bounce = failure.kind == .unavailable ? bounce : spent(bounce, &effects)
        goOn(after: bounce.failed(.performing, failure), &effects)
    }

    // MARK: From one method to the next

    /// The current method has ended.
    mutating func methodEnded(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        guard let next = bounce.ladder.next, let verdict = bounce.verdict,
            verdict.callsForBounce(on: settings.bouncedLayers)
        else { return endBounce(bounce, &effects) }
        release(&effects)
        effects.emit(.report(.step(.escalating(from: bounce.method, to: next, verdict))))
        checkBeforeEscalating(bounce, &effects)
    }

    /// A method was not carried out: try the next one.
    mutating func goOn(after bounce: Bounce, _ effects: inout EffectBuffer) {
        guard let methodFailure = bounce.methodFailure else { return }
        let next = bounce.ladder.next
        if next != nil || !bounce.methods.isEmpty {
            let step = Report.Step.passedOver(
                bounce.method, methodFailure.step, methodFailure.failure, next: next)
            effects.emit(.report(.step(step)))
        }
        if next != nil { return checkBeforeEscalating(bounce, &effects) }
        bounce.methods.isEmpty ? endFruitless(bounce, &effects) : endBounce(bounce, &effects)
    }

    /// In the meantime a user may have set the link down or requested a hold.
    private mutating func checkBeforeEscalating(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        // The fault that is left, not the one before the methods so far.
        let left = bounce.cause.map { bounce.verdict ?? bounce.ladder.verdict ?? $0 }
        let cause = left.map { BounceCause.sick($0) } ?? bounce.call
        enter(.checking(makeCheck(scope: .kernelOnly, cause: cause, escalation: bounce, &effects)))
    }

    /// Reports what was done. If nothing was done, the case is checked again from the start.
    /// - Parameter check: without a kernel state if the query failed.
    mutating func goOn(_ last: Bounce, _ check: HealthCheck, _ effects: inout EffectBuffer) {
        if mayEscalate(check, at: effects.now), let next = last.escalated(at: effects.now) {
            return take(next, &effects)
        }
        last.isBegun ? endBounce(last, &effects) : checkAfresh(&effects)
    }

    /// The next action is no longer wanted, or no longer right: check again.
    mutating func startOver(_ effects: inout EffectBuffer) {
        let bounce: Bounce? = if case .checking(let check) = state { check.escalation } else { state.bounce }
        guard let bounce, bounce.isBegun else { return checkAfresh(&effects) }
        letGo(&effects)
        endBounce(bounce, &effects)
    }
}

extension Failure {
    /// Whether the method may have had an effect before it failed.
    fileprivate var leavesInDoubt: Bool {
        switch kind {
        case .timedOut, .lost: true
        case .noSuchDevice, .notPermitted, .radioBlocked, .unavailable, .busy, .cannotWrite, .other: false
        }
    }
}
