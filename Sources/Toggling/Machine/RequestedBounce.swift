import Model

/// A user's request to the service for an immediate bounce, which counts like any other. It overrules health,
/// back-off, budgets, holds, quiet hours and logins. The state of the interface can still forbid the bounce.
extension Toggler {
    /// Begins the requested bounce. A bounce that is already under way fulfils the request: a link never has
    /// two bounces at a time. If that bounce only restores, the requested one follows it.
    mutating func bounceRequested(delay: Duration?, _ effects: inout Effects) {
        guard runMode == .watch else { return }
        switch state {
        case .waiting: begin(scope: .kernelOnly, cause: .userRequest(delay: delay), &effects)
        case .checking(let check):
            guard check.escalation == nil, check.cause?.isUserRequest != true else { return }
            letGo(&effects)
            begin(scope: .kernelOnly, cause: .userRequest(delay: delay), &effects)
        case .bouncing(var bounce):
            bounce.sequel?.requested = .userRequest(delay: delay)
            enter(.bouncing(bounce))
        case .idle, .absent, .finished: break
        }
    }

    /// Begins a requested check. A restore under way is finished first; a whole bounce is verified anyway.
    mutating func cycleRequested(_ effects: inout Effects) {
        if case .waiting = state { return check(&effects) }
        guard case .bouncing(var bounce) = state else { return }
        bounce.sequel?.check = NextCheck(at: effects.now, why: .schedule)
        enter(.bouncing(bounce))
    }

    /// A user's request that is not fulfilled yet; nil: there is none.
    var openUserRequest: BounceCause? {
        let cause = state.check?.cause ?? state.bounce?.sequel?.requested ?? state.bounce?.cause
        return cause?.isUserRequest == true ? cause : nil
    }
}
