@testable import Model
@testable import Toggling

/// What the referee keeps of the toggler's input.
extension Referee {
    /// Of a verdict only what the rules use.
    struct Cause: Hashable {
        var isGatewaySilent: Bool
        var isEchoSilent: Bool
        var isTargetSilent: Bool
        /// Its owner may have the remedy.
        var isOwners: Bool

        init(_ verdict: Verdict) {
            isGatewaySilent = if case .gatewaySilent = verdict.reason { true } else { false }
            isEchoSilent = verdict.reason.isEchoSilence
            isTargetSilent = if case .targetSilent = verdict.reason { true } else { false }
            isOwners = [.association, .address].contains(verdict.layer)
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
