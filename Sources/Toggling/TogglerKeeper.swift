/// Waiting for whoever gives the link its addresses: only what comes after its own stays, and stands behind it.
extension Toggler {
    /// The link is operational.
    mutating func awaitKeeper(_ bounce: Bounce, _ turn: inout Turn) {
        var bounce = bounce
        guard let end = bounce.keeperUntil ?? keepersEnd(bounce, at: turn.now) else {
            return putBack(bounce, &turn)
        }
        bounce.keeperUntil = end
        compareKeeper(bounce, &turn)
    }

    mutating func compareKeeper(_ bounce: Bounce, _ turn: inout Turn) {
        var bounce = bounce
        bounce.isComparing = true
        turn.emit(.disarm(.retry))
        turn.emit(.restore(bounce.snapshot, puttingBack: false))
        enter(.awaitingKeeper(bounce))
    }

    /// nil: there is nobody, or nothing, to wait for.
    private func keepersEnd(_ bounce: Bounce, at now: Instant) -> Instant? {
        guard let patience = bounce.snapshot.patience, let settleUntil = bounce.settleUntil,
            bounce.snapshot.hasSomethingAwaited, settings.restores
        else { return nil }
        return min(settleUntil, now + patience)
    }

    mutating func keeperCompared(_ bounce: Bounce, _ comparison: Restoration, _ turn: inout Turn) {
        guard bounce.isComparing else { return }
        var bounce = bounce
        bounce.isComparing = false
        let overdue = bounce.snapshot.overdue(in: comparison)
        let end = bounce.keeperUntil ?? turn.now
        if bounce.isTerminating || overdue.isEmpty { return putBack(bounce, &turn) }
        if turn.now >= end {
            if let keeper = bounce.snapshot.keeper {
                turn.emit(.report(.step(.keeperOverdue(keeper, missing: overdue))))
            }
            return putBack(bounce, &turn)
        }
        planComparison(bounce, at: min(turn.now + Self.compareSpacing, end), &turn)
    }

    private mutating func planComparison(_ bounce: Bounce, at moment: Instant, _ turn: inout Turn) {
        var bounce = bounce
        bounce.verifyAt = moment
        turn.emit(.arm(.retry, at: moment))
        enter(.awaitingKeeper(bounce))
    }

    /// What is announced while the keeper works: mostly what it does.
    mutating func noticeWhileKeeping(_ event: Event, _ bounce: Bounce, _ turn: inout Turn) {
        switch event {
        case .linkChanged(let link) where !link.isOperational:
            // What is only to be made good is left for another time.
            guard let end = bounce.settleUntil, turn.now < end, !bounce.isTerminating, bounce.sequel == nil
            else { return }
            var bounce = bounce
            // The answer comes before that of the survey, and means nothing any more.
            bounce.isComparing = false
            turn.emit(.disarm(.retry))
            enter(.awaitingLink(bounce))
            ask(within: bounce, &turn)
        case .surroundingsChanged, .surroundingsLost, .monitorOverran:
            let soon = turn.now + Self.verifySpacing
            guard !bounce.isComparing, let planned = bounce.verifyAt, soon < planned else { return }
            planComparison(bounce, at: soon, &turn)
        default: break
        }
    }
}
