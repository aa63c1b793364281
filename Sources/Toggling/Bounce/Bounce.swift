import Model

/// A bounce under way: one method of the ladder, from its start to its report. `ladder` has the results of
/// the methods before it.
public struct Bounce: Hashable, Sendable {
    let call: BounceCause
    /// The kernel state before the bounce.
    let before: KernelState
    var ladder: Ladder
    public internal(set) var step: Step = .preparing
    var plan: Plan
    /// A guard was requested and is not dismissed yet.
    var isGuarded = false
    var snapshot: Snapshot
    var loweredAt: Instant?
    /// When the link was raised, or when a method that leaves it up was carried out.
    var raisedAt: Instant?
    /// Why this method was not carried out; nil: it was, or still may be. If lowering failed, the link may be
    /// down in spite of the error, and is raised before the bounce ends.
    var methodFailure: MethodFailure?
    var restoration = Restoration()
    /// The last verdict after the raise.
    var verdict: Verdict?
    /// When a check reached it.
    private var judgedAt: Instant?
    /// When settling ends; nil: not raised yet.
    var settleUntil: Instant?
    /// When the time of the address owner ends; nil: it has not begun.
    var ownerUntil: Instant?
    /// The number of the last kernel state that this bounce requested, if it has no answer yet.
    var pendingQuery: Int?
    /// nil: the owner scans for the network without our help.
    var fastReconnect: FastReconnect?
    /// Raise the link, restore what it lost, and end.
    var isTerminating = false

    init(_ call: BounceCause, before: KernelState, _ ladder: Ladder, plan: Plan = .whole) {
        self.call = call
        self.before = before
        self.ladder = ladder
        self.plan = plan
        snapshot = ladder.leftover
    }

    /// The verdict that caused the bounce; nil: no verdict caused it.
    var cause: Verdict? { call.verdict }

    /// How long the link is kept down.
    func hold(under settings: Settings) -> Duration {
        if case .person(let delay?) = call { delay } else { settings.delay }
    }

    /// A check after the raise reached this verdict.
    mutating func judge(_ verdict: Verdict, at now: Instant) {
        self.verdict = corrected(verdict)
        judgedAt = now
    }

    /// If a gateway from before the bounce is in no route now, it is lost: the verdict is sick, not unknown.
    private func corrected(_ verdict: Verdict) -> Verdict {
        guard verdict.reason == .noGateway, !before.gateways.isEmpty else { return verdict }
        let lost = Reason.gatewayRouteLost(before.gateways.map(\.address))
        return Verdict(.sick, layer: .gateway, reason: lost, evidence: verdict.evidence)
    }

    /// From the raise to the last verdict, or to now if there is none. Waits after the last verdict do not
    /// count, such as for an address that the owner has not configured yet.
    func recovery(at now: Instant) -> Duration { raisedAt.map { (judgedAt ?? now) - $0 } ?? .zero }

    /// What an earlier bounce or an rfkill block destroyed is restored with this bounce.
    var carriesPendingRestore: Bool { !ladder.leftover.items.isEmpty }

    /// Whether something was lost that nobody has restored.
    var isIncomplete: Bool { restoration.lost.count > restoration.restored.count }

    /// Whether there was nothing to probe before the bounce either: the link had an address but no gateway.
    var hadNoGateway: Bool { before.fault == nil && before.gateways.isEmpty }
}
