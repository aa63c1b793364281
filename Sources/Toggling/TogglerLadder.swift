/// The ladder: one method after the other, the gentlest first, until one has helped.
extension Toggler {
    mutating func beginBounce(_ cause: BounceCause, _ survey: Survey, _ turn: inout Turn) {
        let ladder = Ladder(settings.methods, leftover: leftover(survey))
        let bounce = Bounce(cause, before: survey, ladder, at: turn.now)
        turn.emit(.report(.step(.beginning(bounce.method, cause.verdict))))
        take(bounce, &turn)
    }

    /// The upper half of a bounce, for a link that somebody else's block took down.
    mutating func beginRaise(_ survey: Survey, _ turn: inout Turn) {
        aftermath.tried()
        turn.emit(.report(.step(.raisingAfterBlock)))
        forgetKeepsake(&turn)
        let ladder = Ladder([.bounce], leftover: arrears?.snapshot ?? Snapshot())
        let bounce = Bounce(.asked, before: survey, ladder, isRaiseOnly: true, at: turn.now)
        raise(bounce, &turn)
    }

    private mutating func take(_ bounce: Bounce, _ turn: inout Turn) {
        guard bounce.method.mayCostRoutes else { return perform(bounce, &turn) }
        turn.emit(.takeSnapshot)
        enter(.preparing(bounce))
    }

    /// What there is to lose is known.
    mutating func prepared(_ bounce: Bounce, _ snapshot: Snapshot, _ turn: inout Turn) {
        var bounce = bounce
        bounce.snapshot = snapshot.after(bounce.ladder.leftover)
        bounce.method.takesLinkDown ? goDown(bounce, &turn) : perform(bounce, &turn)
    }

    private mutating func perform(_ bounce: Bounce, _ turn: inout Turn) {
        forgetKeepsake(&turn)
        turn.emit(.perform(bounce.method))
        enter(.performing(bounce))
    }

    /// Whatever is tried, and however much of it, is one bounce of the back-off and the budget.
    mutating func spent(_ bounce: Bounce, _ turn: inout Turn) -> Bounce {
        guard !bounce.isSpent else { return bounce }
        let (now, settings) = (turn.now, settings)
        restrain(&turn) { $0.spend(at: now, settings: settings) }
        var bounce = bounce
        bounce.isSpent = true
        return bounce
    }

    // MARK: What does not take the link down

    mutating func performed(_ bounce: Bounce, _ turn: inout Turn) {
        var bounce = spent(bounce, &turn)
        bounce.raisedAt = turn.now
        settle(bounce, &turn)
    }

    mutating func notPerformed(_ bounce: Bounce, _ failure: Failure, _ turn: inout Turn) {
        // What is not there was not tried either.
        if failure.kind == .noSuchDevice { return vanish(&turn) }
        if bounce.method.mayCostRoutes, failure.leavesInDoubt {
            // Perhaps it is under way all the same: it has its time, and what it costs is put back.
            let step = Report.Step.passedOver(bounce.method, .performing, failure, next: nil)
            turn.emit(.report(.step(step)))
            return performed(bounce, &turn)
        }
        let bounce = failure.kind == .unavailable ? bounce : spent(bounce, &turn)
        goOn(after: bounce.failed(.performing, failure), &turn)
    }

    // MARK: From one method to the next

    /// The method at hand has done what it could.
    mutating func methodEnded(_ bounce: Bounce, _ turn: inout Turn) {
        guard let next = bounce.ladder.next, let verdict = bounce.verdict,
            verdict.callsForBounce(on: settings.bouncedLayers)
        else { return endBounce(bounce, &turn) }
        release(&turn)
        turn.emit(.report(.step(.climbing(from: bounce.method, to: next, verdict))))
        lookBeforeClimbing(bounce, &turn)
    }

    /// A method was not carried out: the next one may be.
    mutating func goOn(after bounce: Bounce, _ turn: inout Turn) {
        guard let obstacle = bounce.obstacle else { return }
        let next = bounce.ladder.next
        if next != nil || !bounce.methods.isEmpty {
            let step = Report.Step.passedOver(bounce.method, obstacle.step, obstacle.failure, next: next)
            turn.emit(.report(.step(step)))
        }
        if next != nil { return lookBeforeClimbing(bounce, &turn) }
        bounce.methods.isEmpty ? endFruitless(bounce, &turn) : endBounce(bounce, &turn)
    }

    /// Meanwhile somebody may have set the link down, or want it left alone.
    private mutating func lookBeforeClimbing(_ bounce: Bounce, _ turn: inout Turn) {
        // What is left of the fault, not what there was before the methods so far.
        let left = bounce.cause.map { bounce.verdict ?? bounce.ladder.verdict ?? $0 }
        let cause = left.map { BounceCause.sick($0) } ?? bounce.call
        enter(.inquiring(makeInquiry(scope: .kernelOnly, cause: cause, climb: bounce, &turn)))
    }

    /// What was done is told; where nothing was, the case is looked at anew.
    /// - Parameter inquiry: without a survey where that failed.
    mutating func goOn(_ last: Bounce, _ inquiry: Inquiry, _ turn: inout Turn) {
        if isPermitted(inquiry, at: turn.now), let next = last.climbed(at: turn.now) {
            return take(next, &turn)
        }
        last.isBegun ? endBounce(last, &turn) : lookAfresh(&turn)
    }

    private func isPermitted(_ inquiry: Inquiry, at now: Instant) -> Bool {
        guard let survey = inquiry.survey, let cause = inquiry.cause else { return false }
        return survey.refusal(under: settings) == nil
            && administratorsObjection(to: cause, survey, at: now) == nil
            && (!sparesUsers(from: cause) || survey.use == nil) && inquiry.life(in: survey) == nil
    }

    /// What was about to be done is not wanted, or not right, any more.
    mutating func startOver(_ turn: inout Turn) {
        let bounce: Bounce? = if case .inquiring(let inquiry) = state { inquiry.climb } else { state.bounce }
        guard let bounce, bounce.isBegun else { return lookAfresh(&turn) }
        letGo(&turn)
        endBounce(bounce, &turn)
    }
}

extension Failure {
    /// How far it came before it failed is not known.
    fileprivate var leavesInDoubt: Bool {
        switch kind {
        case .timedOut, .lost: true
        case .noSuchDevice, .notPermitted, .radioBlocked, .unavailable, .busy, .cannotWrite, .other: false
        }
    }
}
