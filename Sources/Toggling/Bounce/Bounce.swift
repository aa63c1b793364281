import Model

/// A bounce under way: one method of the ladder, from its start to its report. `ladder` has the results of
/// the methods before it.
public struct Bounce: Hashable, Sendable {
    let call: BounceCause
    /// The kernel state before the bounce.
    let before: KernelState
    let begun: Instant
    let ladder: Ladder
    public internal(set) var step: Step = .preparing
    var plan: Plan
    /// A guard was requested and is not dismissed yet.
    var isGuarded = false
    var snapshot: Snapshot
    var loweredAt: Instant?
    /// When the link was raised, or when a method that leaves it up was carried out.
    var raisedAt: Instant?
    /// Why this method was not carried out; nil: it was, or still may be.
    var methodFailure: MethodFailure?
    /// Counted in the back-off and the budget.
    var isSpent: Bool
    var restoration = Restoration()
    /// The last verdict after the raise.
    var verdict: Verdict?
    /// When a check reached it.
    private var judgedAt: Instant?
    /// When settling ends; nil: not raised yet.
    var settleUntil: Instant?
    /// When the time of the address owner ends; nil: it has not begun.
    var ownerUntil: Instant?
    /// When the first attempt to raise the link was made.
    var raisingSince: Instant?
    /// Failed attempts to raise.
    var failedRaises = 0
    var lastRaiseFailure: Failure?
    /// The number of the last kernel state that this bounce requested, if it has no answer yet.
    var pendingQuery: Int?
    /// The guard died while the link was being lowered.
    var isGuardLost = false
    /// nil: the owner scans for the network without our help.
    var fastReconnect: FastReconnect?
    /// Raise the link, restore what it lost, and end.
    var isTerminating = false
    /// Lowering failed: only make sure that the link is up.
    var loweringFailure: Failure?
    /// What an earlier bounce or an rfkill block destroyed is restored with this bounce.
    private(set) var carriesPendingRestore: Bool

    init(
        _ call: BounceCause, before: KernelState, _ ladder: Ladder, plan: Plan = .whole, at now: Instant
    ) {
        self.ladder = ladder
        self.plan = plan
        snapshot = ladder.leftover
        carriesPendingRestore = !ladder.leftover.items.isEmpty
        isSpent = ladder.isSpent
        self.call = call
        self.before = before
        begun = now
    }

    /// The waits between attempts to raise the link double from the first to the longest.
    private static let firstRetry: Duration = .seconds(1)
    private static let longestRetry: Duration = .seconds(30)

    /// The verdict that caused the bounce; nil: it was requested, or it does not lower the link.
    var cause: Verdict? { call.verdict }

    /// The wait before the next attempt to raise the link.
    var retryWait: Duration {
        var wait = Self.firstRetry
        for _ in 1..<max(failedRaises, 1) where wait < Self.longestRetry { wait = wait * 2 }
        return min(wait, Self.longestRetry)
    }

    /// The pending restore belongs to another network.
    mutating func dropPendingRestore() {
        snapshot = Snapshot()
        carriesPendingRestore = false
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
    func recovery(at now: Instant) -> Duration {
        raisedAt.map { (judgedAt ?? now) - $0 } ?? .zero
    }

    /// Whether something was lost that nobody has restored.
    var isIncomplete: Bool { restoration.lost.count > restoration.restored.count }

    /// Whether there was nothing to probe before the bounce either: the link had an address but no gateway.
    var hadNoGateway: Bool { before.fault == nil && before.gateways.isEmpty }
}
