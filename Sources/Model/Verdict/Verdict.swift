/// Where a fault is, from the lowest layer up.
public enum Layer: String, Codable, Hashable, Sendable, CaseIterable {
    case radio, association, address, gateway, dns, internet, portal
}

/// The answer to "is the link healthy?", with its evidence.
public struct Verdict: Codable, Hashable, Sendable {
    public enum Conclusion: String, Codable, Hashable, Sendable, CaseIterable {
        case healthy, sick
        /// The health could not be determined. Never causes a bounce.
        case unknown
    }

    public var conclusion: Conclusion
    /// The lowest layer at fault or in doubt; nil if healthy.
    public var layer: Layer?
    public var reason: Reason
    public var evidence: [Evidence]

    public init(_ conclusion: Conclusion, layer: Layer? = nil, reason: Reason, evidence: [Evidence] = []) {
        self.conclusion = conclusion
        self.layer = layer
        self.reason = reason
        self.evidence = evidence
    }
}

/// The reason for a verdict.
public indirect enum Reason: Codable, Hashable, Sendable {
    // healthy
    /// The gateway was confirmed reachable this long ago; no packet was needed.
    case gatewayConfirmed(IPAddress, ago: Duration)
    case probeAnswered(ProbeRequest.Question)
    /// No probe is configured, and the kernel state shows no fault.
    case nothingWrongInKernel
    // sick
    case radioBlocked(RadioBlock)
    case administrativelyDown
    case notAssociated
    /// Not associated, and the station's network was not found: nothing was heard of it, while this many
    /// others were, the last one this long ago.
    case ssidNotFound(SSID, others: Int, ago: Duration)
    /// Not associated, because this machine itself left the network, and nothing has tried to join again.
    case disconnectedLocally
    /// Associated, but the keys are not installed: the operational state is not UP.
    case notAuthorised(OperationalState)
    /// A fault of the cable, or of its far end.
    case noCarrier
    case noAddress
    /// Duplicate address detection has not finished.
    case addressNotReady
    case gatewaySilent([IPAddress])
    /// The gateways answer neighbour probes and, unlike before, no ICMP echo, and nothing else came back over
    /// the link for at least this long.
    case gatewayEchoSilent([IPAddress], over: Duration)
    /// There was a gateway before the bounce, and now no route uses it.
    case gatewayRouteLost([IPAddress])
    /// The gateway answers, but hosts beyond it do not.
    case targetSilent([ProbeRequest.Question])
    /// The gateway answers, but no name server does.
    case nameServerSilent([ProbeRequest.Question])
    /// An answer came, and it is wrong.
    case answerWrong(ProbeRequest.Question, detail: String)
    /// A portal answers in place of the target, and requires a login.
    case portal(ProbeRequest.Question, detail: String)
    // unknown
    /// Not associated since the interface was created, and not known from earlier runs: its owner may not
    /// want it.
    case neverAssociated
    case noGateway
    case couldNotAsk(Failure)
    /// No answer, from a target that has never answered in this network.
    case neverAnswered(ProbeRequest.Question)
    /// The command at this path was not run, or ended without a usable result.
    case commandUndecided(String, Failure)
    case kernelStateFailed(Failure)
    case noAnswerFromSystem
    /// The link was raised, and no further wait was wanted.
    case notVerified
}

/// One observation.
///
/// Large values are stored indirectly: an enumeration is as large as its largest case, and a verdict has six
/// of them.
public enum Evidence: Codable, Hashable, Sendable {
    case radio(RadioBlock)
    case administrative(isUp: Bool)
    case operational(OperationalState, hasCarrier: Bool)
    indirect case association(Association?)
    indirect case port(Port)
    case addresses([InterfaceAddress])
    case gateways([Gateway])
    /// Packets since the last check.
    case traffic(received: UInt64, sent: UInt64, over: Duration)
    /// A host that was heard although the probed one is silent.
    indirect case liveness(Liveness)
    case owner(OwnerCondition)
    indirect case probe(ProbeRequest.Question, ProbeResult)
}
