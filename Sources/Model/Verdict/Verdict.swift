/// A layer in which a fault can be, from the lowest up.
public enum Layer: String, Codable, Hashable, Sendable, CaseIterable {
    case radio, association, address, gateway, dns, internet, portal
}

/// The answer to "is the link healthy?", with its evidence.
public struct Verdict: Encodable, Hashable, Sendable {
    /// Whether the link is healthy.
    public enum Conclusion: String, Encodable, Hashable, Sendable, CaseIterable {
        case healthy, sick
        /// The health could not be determined. This never causes a bounce.
        case unknown
    }

    public var conclusion: Conclusion
    /// The lowest layer at fault or in doubt; nil: healthy, or no layer is known.
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
public indirect enum Reason: Encodable, Hashable, Sendable {
    // Reasons for a healthy verdict.
    /// The kernel confirmed the gateway as reachable this long ago, which replaces the answer to a probe.
    case gatewayConfirmed(IPAddress, ago: Duration)
    /// A probe got the right answer.
    case probeAnswered(ProbeRequest.Question)
    /// No probe is configured, and the kernel state shows no fault.
    case nothingWrongInKernel
    // Reasons for a sick verdict.
    case radioBlocked(RadioBlock)
    case administrativelyDown
    case notAssociated
    /// The kernel itself, not a program, set the link down, because the driver could not restart its device.
    case closedByKernel
    /// The interface has disappeared, although nobody unplugged its device
    /// (``RadioCondition/lostInterface(_:)``).
    case interfaceLost
    /// Not associated, because the station's network is not in range: scans found `others` other networks,
    /// most recently `ago` before the check, but not this SSID.
    case ssidNotFound(SSID, others: Int, ago: Duration)
    /// Not associated, because this machine itself left the network, and no program has tried to join it
    /// again.
    case disconnectedLocally
    /// Associated, but the encryption keys are not installed: the operational state is not UP.
    case notAuthorised(OperationalState)
    /// No carrier on a wired link: a fault of the cable, or of its far end.
    case noCarrier
    case noAddress
    /// Duplicate address detection has not finished, or has failed.
    case addressNotReady
    case gatewaySilent([IPAddress])
    /// The gateways answer neighbour probes but, unlike before, no ICMP echo. For at least this long, nothing
    /// came over a TCP connection either.
    case gatewayEchoSilent([IPAddress], over: Duration)
    /// Before the bounce there were routes through these gateways; now no route has a gateway.
    case gatewayRouteLost([IPAddress])
    /// Hosts beyond the gateway do not answer, and no fault of the gateway was found.
    case targetSilent([ProbeRequest.Question])
    /// No name server answers, and no fault of the gateway was found.
    case nameServerSilent([ProbeRequest.Question])
    /// An answer came, and it is not the expected one.
    case answerWrong(ProbeRequest.Question, detail: String)
    /// A portal answers in place of the target, and requires a login.
    case portal(ProbeRequest.Question, detail: String)
    // Reasons for an unknown verdict.
    /// Not associated since the interface was created, and nothing is known of it from earlier checks and
    /// runs: its owner may not want a connection.
    case neverAssociated
    case noGateway
    case couldNotAsk(Failure)
    /// No answer, from a target that has never answered in this network.
    case neverAnswered(ProbeRequest.Question)
    /// The command at this path could not be run, or ended without a usable result.
    case commandUndecided(String, Failure)
    case kernelStateFailed(Failure)
    case noAnswerFromSystem
    /// No check has followed: the user did not want one (`--settle 0`), or no method was carried out.
    case notVerified
}

extension Reason {
    /// Whether the kernel refused a probe in a way that can also make the targets of other probes appear
    /// silent: without room in its neighbour table (ENOBUFS), the kernel drops the packets of TCP and of the
    /// helper without an error.
    public var mayHideSilence: Bool {
        if case .couldNotAsk(let failure) = self { failure.kind == .lost } else { false }
    }
}

/// One observation on which a verdict rests.
///
/// Large values are stored indirectly: an enumeration takes as much memory as its largest case, and a verdict
/// holds about six values of this type.
public enum Evidence: Encodable, Hashable, Sendable {
    case radio(RadioBlock)
    case administrative(isUp: Bool)
    case operational(OperationalState, hasCarrier: Bool)
    indirect case association(Association?)
    indirect case port(Port)
    case addresses([InterfaceAddress])
    case gateways([Gateway])
    /// The packets since the last check, and the time since then.
    case traffic(received: UInt64, sent: UInt64, over: Duration)
    /// A host that was heard although the probed host is silent.
    indirect case liveness(Liveness)
    case owner(OwnerCondition)
    case radioCondition(RadioCondition)
    indirect case probe(ProbeRequest.Question, ProbeResult)
}
