import Model

/// A person asks the service for a bounce: this very one, whatever the health, the back-off, the budget, a hold and
/// the quiet hours say, and whoever is logged in. What the state of the interface forbids stays forbidden, and the
/// bounce counts like any other.
extension Toggler {
    /// A bounce that is under way is the one that was asked for: there is never a second one at its side.
    mutating func bounceRequested(delay: Duration?, _ effects: inout EffectBuffer) {
        guard runMode == .watch else { return }
        switch state {
        case .waiting: begin(scope: .kernelOnly, cause: .person(delay: delay), &effects)
        case .checking(let check):
            guard check.escalation == nil, check.cause?.isPersons != true else { return }
            letGo(&effects)
            begin(scope: .kernelOnly, cause: .person(delay: delay), &effects)
        case .restoring(var bounce):
            bounce.sequel?.wish = .person(delay: delay)
            enter(.restoring(bounce))
        case .awaitingOwner(var bounce):
            bounce.sequel?.wish = .person(delay: delay)
            enter(.awaitingOwner(bounce))
        case .idle, .absent, .preparing, .performing, .arming, .lowering, .keepingDown, .raising,
            .awaitingLink,
            .verifying, .pausing, .comparing, .finished:
            break
        }
    }

    /// A person's wish that is not fulfilled yet; nil: there is none.
    var personsCause: BounceCause? {
        let cause: BounceCause? =
            if case .checking(let check) = state {
                check.cause
            } else {
                state.bounce?.sequel?.wish ?? state.bounce?.call
            }
        return cause?.isPersons == true ? cause : nil
    }

    /// Whoever toggles by hand knows who is logged in, perhaps they themselves.
    func sparesUsers(from cause: BounceCause) -> Bool {
        !isByHand(cause) && !settings.bouncesInUse
    }

    /// Whoever asks for a toggle asks for this very bounce.
    func administratorsReason(to cause: BounceCause, _ kernelState: KernelState, at now: Instant)
        -> NoBounceReason?
    {
        if isByHand(cause) { return nil }
        if let administrativeHold = kernelState.administrativeHold, administrativeHold.holds(at: now) {
            return .onHold(administrativeHold)
        }
        if let until = kernelState.quietUntil, now < until { return .quiet(until: until) }
        return nil
    }

    private func isByHand(_ cause: BounceCause) -> Bool { runMode == .toggle || cause.isPersons }
}

extension Bounce {
    /// How long the link is held down.
    func hold(under settings: Settings) -> Duration {
        switch call {
        case .person(let delay): delay ?? settings.delay
        case .asked, .sick: settings.delay
        }
    }
}
