/// A host that was heard over the interface while the probed host was silent. A link that still receives
/// unicast packets works, and a bounce would only interrupt its users.
public struct Liveness: Codable, Hashable, Sendable {
    /// How the host was heard.
    public enum Manner: String, Codable, Hashable, Sendable, CaseIterable {
        /// Data or an acknowledgement was received on a TCP connection with a host on the link.
        case connection
        /// Data or an acknowledgement was received on a TCP connection with a host beyond a gateway.
        case connectionBeyond
        /// The kernel confirmed the host, which is not a gateway, as a reachable neighbour
        /// (nda_cacheinfo.ndm_confirmed).
        case neighbour
    }

    public var peer: IPAddress
    public var manner: Manner
    /// How long ago the host was heard.
    public var heard: Duration

    public init(peer: IPAddress, manner: Manner, heard: Duration) {
        self.peer = peer
        self.manner = manner
        self.heard = heard
    }

    /// The largest age at which a host counts as heard. If it was heard before that, the link may have died
    /// since.
    package static let duration: Duration = .seconds(10)
}

extension Verdict {
    /// The manners of liveness that contradict this verdict; empty: none does. Only silence can be
    /// contradicted: without an association or an address, no host can be heard, and neither a wrong answer
    /// nor a lost route is silence. The silence of all name servers is not contradicted either: an
    /// established connection does not show that names are resolved.
    package var contradictions: Set<Liveness.Manner> {
        guard conclusion == .sick, reason.isSilence else { return [] }
        switch reason {
        case .gatewaySilent: return Set(Liveness.Manner.allCases)
        // A neighbour entry proves nothing here: another host may have answered for the neighbour, as for the
        // gateway.
        case .gatewayEchoSilent: return [.connection, .connectionBeyond]
        // No fault of the gateway was found; only a host beyond it counts.
        case .targetSilent: return [.connectionBeyond]
        default: return []
        }
    }
}

extension KernelState {
    /// Whether data or an acknowledgement was received recently on a TCP connection, if that was requested.
    package var hasConnection: Bool { (liveness ?? []).contains { $0.manner != .neighbour } }

    /// Among the hosts that contradict this verdict, the one heard last; nil: there is none, liveness was not
    /// requested, or the kernel state itself shows a fault.
    /// - Parameter duration: the largest age of the evidence.
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
