import Model

/// What a healthy link bears, taken before anything happens to it: with a link that somebody else's rfkill block takes
/// down the kernel forgets routes and IPv6 addresses, and then it is too late to ask.
struct Baseline: Hashable, Sendable {
    /// What was borne, and in which network.
    struct Content: Hashable, Sendable {
        let snapshot: Snapshot
        let network: Network
    }

    /// What was borne by a link that was set down, by whomever.
    struct Dropped: Hashable, Sendable {
        let content: Content
        let at: Instant
    }

    /// nil: nothing that somebody would have to put back, or it is not known any more.
    private(set) var content: Content?
    private(set) var dropped: Dropped?
    /// Asked for, and not answered yet.
    private(set) var isTaking = false
    /// Something has come or gone since it was asked for.
    private(set) var isStale = true
    private(set) var askedAt: Instant?
    /// Of the last healthy verdict.
    var network: Network?

    /// What comes is missing in it for a while; after anything has gone, perhaps by an administrator's hand, it must
    /// not be put back.
    mutating func note(_ event: Event, at now: Instant) {
        switch event {
        case .linkChanged(let link): if !link.isUp { drop(at: now) }
        case .addressingChanged: isStale = true
        case .addressingLost, .monitorOverran:
            content = nil
            isStale = true
        case .started, .deadlineReached, .kernelStateRead, .kernelStateFailed, .probeFinished, .snapshotTaken,
            .snapshotFailed, .baselineTaken, .guardArmed, .guardFailed, .guardLost, .linkLowered,
            .linkLoweringFailed, .linkRaised, .linkRaisingFailed, .performed, .performingFailed, .restored,
            .linkAppeared, .linkRemoved, .radioChanged, .disconnected, .joinAttempted, .scanBegun,
            .scanAborted, .directedScanDone, .scanFinished,
            .resumed,
            .cycleRequested, .bounceRequested, .reconfigured, .terminationRequested:
            break
        }
    }

    /// The link was set down: the kernel tells so before it tells what went with it.
    mutating func drop(at now: Instant) {
        if let content { dropped = Dropped(content: content, at: now) }
        content = nil
        isStale = true
    }

    /// From here on a bounce has its own snapshot.
    mutating func forget() {
        content = nil
        dropped = nil
        isStale = true
    }

    mutating func asked(at now: Instant) {
        isTaking = true
        isStale = false
        askedAt = now
    }

    /// - Parameter snapshot: nil: the kernel did not tell.
    mutating func taken(_ snapshot: Snapshot?) {
        guard isTaking else { return }
        isTaking = false
        guard !isStale else { return }
        guard let snapshot, let network else {
            forget()
            return
        }
        content = snapshot.isWorthKeeping ? Content(snapshot: snapshot, network: network) : nil
    }

    /// What the link bore when it was set down, if that was within this span.
    mutating func takeDropped(at now: Instant, within duration: Duration) -> Content? {
        defer { dropped = nil }
        guard let dropped, now - dropped.at <= duration else { return nil }
        return dropped.content
    }
}

extension Snapshot {
    /// Whether a link that is set down loses anything that nobody but an administrator would put back; power saving
    /// outlives it.
    public var isWorthKeeping: Bool { items.contains { isOurs($0) && $0.kind != .powerSave } }
}

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
