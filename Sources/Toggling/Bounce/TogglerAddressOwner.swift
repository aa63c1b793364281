import Model

/// Waits for the address owner: what is restored after the owner's own configuration stays, and ranks behind
/// it.
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
        effects.emit(.disarm(.retry))
        effects.emit(.restore(bounce.snapshot, puttingBack: false))
        enter(.awaitingOwner(compareAt: nil), bounce)
    }

    /// nil: there is no owner to wait for, or nothing that it has to restore.
    private func ownersEnd(_ bounce: Bounce, at now: Instant) -> Instant? {
        guard let timeout = bounce.snapshot.timeout, let settleUntil = bounce.settleUntil,
            bounce.snapshot.hasSomethingAwaited, settings.restores
        else { return nil }
        return min(settleUntil, now + timeout)
    }

    mutating func ownerCompared(_ bounce: Bounce, _ comparison: Restoration, _ effects: inout EffectBuffer) {
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
        effects.emit(.arm(.retry, at: instant))
        enter(.awaitingOwner(compareAt: instant), bounce)
    }

    /// Announcements while the address owner works mostly come from its own changes.
    /// - Parameter compareAt: nil: a comparison is under way.
    mutating func noticeWhileAwaitingOwner(
        _ event: Event, _ bounce: Bounce, compareAt: Instant?, _ effects: inout EffectBuffer
    ) {
        switch event {
        case .linkChanged(let link) where !link.isOperational:
            // A bounce that only restores leaves this for later.
            guard let end = bounce.settleUntil, effects.now < end, !bounce.isTerminating, bounce.sequel == nil
            else { return }
            var bounce = bounce
            // The answer to a comparison under way comes before that of the kernel state, for netlink answers in order; it is
            // ignored, and is not taken for that of a later comparison.
            bounce.step = .awaitingLink
            effects.emit(.disarm(.retry))
            ask(within: bounce, &effects)
        case .addressingChanged, .addressingLost, .monitorOverran:
            let soon = effects.now + Self.verifySpacing
            guard let compareAt, soon < compareAt else { return }
            planComparison(bounce, at: soon, &effects)
        default: break
        }
    }
}
