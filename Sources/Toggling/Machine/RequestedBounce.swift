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
        case .bouncing(var bounce):
            bounce.sequel?.wish = .person(delay: delay)
            enter(.bouncing(bounce))
        case .idle, .absent, .finished: break
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
