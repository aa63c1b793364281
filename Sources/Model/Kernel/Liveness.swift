/// Another host that was heard over the interface while the probed one was silent. A link that still receives
/// unicast is not dead, and a bounce would only interrupt its users.
public struct Liveness: Codable, Hashable, Sendable {
    /// How the host was heard.
    public enum Manner: String, Codable, Hashable, Sendable, CaseIterable {
        /// Data, or an acknowledgement, on a TCP connection with a host on the link.
        case connection
        /// The same from a host beyond a gateway.
        case connectionBeyond
        /// It was confirmed reachable (nda_cacheinfo.ndm_confirmed), and is not a gateway.
        case neighbour
    }

    public var peer: IPAddress
    public var manner: Manner
    /// How long ago it was heard.
    public var heard: Duration

    public init(peer: IPAddress, manner: Manner, heard: Duration) {
        self.peer = peer
        self.manner = manner
        self.heard = heard
    }

    /// Anything older says nothing about the current link: it may have died since the silence began.
    package static let duration: Duration = .seconds(10)
}

extension Verdict {
    /// The manners that show, in spite of this fault, that the link is alive; empty: none can, or it would be
    /// irrelevant. Without association or address nothing can be heard. A wrong answer is not silence. And an
    /// established connection does not show that names are resolved.
    package var contradictions: Set<Liveness.Manner> {
        guard conclusion == .sick else { return [] }
        switch reason {
        case .gatewaySilent: return Set(Liveness.Manner.allCases)
        // Another host may have answered for the neighbour, as for the gateway.
        case .gatewayEchoSilent: return [.connection, .connectionBeyond]
        // The gateway and its network are known to be reachable.
        case .targetSilent: return [.connectionBeyond]
        case .gatewayConfirmed, .probeAnswered, .nothingWrongInKernel, .radioBlocked, .administrativelyDown,
            .notAssociated, .ssidNotFound, .disconnectedLocally, .notAuthorised, .noCarrier, .noAddress,
            .addressNotReady, .gatewayRouteLost, .nameServerSilent, .answerWrong, .portal, .noGateway,
            .couldNotAsk, .neverAnswered, .commandUndecided, .kernelStateFailed, .noAnswerFromSystem,
            .neverAssociated, .notVerified:
            return []
        }
    }
}

extension KernelState {
    /// Whether something was received on a TCP connection recently, if that was requested.
    package var hasConnection: Bool { (liveness ?? []).contains { $0.manner != .neighbour } }

    /// The host heard last of those that contradict this verdict; nil: there is none, it was not requested,
    /// or the kernel state itself has a fault by now.
    /// - Parameter duration: older evidence does not count.
    package func liveness(against verdict: Verdict, within duration: Duration) -> Liveness? {
        if fault != nil { return nil }
        let routers = Set(gateways.map(\.address))
        let signs = (liveness ?? []).filter { sign in
            verdict.contradictions.contains(sign.manner) && sign.heard <= duration
                && !(sign.manner == .neighbour && routers.contains(sign.peer))
        }
        return signs.min { $0.heard < $1.heard }
    }
}
