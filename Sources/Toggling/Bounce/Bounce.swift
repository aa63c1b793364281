import Model

/// A bounce under way: what is remembered from its beginning to its report. One method of the ladder; what the
/// methods before it have come to is in `ladder`.
public struct Bounce: Hashable, Sendable {
    let call: BounceCause
    /// What the kernel knew before.
    let before: KernelState
    let begun: Instant
    let ladder: Ladder
    public internal(set) var step: Step = .preparing
    var plan: Plan
    /// A guard was asked for and is not dismissed yet.
    var isGuarded = false
    var snapshot: Snapshot
    var loweredAt: Instant?
    /// Or when what does not take the link down was done.
    var raisedAt: Instant?
    /// Why this method was not carried out; nil: it was, or may still be.
    var methodFailure: MethodFailure?
    /// The back-off and the budget know of it.
    var isSpent: Bool
    var restoration = Restoration()
    /// The last verdict after the raise.
    var verdict: Verdict?
    /// When a check came to it.
    private var judgedAt: Instant?
    /// When settling ends; nil: not raised yet.
    var settleUntil: Instant?
    /// When the address owner's time is over; nil: it has not begun.
    var ownerUntil: Instant?
    /// When raising was first tried.
    var raisingSince: Instant?
    /// Failed attempts to raise.
    var failedRaises = 0
    var lastRaiseFailure: Failure?
    /// The number of the kernel state that was asked for within this bounce and is not answered yet.
    var pendingQuery: Int?
    /// The guard died while the link was being lowered.
    var isGuardLost = false
    /// nil: its owner is left to look for the network.
    var fastReconnect: FastReconnect?
    /// Raise, put back, and end.
    var isTerminating = false
    /// Lowering failed: only make sure that the link is up.
    var loweringFailure: Failure?
    /// What an earlier bounce, or a block, had cost is put back with it.
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

    /// Waits between attempts to raise: doubled from the first to the longest.
    private static let firstRetry: Duration = .seconds(1)
    private static let longestRetry: Duration = .seconds(30)

    /// The verdict that called for it; nil: it was asked for, or there is nothing to lower.
    var cause: Verdict? { call.verdict }

    /// The wait before the next attempt to raise.
    var retryWait: Duration {
        var wait = Self.firstRetry
        for _ in 1..<max(failedRaises, 1) where wait < Self.longestRetry { wait = wait * 2 }
        return min(wait, Self.longestRetry)
    }

    /// What an earlier bounce had cost belongs elsewhere.
    mutating func dropPendingRestore() {
        snapshot = Snapshot()
        carriesPendingRestore = false
    }

    /// A check after the raise came to this.
    mutating func judge(_ verdict: Verdict, at now: Instant) {
        self.verdict = corrected(verdict)
        judgedAt = now
    }

    /// A gateway that was there before and is in no route now is lost, not unknown.
    private func corrected(_ verdict: Verdict) -> Verdict {
        guard verdict.reason == .noGateway, !before.gateways.isEmpty else { return verdict }
        let lost = Reason.gatewayRouteLost(before.gateways.map(\.address))
        return Verdict(.sick, layer: .gateway, reason: lost, evidence: verdict.evidence)
    }

    /// From the raise to the last verdict, or else to now. What was waited for after it, such as an address that its
    /// owner had not brought back yet, is no part of it.
    func recovery(at now: Instant) -> Duration {
        raisedAt.map { (judgedAt ?? now) - $0 } ?? .zero
    }

    /// Whether anything is missing that nobody has put back.
    var isIncomplete: Bool { restoration.lost.count > restoration.restored.count }

    /// Whether there was nothing to ask before either: an address, and no gateway.
    var hadNoGateway: Bool { before.fault == nil && before.gateways.isEmpty }
}
