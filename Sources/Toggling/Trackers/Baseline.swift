import Model

/// The routes, addresses and neighbours of a healthy link, recorded in advance: when an rfkill block by
/// another program takes a link down, the kernel forgets routes and IPv6 addresses, and then it is too late
/// to ask.
struct Baseline: Hashable, Sendable {
    /// The recorded configuration, and its network.
    struct Content: Hashable, Sendable {
        let snapshot: Snapshot
        let network: Network
    }

    /// The baseline of a link at the moment when it was set down, by any program or user.
    struct Dropped: Hashable, Sendable {
        let content: Content
        let at: Instant
    }

    /// nil: there is nothing that would have to be restored, or the record is obsolete.
    private(set) var content: Content?
    private(set) var dropped: Dropped?
    /// Requested, and not answered yet.
    private(set) var isTaking = false
    /// Something was added or removed since the request.
    private(set) var isStale = true
    private(set) var askedAt: Instant?
    /// The network at the last healthy verdict.
    var network: Network?

    /// After an addition, the record stays valid but incomplete for a while. After a removal, possibly by an
    /// administrator, it is dropped, because the removed item must not be restored.
    mutating func note(_ event: Event, at now: Instant) {
        switch event {
        case .linkChanged(let link): if !link.isUp { drop(at: now) }
        case .addressingChanged: isStale = true
        case .addressingLost, .monitorOverran:
            (content, isStale) = (nil, true)
        default: break
        }
    }

    /// The link was set down: the kernel announces this before it announces what was lost.
    mutating func drop(at now: Instant) {
        if let content { dropped = Dropped(content: content, at: now) }
        (content, isStale) = (nil, true)
    }

    /// From here on, a bounce has its own snapshot.
    mutating func forget() { (content, dropped, isStale) = (nil, nil, true) }

    mutating func asked(at now: Instant) { (isTaking, isStale, askedAt) = (true, false, now) }

    /// - Parameter snapshot: nil: the kernel did not answer.
    mutating func taken(_ snapshot: Snapshot?) {
        guard isTaking else { return }
        isTaking = false
        guard !isStale else { return }
        guard let snapshot, let network else { return forget() }
        content = snapshot.isWorthKeeping ? Content(snapshot: snapshot, network: network) : nil
    }

    /// The baseline from when the link was set down, if that was within this duration.
    mutating func takeDropped(at now: Instant, within duration: Duration) -> Content? {
        defer { dropped = nil }
        guard let dropped, now - dropped.at <= duration else { return nil }
        return dropped.content
    }
}

/// What an rfkill block by another program destroys is restored in the same way as after a bounce.
extension Toggler {
    /// Announcements come in bursts.
    private static let baselineDelay: Duration = .milliseconds(100)
    /// The least time between two baselines after announcements; healthy checks also take one.
    static let baselineSpacing: Duration = .seconds(2)

    private var keepsBaseline: Bool { runMode == .watch && settings.restores && !settings.isDryRun }

    mutating func noteBaseline(_ event: Event, at now: Instant) {
        baseline.note(event, at: now)
        oweRestoreAfterBlock(at: now)
    }

    /// A kernel state that was requested may be newer than the announcements.
    mutating func noteBaseline(_ kernelState: KernelState, at now: Instant) {
        if !kernelState.link.isUp { baseline.drop(at: now) }
        oweRestoreAfterBlock(at: now)
    }

    /// The block and the loss of the link may be announced in either order.
    private mutating func oweRestoreAfterBlock(at now: Instant) {
        guard rfkillTracker.takeConclusion(), keepsBaseline,
            let lost = baseline.takeDropped(at: now, within: RFKillTracker.reach)
        else { return }
        pendingRestore = PendingRestore(
            snapshot: lost.snapshot, network: lost.network, until: now + PendingRestore.timeout)
    }

    /// Something was added or removed: waiting for the next check could be too late.
    mutating func planBaseline(_ effects: inout Effects) {
        guard isBaselineDue else { return }
        let earliest = baseline.askedAt.map { $0 + Self.baselineSpacing } ?? effects.now
        effects.emit(.arm(.baseline, at: max(effects.now + Self.baselineDelay, earliest)))
    }

    mutating func renewBaseline(_ effects: inout Effects) {
        guard isBaselineDue, !baseline.isTaking else { return }
        baseline.asked(at: effects.now)
        effects.emit(.takeBaseline)
    }

    /// Only a healthy link is recorded, and only after everything lost earlier is restored.
    private var isBaselineDue: Bool {
        guard case .waiting = state, keepsBaseline, baseline.isStale, pendingRestore == nil else {
            return false
        }
        return lastVerdict?.conclusion == .healthy && lastSeen?.isOperational != false
            && rfkillTracker.isUp != false
    }

    mutating func baselineTaken(_ snapshot: Snapshot?, _ effects: inout Effects) {
        guard baseline.isTaking else { return }
        baseline.taken(snapshot)
        if snapshot != nil { planBaseline(&effects) }
    }

    /// A bounce begins: from now on, changes of the link are our own.
    mutating func forgetBaseline(_ effects: inout Effects) {
        guard runMode == .watch else { return }
        baseline.forget()
        effects.emit(.disarm(.baseline))
    }
}
