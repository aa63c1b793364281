@testable import Toggling

/// What the referee keeps of what the toggler was told.
extension Referee {
    /// Of a verdict only what the rules are about.
    struct Cause: Hashable {
        var isGatewaySilent: Bool
        var isTargetSilent: Bool

        init(_ verdict: Verdict) {
            isGatewaySilent = if case .gatewaySilent = verdict.reason { true } else { false }
            isTargetSilent = if case .targetSilent = verdict.reason { true } else { false }
        }
    }

    struct Life: Hashable {
        var isOnLink: Bool
        var isBeyond: Bool

        init(_ survey: Survey, within span: Duration) {
            let signs = (survey.fault == nil ? survey.life ?? [] : []).filter { $0.heard <= span }
            isOnLink = signs.contains { sign in
                sign.manner == .connection
                    || sign.manner == .neighbour && !survey.gateways.contains { $0.address == sign.peer }
            }
            isBeyond = signs.contains { $0.manner == .connectionBeyond }
        }
    }
}
