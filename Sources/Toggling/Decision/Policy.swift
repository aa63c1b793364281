import Model

/// Which faults are bounced: the only table.
///
///     layer        fault                                      bounced   because
///     radio        blocked by rfkill                          never     only an unblock helps
///     radio        set down by somebody else                  never     somebody wants it down
///     association  not associated, or without keys            yes       the station scans and joins anew
///     association  its network is not in the air              never     there is nothing to join
///     association  left by this machine itself                never     somebody wants it so
///     association  no carrier, on a wire                      never     only the far end or the cable helps
///     address      none, or never usable                      yes       the owner asks for one anew
///     gateway      silent, or its route lost in a bounce      yes       joins, asks and resolves anew
///     gateway      silent, while others are heard             held      the link receives (`Liveness`)
///     dns          no name server answers, or not rightly     no        the gateway answers
///     internet     nobody beyond the gateway answers rightly  no        the link is fine
///     portal       somebody wants a person to log in          no        the link is fine
///     (none)       could not be asked: unknown                never     nothing is known to be sick
///
/// `yes` and `no` are defaults, which the user can change (`--bounce-on`); `never` cannot be changed. `held`
/// is decided again before each bounce, and lasts as long as another host is heard. It also applies to a
/// silent host beyond the gateway, if the user wants bounces for that and a TCP connection to a host beyond
/// the gateway is alive.
public enum Policy {
    /// The layers whose faults are bounced by default: those that the station itself negotiates.
    public static let bouncedLayers: LayerSet = [.association, .address, .gateway]
    /// The layers that a user may choose from.
    public static let eligibleLayers = Layer.allCases.filter { $0 != .radio }
}

extension Verdict {
    /// Whether a bounce is the remedy for this verdict.
    /// - Parameter layers: the layers whose faults are bounced.
    public func callsForBounce(on layers: LayerSet) -> Bool {
        guard conclusion == .sick, let layer, layers.contains(layer) else { return false }
        switch reason {
        case .radioBlocked, .administrativelyDown, .ssidNotFound, .disconnectedLocally, .noCarrier:
            return false
        case .notAssociated, .notAuthorised, .noAddress, .addressNotReady, .gatewaySilent,
            .gatewayRouteLost, .targetSilent, .nameServerSilent, .answerWrong, .portal:
            return true
        // These reasons never come with a sick verdict.
        case .gatewayConfirmed, .probeAnswered, .nothingWrongInKernel, .noGateway, .couldNotAsk,
            .neverAnswered,
            .commandUndecided, .kernelStateFailed, .noAnswerFromSystem, .notVerified:
            return false
        }
    }
}
