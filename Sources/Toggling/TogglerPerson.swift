/// A person asks the service for a bounce: this very one, whatever the health, the back-off, the budget, a hold and
/// the quiet hours say, and whoever is logged in. What the state of the interface forbids stays forbidden, and the
/// bounce counts like any other.
extension Toggler {
    /// A bounce that is under way is the one that was asked for: there is never a second one at its side.
    mutating func bounceRequested(delay: Duration?, _ turn: inout Turn) {
        guard mission == .watch else { return }
        switch state {
        case .waiting: begin(scope: .kernelOnly, cause: .person(delay: delay), &turn)
        case .inquiring(let inquiry):
            guard inquiry.climb == nil, inquiry.cause?.isPersons != true else { return }
            letGo(&turn)
            begin(scope: .kernelOnly, cause: .person(delay: delay), &turn)
        case .restoring(var bounce):
            bounce.sequel?.wish = .person(delay: delay)
            enter(.restoring(bounce))
        case .awaitingKeeper(var bounce):
            bounce.sequel?.wish = .person(delay: delay)
            enter(.awaitingKeeper(bounce))
        case .idle, .absent, .preparing, .performing, .arming, .lowering, .holding, .raising, .awaitingLink,
            .verifying, .pausing, .comparing, .finished:
            break
        }
    }

    /// A person's wish that is not fulfilled yet; nil: there is none.
    var personsCause: BounceCause? {
        let cause: BounceCause? =
            if case .inquiring(let inquiry) = state {
                inquiry.cause
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
    func administratorsObjection(to cause: BounceCause, _ survey: Survey, at now: Instant) -> Refusal? {
        if isByHand(cause) { return nil }
        if let inhibition = survey.inhibition, inhibition.holds(at: now) { return .inhibited(inhibition) }
        if let until = survey.quietUntil, now < until { return .quiet(until: until) }
        return nil
    }

    private func isByHand(_ cause: BounceCause) -> Bool { mission == .toggle || cause.isPersons }
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
