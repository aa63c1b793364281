@testable import Model
@testable import Toggling

/// The parts of the toggler's input that the referee keeps.
extension Referee {
    /// The parts of a verdict that the rules use.
    struct Cause: Hashable {
        var isGatewaySilent: Bool
        var isEchoSilent: Bool
        var isTargetSilent: Bool
        /// Whether a request to the owner, or its restart, may help.
        var isOwners: Bool
        /// Whether the fault is one of the association, so that the radio may be its cause.
        var isAssociations: Bool
        /// Whether this machine itself left its network.
        var isLeave: Bool
        /// Whether names are not resolved, so that systemd-resolved may be the cause.
        var isOfNames: Bool

        init(_ verdict: Verdict) {
            isGatewaySilent = if case .gatewaySilent = verdict.reason { true } else { false }
            isEchoSilent = verdict.reason.isEchoSilence
            isTargetSilent = if case .targetSilent = verdict.reason { true } else { false }
            isOwners = [.association, .address].contains(verdict.layer)
            isAssociations = verdict.layer == .association
            isLeave = verdict.reason == .disconnectedLocally
            isOfNames = verdict.layer == .dns
        }
    }

    /// The ICMP echo requests to the gateway.
    struct GatewayEchoes: Hashable {
        /// The ids of the probes without a result.
        var asked: Set<Int> = []
        private(set) var hasAnswered: Bool
        private static let question = ProbeRequest.Question.icmp(.address(Sample.gateway))

        init(hasAnswered: Bool) { self.hasAnswered = hasAnswered }

        mutating func begun(_ request: ProbeRequest) {
            if request.question == Self.question { asked.insert(request.id) }
        }

        mutating func finished(_ id: Int, _ result: ProbeResult) {
            if asked.remove(id) != nil, result.isReply { hasAnswered = true }
        }

        /// Only a gateway that has answered an echo is blamed for its silence, and only by the service.
        func judge(_ verdict: Verdict, _ runMode: RunMode) -> [String] {
            guard case .gatewayEchoSilent = verdict.reason else { return [] }
            let results = verdict.evidence.compactMap { evidence -> ProbeResult? in
                if case .probe(Self.question, let result) = evidence { result } else { nil }
            }
            return (hasAnswered && runMode == .watch ? [] : ["blames a gateway that may filter ICMP"])
                + (!results.isEmpty && results.allSatisfy(\.isSilence)
                    ? [] : ["blames a gateway that it did not ask"])
        }
    }

    struct Liveness: Hashable {
        var isConnected: Bool
        var isOnLink: Bool
        var isBeyond: Bool

        init(_ kernelState: KernelState, within duration: Duration) {
            let signs = (kernelState.fault == nil ? kernelState.liveness ?? [] : []).filter {
                $0.heard <= duration
            }
            isConnected = signs.contains { $0.manner == .connection }
            isOnLink = signs.contains { sign in
                sign.manner == .connection
                    || sign.manner == .neighbour && !kernelState.gateways.contains { $0.address == sign.peer }
            }
            isBeyond = signs.contains { $0.manner == .connectionBeyond }
        }
    }
}
