import Model
import Toggling

/// The events for hooks. The raw value is the event's name.
public enum HookEvent: String, CaseIterable, Sendable {
    /// The service begins to watch the interface.
    case started
    /// The health changed, without a bounce.
    case health
    case bounceBegun = "bounce-begun"
    /// It was carried out, or failed.
    case bounceFinished = "bounce-finished"
    /// Another reason than before prevents a bounce.
    case held
    /// rfkill keeps the radio silent.
    case radioBlocked = "radio-blocked"
    case absent
    case appeared
}

/// Selects the reports of one interface that become events for hooks: changes, not checks.
public struct HookWatch {
    /// Why the last check did not bounce.
    private var noBounceKind: NoBounceReason.Kind?

    public init() {}

    /// - Returns: in order; empty: nothing has changed.
    public mutating func take(_ report: Report) -> [HookEvent] {
        switch report {
        case .watching: [.started]
        case .step(.beginning), .step(.raisingAfterBlock): [.bounceBegun]
        case .step(.absent): isNews(.absent) ? [.absent] : []
        case .step(.appeared): [.appeared]
        case .step(.escalating), .step(.passedOver), .step(.lowered), .step(.raisedByOther),
            .step(.guardLost), .step(.raised), .step(.loweredByOther), .step(.operational),
            .step(.scanAborted), .step(.ownerOverdue), .step(.restoredLate), .step(.raiseFailed),
            .step(.finishing):
            []
        case .cycle(let cycle): take(cycle)
        }
    }

    private mutating func take(_ cycle: CycleReport) -> [HookEvent] {
        let health: [HookEvent] = cycle.change.isJudgement ? [.health] : []
        switch cycle.action {
        case .none:
            noBounceKind = nil
            return health
        case .bounced, .raised, .failed:
            noBounceKind = nil
            return [.bounceFinished]
        case .held(let noBounceReason), .skipped(let noBounceReason), .refused(let noBounceReason):
            let noBounceKind = noBounceReason.kind
            guard isNews(noBounceKind) else { return health }
            return health + [noBounceKind == .radioBlocked ? .radioBlocked : .held]
        }
    }

    private mutating func isNews(_ noBounceKind: NoBounceReason.Kind) -> Bool {
        defer { self.noBounceKind = noBounceKind }
        return noBounceKind != self.noBounceKind
    }
}

extension HealthChange {
    /// It became healthy or sick. A link that is not checked any more has become neither.
    fileprivate var isJudgement: Bool { before != after && after != .undetermined }
}
