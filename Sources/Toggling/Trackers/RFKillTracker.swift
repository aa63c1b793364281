import Model

/// Follows what an rfkill block does: the kernel sets the link down, and some managers do not raise it again.
struct RFKillTracker: Hashable, Sendable {
    /// How long to wait for a network manager to raise the link; the slowest took 4.3 s.
    static let timeout: Duration = .seconds(10)

    /// Whether the link is administratively up; nil: not known.
    private(set) var isUp: Bool?
    private(set) var wentDown: Instant?
    /// Since when the link is known to be down; nil: it is up, or not known.
    private(set) var downSince: Instant?
    private(set) var wasBlocked: Instant?
    private(set) var isBlocked = false
    /// Whether a block took the link down, and no program has raised it since.
    private(set) var isTakenDown = false
    /// Whether the last event showed that a block took the link down, even if the link is up again.
    private var hasJustTakenDown = false
    /// Since when another program may raise the link; nil: the radio is blocked, or this program has tried.
    private(set) var liftedAt: Instant?

    mutating func note(_ event: Event, at now: Instant) {
        switch event {
        case .linkChanged(let link): note(isUp: link.isUp, at: now)
        case .radioChanged(let block): note(block, at: now)
        // It is not known whether a block or a program has set the link down in the meantime.
        case .monitorOverran: if !isTakenDown { (isUp, wentDown) = (nil, nil) }
        case .linkRemoved: self = RFKillTracker()
        case .linkAppeared: (isUp, wentDown) = (nil, nil)
        default: break
        }
    }

    /// Notes a requested kernel state.
    mutating func note(_ kernelState: KernelState, at now: Instant) {
        note(kernelState.radio, at: now)
        note(isUp: kernelState.link.isUp, at: now)
    }

    /// Whether it was found since the last call that a block has taken the link down.
    mutating func takeConclusion() -> Bool {
        defer { hasJustTakenDown = false }
        return hasJustTakenDown
    }

    /// When this program may raise the link; nil: no block took it down, or `liftedAt` is nil.
    var raiseDue: Instant? { isTakenDown ? liftedAt.map { $0 + Self.timeout } : nil }

    /// Notes an attempt to raise the link. Another one follows only after the next block.
    mutating func tried() { liftedAt = nil }

    private mutating func note(isUp: Bool, at now: Instant) {
        let wasUp = self.isUp
        self.isUp = isUp
        downSince = isUp ? nil : downSince ?? now
        if isUp {
            (isTakenDown, liftedAt) = (false, nil)
        } else if wasUp == true {
            wentDown = now
            concludeFromBoth(at: now)
        }
    }

    private mutating func note(_ block: RadioBlock, at now: Instant) {
        let wasAlready = isBlocked
        isBlocked = block != .none
        if isBlocked, !wasAlready {
            (wasBlocked, liftedAt) = (now, nil)
            concludeFromBoth(at: now)
        } else if !isBlocked, wasAlready, isTakenDown {
            liftedAt = now
        }
    }

    /// Concludes whether the block took the link down. The two announcements come from different sockets:
    /// either may come first, even after the block has ended or another program has raised the link.
    private mutating func concludeFromBoth(at now: Instant) {
        guard let wentDown, let wasBlocked else { return }
        let apart = wentDown < wasBlocked ? wasBlocked - wentDown : wentDown - wasBlocked
        guard apart <= RadioBlock.reach else { return }
        self.wentDown = nil
        hasJustTakenDown = true
        isTakenDown = isUp == false
        liftedAt = isTakenDown && !isBlocked ? now : nil
    }
}
