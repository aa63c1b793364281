import Model

/// The methods of `--method auto`, the gentlest first: ``RemedyRow/table`` lists them by the evidence. Those
/// that the user names beside it follow the bounce. LostInterface.swift decides about an interface that its
/// device has lost, `NoBounceReason` about a disconnect that a user wants, and TogglerRefusedRaise.swift about
/// a link that the kernel does not raise after a bounce.
///
/// An owner that has given up does not come back after a bounce, but connects on a request. An owner that
/// does not run, or does not answer, must be restarted. A radio that refuses to scan, or whose firmware has
/// crashed, still refuses after a bounce. A method that did not help is not tried again in the same outage,
/// with two exceptions that the back-off limits: the bounce, and the request to an owner that has given up.
/// If neither helped, only the request is repeated: the obstacle, such as a wrong key, may be gone by then.
/// After a bounce in vain, the owner is examined again: it may have given up, died or hung in the bounce.
extension Toggler {
    func methods(for cause: BounceCause, _ kernelState: KernelState, at now: Instant) -> [Method] {
        let isRadios =
            kernelState.radioCondition != nil && cause.verdict?.layer == .association
            && cause.verdict?.callsForBounce(on: settings.bouncedLayers) == true
        let inVain = limiter.state.inVain
        let mayRestart = self.mayRestart(for: cause, at: now)
        let owners = kernelState.ownerCondition?.kind.remedy
        let remedies = [isRadios && mayRestart ? .reset : nil, owners].compactMap(\.self).filter {
            asksOwner(about: cause) && (!inVain.contains($0) || $0 == .owner)
        }
        let mayBounce = !remedies.contains(.owner) || !inVain.contains(.owner) || !inVain.contains(.bounce)
        let methodsBesideAuto = settings.methodsBesideAuto.filter {
            (isRequested(cause) || !inVain.contains($0)) && !remedies.contains($0)
        }
        let isOnlyOwners = kernelState.resolverFails || cause.verdict?.reason == .disconnectedLocally
        let others = isOnlyOwners ? [] : (mayBounce ? [.bounce] : []) + methodsBesideAuto
        return (settings.methods.isEmpty ? remedies + others : settings.methods)
            .filter { $0 != .reboot && ($0 != .restartOwner || mayRestart) }
    }

    /// Whether the three restarts and resets a day allow another one. They do not limit a user's request.
    func mayRestart(for cause: BounceCause, at now: Instant) -> Bool {
        isRequested(cause) || limiter.noRestartReason(at: now) == nil
    }

    /// Whether the conditions of owner and radio are queried: they decide about the methods, or may forbid a reboot.
    func asksOwner(about cause: BounceCause) -> Bool {
        (settings.methods.isEmpty || settings.mayReboot)
            && [.association, .address].contains(cause.verdict?.layer)
            || settings.methods.isEmpty && cause.verdict?.failedLookup != nil
    }
}
