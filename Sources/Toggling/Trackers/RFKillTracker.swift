import Model

/// What an rfkill block has done to the link: the kernel sets it down, and beside several network managers
/// nobody raises it once the block is lifted.
struct RFKillTracker: Hashable, Sendable {
    /// The kernel takes a moment from the block to the link, or tells of the link first.
    static let reach: Duration = .seconds(2)
    /// A network manager that raises the link itself has done so within 4.3 s.
    static let timeout: Duration = .seconds(10)

    /// nil: not known.
    private(set) var isUp: Bool?
    private(set) var wentDown: Instant?
    private(set) var wasBlocked: Instant?
    private(set) var isBlocked = false
    /// The block took the link down, and nobody has raised it since.
    private(set) var isTakenDown = false
    /// What was noted last tells that a block took the link down, even if it is up again.
    private var hasJustTakenDown = false
    /// Since when somebody might have raised it; nil: it is blocked, or we have tried.
    private(set) var liftedAt: Instant?

    mutating func note(_ event: Event, at now: Instant) {
        switch event {
        case .linkChanged(let link): note(isUp: link.isUp, at: now)
        case .radioChanged(let block): note(block, at: now)
        // Who set it down meanwhile is not known.
        case .monitorOverran: if !isTakenDown { forgetLink() }
        case .linkRemoved: self = RFKillTracker()
        case .linkAppeared: forgetLink()
        case .started, .deadlineReached, .kernelStateRead, .kernelStateFailed, .probeFinished, .snapshotTaken,
            .snapshotFailed,
            .guardArmed, .guardFailed, .guardLost, .linkLowered, .linkLoweringFailed, .linkRaised,
            .linkRaisingFailed, .performed, .performingFailed, .restored, .disconnected, .joinAttempted,
            .scanBegun, .scanAborted, .directedScanDone, .scanFinished, .addressingChanged, .addressingLost,
            .baselineTaken, .resumed, .cycleRequested,
            .bounceRequested,
            .reconfigured, .terminationRequested:
            break
        }
    }

    /// A kernel state that was asked for.
    mutating func note(_ kernelState: KernelState, at now: Instant) {
        note(kernelState.radio, at: now)
        note(isUp: kernelState.link.isUp, at: now)
    }

    /// Whether a block is known to have taken the link down, since this was asked last.
    mutating func takeConclusion() -> Bool {
        defer { hasJustTakenDown = false }
        return hasJustTakenDown
    }

    /// When the link is ours to raise; nil: never, as things stand.
    var raiseDue: Instant? { isTakenDown ? liftedAt.map { $0 + Self.timeout } : nil }

    /// Once is enough, until the next block.
    mutating func tried() { liftedAt = nil }

    private mutating func note(isUp: Bool, at now: Instant) {
        let wasUp = self.isUp
        self.isUp = isUp
        if isUp {
            isTakenDown = false
            liftedAt = nil
        } else if wasUp == true {
            wentDown = now
            concludeFromBoth(at: now)
        }
    }

    private mutating func note(_ block: RadioBlock, at now: Instant) {
        let wasAlready = isBlocked
        isBlocked = block != .none
        if isBlocked, !wasAlready {
            wasBlocked = now
            liftedAt = nil
            concludeFromBoth(at: now)
        } else if !isBlocked, wasAlready, isTakenDown {
            liftedAt = now
        }
    }

    /// The two are told by different sockets: either may come first, the end of a short block too, and that somebody
    /// has raised the link.
    private mutating func concludeFromBoth(at now: Instant) {
        guard let wentDown, let wasBlocked else { return }
        let apart = wentDown < wasBlocked ? wasBlocked - wentDown : wentDown - wasBlocked
        guard apart <= Self.reach else { return }
        self.wentDown = nil
        hasJustTakenDown = true
        isTakenDown = isUp == false
        liftedAt = isTakenDown && !isBlocked ? now : nil
    }

    private mutating func forgetLink() {
        isUp = nil
        wentDown = nil
    }
}
