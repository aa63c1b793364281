import Model

/// One method of the ladder, from its start to its report. `ladder` has the results of the earlier methods.
public struct Bounce: Hashable, Sendable {
    let cause: BounceCause
    /// The kernel state before the bounce.
    let before: KernelState
    var ladder: Ladder
    public internal(set) var step: Step = .preparing
    var plan: Plan
    /// When the guard was requested; nil: it was not, or it is dismissed.
    var guardedSince: Instant?
    var snapshot: Snapshot
    private(set) var loweredAt: Instant?
    /// How long the link was down before `loweredAt`, because it could not be raised after the bounce.
    private var downBefore: Duration = .zero
    /// When the link was raised, or when a method that leaves it up was carried out; nil: not yet.
    var raisedAt: Instant?
    /// Since when the link is known to be set down again after the raise; nil: it is up, or not known.
    private(set) var downSince: Instant?
    /// Why this method was not carried out; nil: it was carried out, or still may be. If lowering failed, the
    /// link may be down in spite of the error, and is raised before the bounce ends.
    var methodFailure: MethodFailure?
    var restoration = Restoration()
    /// The last verdict after the raise.
    var verdict: Verdict?
    /// When a check reached `verdict`.
    private(set) var judgedAt: Instant?
    /// When the settle time ends; nil: the link is not raised yet.
    var settleUntil: Instant?
    /// When the wait for the address owner ends; nil: it has not begun.
    var ownerUntil: Instant?
    /// The number of the kernel query that has no answer yet; nil: there is none.
    var pendingQuery: Int?
    /// The data of the fast reconnect; nil: the owner's scan is not aborted.
    var fastReconnect: FastReconnect?
    /// Whether the program was told to end: it raises the link, restores what was lost, and ends.
    var isTerminating = false

    init(_ cause: BounceCause, before: KernelState, _ ladder: Ladder, plan: Plan = .whole) {
        self.cause = cause
        self.before = before
        self.ladder = ladder
        self.plan = plan
        snapshot = ladder.leftover
    }

    var isGuarded: Bool { guardedSince != nil }

    /// How long the bounce keeps the link down.
    func downTime(under settings: Settings) -> Duration {
        if case .userRequest(let delay?) = cause { delay } else { settings.delay }
    }

    /// Whether the method may have removed the interface, and may still bring it back.
    func mayBringBack(at now: Instant) -> Bool {
        method.mayReplaceInterface && !isTerminating && settleUntil.map { now < $0 } ?? (step == .performing)
    }

    /// Whether the method, or a crash of the device in it, may have removed the interface, if that is gone now.
    var hasRemoved: Bool {
        let isCrash = !method.mayRemoveInterface
        return isWhole && (isCrash ? method.takesLinkDown && isLinkInOurHands : step.phase != .untouched)
    }

    /// Notes that the link is down, or is still down when the next method takes over.
    mutating func lowered(at now: Instant) {
        downBefore = downBefore + (loweredAt.map { now - $0 } ?? .zero)
        loweredAt = now
    }

    /// How long the link was down until the raise; zero: it was not lowered or not raised.
    var downOfMethod: Duration {
        guard let raisedAt, let loweredAt else { return .zero }
        return downBefore + (raisedAt - loweredAt)
    }

    /// Notes whether the link is set down again after the raise.
    /// - Returns: whether it has been down too long for an owner that sets it down only for a moment.
    mutating func staysDown(_ isDown: Bool, at now: Instant) -> Bool {
        downSince = isDown ? downSince ?? now : nil
        return downSince.map { now - $0 >= Toggler.ownersDown } ?? false
    }

    /// Notes the verdict of a check after the raise.
    mutating func judge(_ verdict: Verdict, at now: Instant) {
        self.verdict = corrected(verdict)
        judgedAt = now
    }

    /// If no route has a gateway any more, but one did before the bounce, the verdict is sick, not unknown.
    private func corrected(_ verdict: Verdict) -> Verdict {
        guard verdict.reason == .noGateway, !before.gateways.isEmpty else { return verdict }
        let lost = Reason.gatewayRouteLost(before.gateways.map(\.address))
        return Verdict(.sick, layer: .gateway, reason: lost, evidence: verdict.evidence)
    }

    /// The time from the raise to the last verdict, or to now if there is none. A wait after the last
    /// verdict, such as for an address that the owner has not configured yet, does not count.
    func recovery(at now: Instant) -> Duration { raisedAt.map { (judgedAt ?? now) - $0 } ?? .zero }

    /// Whether this bounce also restores what an earlier bounce or an rfkill block destroyed.
    var carriesPendingRestore: Bool { ladder.hadLeftover && !ladder.leftover.items.isEmpty }

    /// Whether an item was lost that this program has not restored.
    var isIncomplete: Bool { restoration.lost.count > restoration.restored.count }

    /// Whether there was nothing to probe before the bounce: the link had an address but no gateway.
    var hadNoGateway: Bool { before.fault == nil && before.gateways.isEmpty }
}
