import Model

/// How each step of a bounce handles an event. Answers to steps that have ended are ignored.
extension Toggler {
    mutating func bounceStepFinished(_ event: Event, _ effects: inout Effects) {
        guard case .bouncing(let bounce) = state else { return }
        switch (bounce.step, event) {
        case (.preparing, .snapshotTaken(let snapshot)): prepared(bounce, snapshot, &effects)
        case (.preparing, .snapshotFailed(let failure)): giveUp(bounce, .snapshot, failure, &effects)
        case (.performing, .performed): performed(bounce, &effects)
        case (.performing, .performingFailed(let failure)): notPerformed(bounce, failure, &effects)
        case (.arming, .guardArmed): guardArmed(bounce, &effects)
        case (.arming, .guardFailed(let failure)): giveUp(bounce, .guarding, failure, &effects)
        case (.lowering(let isGuardLost), .linkLowered): keepDown(bounce, isGuardLost: isGuardLost, &effects)
        case (.lowering, .linkLoweringFailed(let failure)): notLowered(bounce, failure, &effects)
        case (.raising(let attempts), .guardArmed) where attempts.awaitsGuard:
            guardArmed(bounce.goingOn(with: .reset, at: effects.now), &effects)
        case (.raising(let attempts), .guardFailed(let failure)) where attempts.awaitsGuard:
            notReset(bounce, .guarding, failure, &effects)
        case (.raising, .linkRaised): raised(bounce, &effects)
        case (.raising(let attempts), .linkRaisingFailed(let failure)):
            notRaised(bounce, attempts, failure, &effects)
        case (.raising(let attempts), .performingFailed(let failure)) where attempts.isRebooting:
            notRebooted(bounce, attempts, failure, &effects)
        case (.awaitingOwner(compareAt: nil), .restored(let comparison)):
            ownerCompared(bounce, comparison, &effects)
        case (.restoring, .restored(let restoration)): restored(bounce, restoration, &effects)
        case (.comparing, .restored(let restoration)): compared(bounce, restoration, &effects)
        default: break
        }
    }

    mutating func reached(_ deadline: Deadline, _ bounce: Bounce, _ effects: inout Effects) {
        switch (bounce.step, deadline) {
        case (.verifying, .probes): checkTimedOut(&effects)
        case (.arming, .retry): giveUp(bounce, .guarding, .guardLate, &effects)
        case (.scanning, .retry): directedScanDone(isHeard: false, &effects)
        case (.keepingDown, .keepDown): raise(bounce, &effects)
        case (.raising(let attempts), .retry) where !attempts.isInFlight: raise(bounce, &effects)
        case (.awaitingLink, .retry): queryKernel(within: bounce, &effects)
        case (.awaitingLink, .settle): putBack(bounce, &effects)
        case (.awaitingOwner, .retry): compareOwner(bounce, &effects)
        case (.comparing, .retry): compareAgain(bounce, &effects)
        case (.pausing, .retry), (.pausing, .settle): verify(bounce, &effects)
        default: break
        }
    }

    /// Handles an announcement of the kernel, or the death of the guard.
    mutating func notice(_ event: Event, _ bounce: Bounce, _ effects: inout Effects) {
        switch (bounce.step, event) {
        case (.arming, .guardLost): giveUp(bounce, .guarding, .guardEnded, &effects)
        case (.preparing, _), (.scanning, _), (.arming, _):
            if event.forbidsBounce { startOver(&effects) }
        case (.lowering(isGuardLost: false), .guardLost):
            // The link may not be down yet. It is raised as soon as the kernel reports that it is down.
            effects.report(.guardLost)
            enter(.lowering(isGuardLost: true), bounce)
        case (.keepingDown, .guardLost):
            effects.report(.guardLost)
            raise(bounce, &effects)
        // The station has joined before the machine is rebooted.
        case (.performing, .linkChanged(let link)) where bounce.method == .reboot:
            if link.isOperational, !bounce.before.link.isOperational { startOver(&effects) }
        case (.keepingDown, .linkChanged(let link)): if link.isUp { queryKernel(within: bounce, &effects) }
        // The cause of the failed raise may be over, or no guard is left to raise the link.
        case (.raising(let attempts), .radioChanged(.none)), (.raising(let attempts), .guardLost):
            if !attempts.isInFlight { raise(bounce, &effects) }
        // Another program has raised the link, so its device works.
        case (.raising(let attempts), .linkChanged(let link)):
            let mayRaise = attempts.awaitsGuard || attempts.isRebooting && !attempts.isInFlight
            if mayRaise, link.isUp { raise(bounce, &effects) }
        case (.awaitingLink, .linkChanged(let link)):
            if link.isOperational || !link.isUp { queryKernel(within: bounce, &effects) }
        case (.keepingDown, .monitorOverran), (.awaitingLink, .monitorOverran),
            (.awaitingLink, .addressingChanged), (.awaitingLink, .addressingLost):
            queryKernel(within: bounce, &effects)
        case (.awaitingOwner(let compareAt), _):
            noticeWhileAwaitingOwner(event, bounce, compareAt: compareAt, &effects)
        case (.pausing(let planned), _):
            let soon = effects.now + Self.verifySpacing
            if soon < planned { pause(bounce, until: soon, &effects) }
        default: break
        }
    }
}
