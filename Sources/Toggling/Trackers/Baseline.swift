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
