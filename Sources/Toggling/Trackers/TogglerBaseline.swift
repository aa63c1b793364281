/// What somebody else's rfkill block costs is put back as what a bounce of ours costs.
extension Toggler {
    /// Announcements come in swarms.
    private static let baselineDelay: Duration = .milliseconds(100)
    /// Between two that are taken, however much is announced; the looks that find all well come beside it.
    static let baselineSpacing: Duration = .seconds(2)

    private var keepsBaseline: Bool { runMode == .watch && settings.restores && !settings.isDryRun }

    mutating func noteBaseline(_ event: Event, at now: Instant) {
        baseline.note(event, at: now)
        oweRestoreAfterBlock(at: now)
    }

    /// A kernel state that was asked for may be ahead of the announcements.
    mutating func noteBaseline(_ kernelState: KernelState, at now: Instant) {
        if !kernelState.link.isUp { baseline.drop(at: now) }
        oweRestoreAfterBlock(at: now)
    }

    /// Which of both is told first, the block or the link, is not known.
    private mutating func oweRestoreAfterBlock(at now: Instant) {
        guard rfkillTracker.takeConclusion(), keepsBaseline,
            let lost = baseline.takeDropped(at: now, within: RFKillTracker.reach)
        else { return }
        pendingRestore = PendingRestore(lost, until: now + PendingRestore.timeout)
    }

    /// Something has come or gone: the next check may be too late.
    mutating func planBaseline(_ effects: inout EffectBuffer) {
        guard isBaselineDue else { return }
        let earliest = baseline.askedAt.map { $0 + Self.baselineSpacing } ?? effects.now
        effects.emit(.arm(.baseline, at: max(effects.now + Self.baselineDelay, earliest)))
    }

    mutating func renewBaseline(_ effects: inout EffectBuffer) {
        guard isBaselineDue, !baseline.isTaking else { return }
        baseline.asked(at: effects.now)
        effects.emit(.takeBaseline)
    }

    /// Only what is well is worth keeping, and only once all is back that was lost before.
    private var isBaselineDue: Bool {
        guard case .waiting = state, keepsBaseline, baseline.isStale, pendingRestore == nil else {
            return false
        }
        return lastVerdict?.conclusion == .healthy && lastSeen?.isOperational != false
            && rfkillTracker.isUp != false
    }

    mutating func baselineTaken(_ snapshot: Snapshot?, _ effects: inout EffectBuffer) {
        guard baseline.isTaking else { return }
        baseline.taken(snapshot)
        if snapshot != nil { planBaseline(&effects) }
    }

    /// The link is in our hands: what is noted from now on is our own doing.
    mutating func forgetBaseline(_ effects: inout EffectBuffer) {
        guard runMode == .watch else { return }
        baseline.forget()
        effects.emit(.disarm(.baseline))
    }
}
