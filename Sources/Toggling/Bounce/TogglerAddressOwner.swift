import Model

/// Waits until the address owner has configured the link anew, so that its items rank before all others.
extension Toggler {
    /// Goes on when the link is operational.
    mutating func awaitOwner(_ bounce: consuming Bounce, _ effects: inout Effects) {
        if bounce.ownerUntil == nil, settings.restores, bounce.snapshot.hasSomethingAwaited,
            let timeout = bounce.snapshot.timeout, let settleUntil = bounce.settleUntil
        {
            bounce.ownerUntil = min(settleUntil, effects.now + timeout)
        }
        bounce.ownerUntil == nil ? putBack(bounce, &effects) : compareOwner(bounce, &effects)
    }

    mutating func compareOwner(_ bounce: Bounce, _ effects: inout Effects) {
        effects.emit(.disarm(.retry))
        effects.emit(.restore(bounce.snapshot, puttingBack: false))
        enter(.awaitingOwner(compareAt: nil), bounce)
    }

    mutating func ownerCompared(_ bounce: consuming Bounce, _ found: Restoration, _ effects: inout Effects) {
        let overdue = bounce.snapshot.overdue(in: found)
        let end = bounce.ownerUntil ?? effects.now
        if bounce.isTerminating || overdue.isEmpty { return putBack(bounce, &effects) }
        if effects.now >= end {
            if let addressOwner = bounce.snapshot.addressOwner {
                effects.report(.ownerOverdue(addressOwner, missing: overdue))
            }
            bounce.snapshot = bounce.snapshot.taking(over: found)
            return putBack(bounce, &effects)
        }
        planComparison(bounce, at: min(effects.now + Self.compareSpacing, end), &effects)
    }

    private mutating func planComparison(_ bounce: Bounce, at instant: Instant, _ effects: inout Effects) {
        effects.emit(.arm(.retry, at: instant))
        enter(.awaitingOwner(compareAt: instant), bounce)
    }

    /// Handles announcements in this step; most come from the address owner's own changes.
    /// - Parameter compareAt: the time of the next comparison; nil: one is under way.
    mutating func noticeWhileAwaitingOwner(
        _ event: Event, _ bounce: consuming Bounce, compareAt: Instant?, _ effects: inout Effects
    ) {
        switch event {
        case .linkChanged(let link) where !link.isOperational:
            // A bounce that only restores does not wait for the link.
            guard let end = bounce.settleUntil, effects.now < end, !bounce.isTerminating, bounce.sequel == nil
            else { return }
            // Netlink answers in order. So the answer to a comparison under way comes before the answer to
            // this query, and is not mistaken for the answer to a later comparison.
            bounce.step = .awaitingLink
            effects.emit(.disarm(.retry))
            queryKernel(within: bounce, &effects)
        case .addressingChanged, .addressingLost, .monitorOverran:
            let soon = effects.now + Self.verifySpacing
            guard let compareAt, soon < compareAt else { return }
            planComparison(bounce, at: soon, &effects)
        default: break
        }
    }
}
