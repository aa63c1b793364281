import Model

/// The ladder: one method after the other, the gentlest first, until one helps.
extension Toggler {
    mutating func beginBounce(
        _ cause: BounceCause, _ kernelState: KernelState, _ methods: [Method], _ effects: inout Effects
    ) {
        let ladder = Ladder(methods, leftover: leftover(kernelState))
        let bounce = Bounce(cause, before: kernelState, ladder)
        effects.report(.beginning(bounce.method, cause.verdict))
        if let port = kernelState.link.port, port.upper != nil { effects.report(.interrupting(port)) }
        take(bounce, &effects)
    }

    /// Begins the second half of a bounce, for a link that an rfkill block by another program took down.
    mutating func beginRaise(_ kernelState: KernelState, _ effects: inout Effects) {
        rfkillTracker.tried()
        effects.report(.raisingAfterBlock)
        forgetBaseline(&effects)
        let ladder = Ladder([.bounce], leftover: pendingRestore?.snapshot ?? Snapshot())
        let bounce = Bounce(.unconditional, before: kernelState, ladder, plan: .fromRaise)
        raise(bounce, &effects)
    }

    private mutating func take(_ bounce: Bounce, _ effects: inout Effects) {
        guard bounce.method.mayCostRoutes else { return perform(bounce, &effects) }
        effects.emit(.takeSnapshot)
        enter(.preparing, bounce)
    }

    /// Goes on after the snapshot.
    mutating func prepared(_ bounce: consuming Bounce, _ snapshot: Snapshot, _ effects: inout Effects) {
        bounce.snapshot = snapshot.after(bounce.ladder.leftover)
        bounce.method.takesLinkDown ? goDown(bounce, &effects) : perform(bounce, &effects)
    }

    mutating func perform(_ bounce: Bounce, _ effects: inout Effects) {
        forgetBaseline(&effects)
        effects.emit(.perform(bounce.method))
        enter(.performing, bounce)
    }

    /// Counts the bounce, once for the whole ladder, and a restart or reset that the evidence calls for.
    mutating func spent(_ bounce: consuming Bounce, _ effects: inout Effects) -> Bounce {
        let isOfDownLink = bounce.loweredAt != nil && !isRequested(bounce.cause)
        let isByEvidence = settings.methods.isEmpty && (bounce.ladder.tried == [.reset] || isOfDownLink)
        if bounce.method == .restartOwner || isByEvidence {
            limit(&effects) { limiter, now, _ in limiter.spendRestart(at: now) }
        }
        if !bounce.ladder.isSpent { limit(&effects) { $0.spend(at: $1, settings: $2) } }
        bounce.ladder.isSpent = true
        return bounce
    }

    // MARK: Methods that do not take the link down

    mutating func performed(_ bounce: consuming Bounce, _ effects: inout Effects) {
        bounce = spent(bounce, &effects)
        bounce.raisedAt = effects.now
        settle(bounce, &effects)
    }

    mutating func notPerformed(_ bounce: Bounce, _ failure: Failure, _ effects: inout Effects) {
        let seeksInterface = bounce.seeksInterface
        if seeksInterface { effects.report(.passedOver(bounce.method, .performing, failure, next: nil)) }
        if seeksInterface || failure.kind == .noSuchDevice { return vanish(&effects) }
        if bounce.method.mayCostRoutes, failure.mayHaveBegun {
            // The method may be under way in spite of the error: wait and restore as after a success.
            effects.report(.passedOver(bounce.method, .performing, failure, next: nil))
            return performed(bounce, &effects)
        }
        let bounce = failure.kind == .unavailable ? bounce : spent(bounce, &effects)
        goOn(after: bounce, .performing, failure, &effects)
    }

    // MARK: From one method to the next

    /// Goes on after the current method has ended: with the next method if the link is still sick.
    mutating func methodEnded(_ bounce: Bounce, _ effects: inout Effects) {
        let asksOwner = bounce.method == .bounce && settings.methods.isEmpty && asksOwner(about: left(bounce))
        guard !bounce.ladder.rest.isEmpty || asksOwner,
            bounce.verdict?.callsForBounce(on: settings.bouncedLayers) == true
        else { return endBounce(bounce, &effects) }
        release(&effects)
        checkBeforeEscalating(bounce, &effects)
    }

    /// Goes on with the next method, because this one was not carried out.
    mutating func goOn(after last: Bounce, _ step: BounceStep, _ failure: Failure, _ effects: inout Effects) {
        let bounce = last.failed(step, failure)
        if !bounce.ladder.rest.isEmpty { return checkBeforeEscalating(bounce, &effects) }
        bounce.methods.isEmpty ? endFruitless(bounce, &effects) : endBounce(bounce, &effects)
    }

    /// Begins a check: by now the state may forbid the next method, or no longer call for it.
    private mutating func checkBeforeEscalating(_ bounce: Bounce, _ effects: inout Effects) {
        let purpose = HealthCheck.Purpose.escalation(bounce, cause: left(bounce))
        enter(.checking(makeCheck(scope: .kernelOnly, for: purpose, &effects)))
    }

    /// The cause of the next method: the fault that is left, not the fault at the start of the ladder.
    private func left(_ bounce: Bounce) -> BounceCause {
        bounce.cause.isUserRequest ? bounce.cause : bounce.lastVerdict.map { .sick($0) } ?? bounce.cause
    }

    /// Goes on with the next method, after the check that precedes it. If there is no next method, the
    /// program reports what was done; if nothing was done, it checks again from the start.
    mutating func goOn(_ last: Bounce, _ next: Bounce?, _ effects: inout Effects) {
        if let failed = last.methodFailure, next != nil || !last.methods.isEmpty {
            effects.report(.passedOver(last.method, failed.step, failed.failure, next: next?.method))
        } else if let next, let verdict = last.verdict {
            effects.report(.escalating(from: last.method, to: next.method, verdict))
        }
        if let next { return take(next, &effects) }
        last.isBegun ? endBounce(last, &effects) : checkAfresh(&effects)
    }

    /// Begins again with a check, because the planned action is obsolete. A ladder that has acted is ended.
    mutating func startOver(_ effects: inout Effects) {
        guard let bounce = state.check?.escalation ?? state.bounce, bounce.isBegun else {
            return checkAfresh(&effects)
        }
        letGo(&effects)
        endBounce(bounce, &effects)
    }
}
