/// Where a fault sits, from the bottom up.
public enum Layer: String, Codable, Hashable, Sendable, CaseIterable {
    case radio, association, address, gateway, dns, internet, portal
}

/// The answer to "is the link healthy?", with what it rests on.
public struct Verdict: Codable, Hashable, Sendable {
    public enum Conclusion: String, Codable, Hashable, Sendable, CaseIterable {
        case healthy, sick
        /// The question could not be asked. Never a ground for a bounce.
        case unknown
    }

    public var conclusion: Conclusion
    /// The lowest layer at fault or in doubt; nil when healthy.
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

/// Why a verdict is what it is.
public enum Reason: Codable, Hashable, Sendable {
    // healthy
    /// The gateway proved so long ago that it hears us; no packet was needed.
    case gatewayConfirmed(IPAddress, ago: Duration)
    case probeAnswered(ProbeRequest.Question)
    /// No probe is configured, and the kernel finds nothing wrong.
    case nothingWrongInKernel
    // sick
    case radioBlocked(RadioBlock)
    case administrativelyDown
    case notAssociated
    /// Nor can it be: of the network that the station had nothing is heard, while so many others were, the last
    /// one so long ago.
    case ssidNotFound(SSID, others: Int, ago: Duration)
    /// Nor is it meant to be: this machine itself left the network, and nobody asked to join again.
    case disconnectedLocally
    /// Associated, but the keys are not installed: the operational state is not UP.
    case notAuthorised(OperationalState)
    /// A cable, or the far end of it.
    case noCarrier
    case noAddress
    /// Duplicate address detection has not ended.
    case addressNotReady
    case gatewaySilent([IPAddress])
    /// There was a gateway before the bounce, and now there is no route through it.
    case gatewayRouteLost([IPAddress])
    /// The gateway answers, what lies behind it does not.
    case targetSilent([ProbeRequest.Question])
    /// The gateway answers, no name server does.
    case nameServerSilent([ProbeRequest.Question])
    /// An answer came, and it is not the right one.
    case answerWrong(ProbeRequest.Question, detail: String)
    /// Somebody answers in place of who was asked, and wants a person to log in.
    case portal(ProbeRequest.Question, detail: String)
    // unknown
    case noGateway
    case couldNotAsk(Failure)
    /// No answer, from a target that has never answered in this network.
    case neverAnswered(ProbeRequest.Question)
    /// The command at this path was not run, or ended without a word that counts.
    case commandUndecided(String, Failure)
    case kernelStateFailed(Failure)
    case noAnswerFromSystem
    /// Raised, and nobody was to wait for more.
    case notVerified
}

/// One thing that was seen.
///
/// What is large stands elsewhere: an enumeration is as large as its largest case, and a verdict has six of them.
public enum Evidence: Codable, Hashable, Sendable {
    case radio(RadioBlock)
    case administrative(isUp: Bool)
    case operational(OperationalState, hasCarrier: Bool)
    indirect case association(Association?)
    case addresses([InterfaceAddress])
    case gateways([Gateway])
    /// Packets since the last check.
    case traffic(received: UInt64, sent: UInt64, over: Duration)
    /// Who was heard all the same.
    indirect case liveness(Liveness)
    indirect case probe(ProbeRequest.Question, ProbeResult)
}
