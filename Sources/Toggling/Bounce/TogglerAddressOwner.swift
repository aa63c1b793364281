import Model

/// Waiting for whoever gives the link its addresses: only what comes after its own stays, and stands behind it.
extension Toggler {
    /// The link is operational.
    mutating func awaitOwner(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        var bounce = bounce
        guard let end = bounce.ownerUntil ?? ownersEnd(bounce, at: effects.now) else {
            return putBack(bounce, &effects)
        }
        bounce.ownerUntil = end
        compareOwner(bounce, &effects)
    }

    mutating func compareOwner(_ bounce: Bounce, _ effects: inout EffectBuffer) {
        var bounce = bounce
        bounce.isComparing = true
        effects.emit(.disarm(.retry))
        effects.emit(.restore(bounce.snapshot, puttingBack: false))
        enter(.awaitingOwner(bounce))
    }

    /// nil: there is nobody, or nothing, to wait for.
    private func ownersEnd(_ bounce: Bounce, at now: Instant) -> Instant? {
        guard let timeout = bounce.snapshot.timeout, let settleUntil = bounce.settleUntil,
            bounce.snapshot.hasSomethingAwaited, settings.restores
        else { return nil }
        return min(settleUntil, now + timeout)
    }

    mutating func ownerCompared(_ bounce: Bounce, _ comparison: Restoration, _ effects: inout EffectBuffer) {
        guard bounce.isComparing else { return }
        var bounce = bounce
        bounce.isComparing = false
        let overdue = bounce.snapshot.overdue(in: comparison)
        let end = bounce.ownerUntil ?? effects.now
        if bounce.isTerminating || overdue.isEmpty { return putBack(bounce, &effects) }
        if effects.now >= end {
            if let addressOwner = bounce.snapshot.addressOwner {
                effects.emit(.report(.step(.ownerOverdue(addressOwner, missing: overdue))))
            }
            return putBack(bounce, &effects)
        }
        planComparison(bounce, at: min(effects.now + Self.compareSpacing, end), &effects)
    }

    private mutating func planComparison(_ bounce: Bounce, at instant: Instant, _ effects: inout EffectBuffer)
    {
        var bounce = bounce
        bounce.verifyAt = instant
        effects.emit(.arm(.retry, at: instant))
        enter(.awaitingOwner(bounce))
    }

    /// What is announced while the keeper works: mostly what it does.
    mutating func noticeWhileKeeping(_ event: Event, _ bounce: Bounce, _ effects: inout EffectBuffer) {
        switch event {
        case .linkChanged(let link) where !link.isOperational:
            // What is only to be made good is left for another time.
            guard let end = bounce.settleUntil, effects.now < end, !bounce.isTerminating, bounce.sequel == nil
            else { return }
            var bounce = bounce
            // The answer comes before that of the kernel state, and means nothing any more.
            bounce.isComparing = false
            effects.emit(.disarm(.retry))
            enter(.awaitingLink(bounce))
            ask(within: bounce, &effects)
        case .addressingChanged, .addressingLost, .monitorOverran:
            let soon = effects.now + Self.verifySpacing
            guard !bounce.isComparing, let planned = bounce.verifyAt, soon < planned else { return }
            planComparison(bounce, at: soon, &effects)
        default: break
        }
    }
}
