import Model

/// Which methods are tried with `--method auto`, the gentlest first. Methods that the user names beside
/// `auto` follow the bounce.
///
///     fault                               owner                    methods
///     association, address                has given up             owner, bounce
///     association, address                is dead or hung          restart-owner, bounce
///     association, address                was told to disconnect   none (`NoBounceReason`)
///     the machine left its network        is dead or hung          restart-owner
///     the machine left its network        any other                none (`NoBounceReason`)
///     association, address                any other                bounce
///     any other that a bounce may cure    is not asked             bounce
///
/// An owner that has given up does not come back after a bounce, but connects on a request. An owner that
/// does not run, or does not answer, must be restarted. A method that did not help is not tried again in the
/// same outage, with two exceptions: the bounce, which has a back-off, and the request to the owner when
/// bounces are useless and an hour apart. By then its obstacle may be gone, such as a wrong key.
extension Toggler {
    func methods(for cause: BounceCause, _ kernelState: KernelState, at now: Instant) -> [Method] {
        let remedy: Method? =
            switch kernelState.ownerCondition?.kind {
            case .gaveUp: .owner
            case .hung, .dead: .restartOwner
            case .toldToDisconnect, nil: nil
            }
        let inVain = limiter.state.inVain
        let remedies = [remedy].compactMap(\.self).filter {
            asksOwner(about: cause) && (!inVain.contains($0) || $0 == .owner && !limiter.helps)
        }
        let lastResorts = settings.lastResorts.filter { isByHand(cause) || !inVain.contains($0) }
        let mayRestart = isByHand(cause) || limiter.noRestartReason(at: now) == nil
        return (settings.methods.isEmpty ? remedies + [.bounce] + lastResorts : settings.methods)
            .filter { $0 != .reboot && ($0 != .restartOwner || mayRestart) }
    }

    /// Whether the owner's condition is queried: it decides about the methods, or may forbid a reboot.
    func asksOwner(about cause: BounceCause) -> Bool {
        (settings.methods.isEmpty || settings.mayReboot)
            && [.association, .address].contains(cause.verdict?.layer)
    }
}
