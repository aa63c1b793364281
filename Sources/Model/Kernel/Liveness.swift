/// Somebody who was heard over the interface while the one who was asked kept silent: a link that still receives what
/// is sent to it alone is not dead, and a bounce would only cut off those who use it.
public struct Liveness: Codable, Hashable, Sendable {
    /// How it was heard.
    public enum Manner: String, Codable, Hashable, Sendable, CaseIterable {
        /// Data, or an acknowledgement of ours, on a TCP connection with a host on the link.
        case connection
        /// The same of a host beyond a gateway.
        case connectionBeyond
        /// It proved to the kernel that it hears us (nda_cacheinfo.ndm_confirmed), and is no gateway.
        case neighbour
    }

    public var peer: IPAddress
    public var manner: Manner
    /// So long ago.
    public var heard: Duration

    public init(peer: IPAddress, manner: Manner, heard: Duration) {
        self.peer = peer
        self.manner = manner
        self.heard = heard
    }

    /// What was heard longer ago says nothing of the link as it is now: it may have died since the silence began.
    package static let duration: Duration = .seconds(10)
}

extension Verdict {
    /// Who is to be heard for the link to be alive in spite of this fault; empty: nobody could be, or it would not
    /// matter. Without association or address there is nothing to hear; who answers wrongly is there, and names are
    /// not resolved by connections that are made.
    package var contradictions: Set<Liveness.Manner> {
        guard conclusion == .sick else { return [] }
        switch reason {
        case .gatewaySilent: return Set(Liveness.Manner.allCases)
        // That the gateway and its network are there is known.
        case .targetSilent: return [.connectionBeyond]
        case .gatewayConfirmed, .probeAnswered, .nothingWrongInKernel, .radioBlocked, .administrativelyDown,
            .notAssociated, .ssidNotFound, .disconnectedLocally, .notAuthorised, .noCarrier, .noAddress,
            .addressNotReady, .gatewayRouteLost, .nameServerSilent, .answerWrong, .portal, .noGateway,
            .couldNotAsk, .neverAnswered, .commandUndecided, .kernelStateFailed, .noAnswerFromSystem,
            .notVerified:
            return []
        }
    }
}

extension KernelState {
    /// Who was heard last of those who contradict this verdict; nil: nobody, or nobody looked, or the kernel itself knows
    /// of a fault by now.
    /// - Parameter span: who was heard longer ago does not count.
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
