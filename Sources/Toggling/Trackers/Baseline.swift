import Model

/// The routes, addresses and neighbours of a healthy link, recorded in advance. If an rfkill block by another
/// program, or a crash, takes the link down, the kernel forgets routes and IPv6 addresses at once.
struct Baseline: Hashable, Sendable {
    /// The recorded configuration, and its network.
    struct Content: Hashable, Sendable {
        let snapshot: Snapshot
        let network: Network
    }

    /// The baseline at the moment when a program or the kernel set the link down.
    struct SetAside: Hashable, Sendable {
        let content: Content
        let at: Instant
        /// Whether the link has been up again since.
        fileprivate(set) var isOver = false
    }

    /// The record; nil: it is obsolete, or has nothing that this program would restore.
    private(set) var content: Content?
    /// The baseline that may be needed if an rfkill block or a crash set the link down; nil: there is none.
    private(set) var aside: SetAside?
    /// Whether a baseline was requested and the answer is outstanding.
    private(set) var isTaking = false
    /// Whether the record may be obsolete: something has changed since the last request, or there was none.
    private(set) var isStale = true
    private(set) var askedAt: Instant?
    /// The network at the last healthy verdict of a full check; nil: none, or it may be another one now.
    private(set) var network: Network?
    /// Whether the link may have left its network since the check began: the check may have read the old one.
    private(set) var hasLostNetwork = false

    /// Notes an announcement. After an addition, the record is only incomplete. After a removal, possibly by
    /// an administrator, the record is deleted: the removed item must not be restored.
    mutating func note(_ event: Event, at now: Instant) {
        switch event {
        case .linkChanged(let link):
            if !link.isOperational { leave() }
            if link.isUp { aside?.isOver = true } else { setAside(at: now) }
        case .disconnected: leave()
        case .addressingChanged: isStale = true
        case .addressingLost: (content, isStale) = (nil, true)
        case .monitorOverran:
            leave()
            content = nil
        default: break
        }
    }

    /// Notes that the link may get another network now. The record stays valid for the old network.
    private mutating func leave() { (network, hasLostNetwork, isStale) = (nil, true, true) }

    mutating func checkBegins() { hasLostNetwork = false }

    /// Notes the network of a healthy verdict.
    /// - Parameter isProven: whether the check was full: the kernel state alone does not prove that it works.
    mutating func note(_ network: Network, isProven: Bool) {
        if (content?.network ?? self.network)?.isOther(than: network) == true {
            (self.network, content, isStale) = (nil, nil, true)
        }
        if isProven, !hasLostNetwork { self.network = network }
    }

    /// Sets the baseline aside and deletes `content`, because the link loses what it describes.
    mutating func setAside(at now: Instant) {
        if let content { aside = SetAside(content: content, at: now) }
        (content, isStale) = (nil, true)
    }

    /// What the link had before it disappeared. The kernel sets a link down just before it removes it.
    func lost(at now: Instant) -> Snapshot {
        let recent = aside.flatMap { $0.isOver || now - $0.at > RadioBlock.reach ? nil : $0.content }
        return (content ?? recent)?.snapshot ?? Snapshot()
    }

    /// Forgets the baseline. A bounce takes its own snapshot.
    mutating func forget() { (content, aside, isStale) = (nil, nil, true) }

    mutating func asked(at now: Instant) { (isTaking, isStale, askedAt) = (true, false, now) }

    /// Takes the snapshot that was requested; nil: the kernel did not answer.
    mutating func taken(_ snapshot: Snapshot?) {
        guard isTaking else { return }
        isTaking = false
        guard !isStale else { return }
        guard let snapshot, let network else { return forget() }
        content = snapshot.isWorthKeeping ? Content(snapshot: snapshot, network: network) : nil
    }

    /// Removes and returns the baseline that was set aside; nil: there is none, or it is older than `duration`.
    mutating func takeSetAside(at now: Instant, within duration: Duration) -> Content? {
        defer { aside = nil }
        guard let aside, now - aside.at <= duration else { return nil }
        return aside.content
    }
}

/// Takes baselines, and restores from them what an rfkill block by another program, or a crash, has destroyed.
extension Toggler {
    /// The delay of a baseline after an announcement, because announcements come in bursts.
    private static let baselineDelay: Duration = .milliseconds(100)
    /// The least time between two baselines after announcements; healthy checks also take one.
    static let baselineSpacing: Duration = .seconds(2)

    private var keepsBaseline: Bool { runMode == .watch && settings.restores && !settings.isDryRun }

    mutating func noteBaseline(_ event: Event, at now: Instant) {
        baseline.note(event, at: now)
        oweRestoreAfterBlock(at: now)
    }

    /// Notes a requested kernel state, which may be newer than the last announcement.
    mutating func noteBaseline(_ kernelState: KernelState, at now: Instant) {
        if !kernelState.link.isUp { baseline.setAside(at: now) }
        oweRestoreAfterBlock(at: now, isClosed: kernelState.radioCondition == .closed)
    }

    /// Starts a pending restore when the block and the lowered link were both announced, in either order.
    /// - Parameter isClosed: whether a crash took the link down, which may be known only one check later.
    private mutating func oweRestoreAfterBlock(at now: Instant, isClosed: Bool = false) {
        let reach = RadioBlock.reach + (isClosed ? Self.ownersDown : .zero)
        guard rfkillTracker.takeConclusion() || isClosed, keepsBaseline,
            let lost = baseline.takeSetAside(at: now, within: reach)
        else { return }
        pendingRestore = PendingRestore(
            snapshot: lost.snapshot, network: lost.network, until: now + PendingRestore.timeout)
    }

    /// Plans a baseline after an addition or removal, because the next check could be too late.
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

    /// Whether to take a baseline now: it is stale, the network known, the link healthy, and all restored.
    private var isBaselineDue: Bool {
        guard case .waiting = state, keepsBaseline, baseline.isStale, baseline.network != nil,
            pendingRestore == nil
        else { return false }
        return lastVerdict?.conclusion == .healthy && lastSeen?.isOperational != false
            && rfkillTracker.isUp != false
    }

    mutating func baselineTaken(_ snapshot: Snapshot?, _ effects: inout Effects) {
        guard baseline.isTaking else { return }
        baseline.taken(snapshot)
        if snapshot != nil { planBaseline(&effects) }
    }

    /// Forgets the baseline when a bounce begins: from then on this program causes the changes of the link.
    mutating func forgetBaseline(_ effects: inout Effects) {
        guard runMode == .watch else { return }
        baseline.forget()
        effects.emit(.disarm(.baseline))
    }
}
