import Model

/// Which faults lead to a bounce. This table has all the rules.
///
///     layer        fault                                      bounced   because
///     radio        blocked by rfkill                          never     only an unblock helps
///     radio        set down by a user or another program     never     it is meant to be down
///     radio        its device has lost the interface          never     a reset helps (LostInterface.swift)
///     association  not associated, or without keys            yes       the station scans and joins anew
///     association  set down by the kernel itself              yes       no user wanted that
///     association  none since it appeared, and never healthy  never     its owner may not want it: unknown
///     association  its network was not found                  never     there is nothing to join
///     association  this machine itself left the network       never     a user wanted that, if its owner runs
///     association  no carrier, on a wire                      never     only the cable or its end helps
///     address      none, or never usable                      yes       the owner requests one again
///     address      none, on a master that never had one        never     a master needs none: unknown
///     gateway      silent, or its route lost in a bounce      yes       the station joins anew
///     gateway      answers ARP, but no longer an echo         yes       another host may answer ARP for it
///     gateway      silent, while other hosts are heard        held      the link receives (`Liveness`)
///     dns          no name server answers, or only wrongly    no        the gateway answers
///     internet     no right answer from beyond the gateway    no        the link is fine
///     portal       a portal requires a login                  no        the link is fine
///     (none)       unknown: the check was not possible        never     no fault is known
///
/// `yes` and `no` are defaults, which the user can change (`--bounce-on`); `never` cannot be changed. `held`
/// is decided again before each bounce, and lasts as long as another host is heard. It also applies to a
/// silent host beyond the gateway, if the user wants such bounces, and a TCP connection beyond it is alive.
extension Verdict {
    /// Whether a bounce is the remedy for this verdict.
    /// - Parameter layers: the layers whose faults lead to a bounce.
    public func callsForBounce(on layers: LayerSet) -> Bool {
        guard conclusion == .sick, let layer, layers.contains(layer) else { return false }
        switch reason {
        case .notAssociated, .closedByKernel, .notAuthorised, .noAddress, .addressNotReady,
            .gatewaySilent, .gatewayEchoSilent, .gatewayRouteLost, .targetSilent, .nameServerSilent,
            .answerWrong, .portal:
            return true
        // The reasons from `neverAssociated` on never come with a sick verdict.
        case .radioBlocked, .administrativelyDown, .interfaceLost, .ssidNotFound, .disconnectedLocally,
            .noCarrier, .neverAssociated, .gatewayConfirmed, .probeAnswered, .nothingWrongInKernel,
            .noGateway, .couldNotAsk, .neverAnswered, .commandUndecided, .kernelStateFailed,
            .noAnswerFromSystem, .notVerified:
            return false
        }
    }
}
