import Model

/// The effects of an rfkill block on the link: the kernel sets it down, and beside several network managers
/// no program raises it after the unblock.
struct RFKillTracker: Hashable, Sendable {
    /// The longest time between the announcements of the block and of the link, in either order.
    static let reach: Duration = .seconds(2)
    /// A network manager that raises the link itself did so within 4.3 s.
    static let timeout: Duration = .seconds(10)

    /// nil: not known.
    private(set) var isUp: Bool?
    private(set) var wentDown: Instant?
    /// Since when it is known to be down; nil: it is up, or not known.
    private(set) var downSince: Instant?
    private(set) var wasBlocked: Instant?
    private(set) var isBlocked = false
    /// The block took the link down, and it was not raised since.
    private(set) var isTakenDown = false
    /// The last event showed that a block took the link down, even if it is up again.
    private var hasJustTakenDown = false
    /// Since when another program might have raised it; nil: it is blocked, or this program has tried.
    private(set) var liftedAt: Instant?

    mutating func note(_ event: Event, at now: Instant) {
        switch event {
        case .linkChanged(let link): note(isUp: link.isUp, at: now)
        case .radioChanged(let block): note(block, at: now)
        // Who may have set it down in the meantime is not known.
        case .monitorOverran: if !isTakenDown { (isUp, wentDown) = (nil, nil) }
        case .linkRemoved: self = RFKillTracker()
        case .linkAppeared: (isUp, wentDown) = (nil, nil)
        default: break
        }
    }

    /// A kernel state that was requested.
    mutating func note(_ kernelState: KernelState, at now: Instant) {
        note(kernelState.radio, at: now)
        note(isUp: kernelState.link.isUp, at: now)
    }

    /// Whether a block is known to have taken the link down since the last call.
    mutating func takeConclusion() -> Bool {
        defer { hasJustTakenDown = false }
        return hasJustTakenDown
    }

    /// When this program may raise the link; nil: never in the current state.
    var raiseDue: Instant? { isTakenDown ? liftedAt.map { $0 + Self.timeout } : nil }

    /// One attempt is enough, until the next block.
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

    /// The two announcements come from different sockets: either may be first, also if the block was short,
    /// or if another program has raised the link already.
    private mutating func concludeFromBoth(at now: Instant) {
        guard let wentDown, let wasBlocked else { return }
        let apart = wentDown < wasBlocked ? wasBlocked - wentDown : wentDown - wasBlocked
        guard apart <= Self.reach else { return }
        self.wentDown = nil
        hasJustTakenDown = true
        isTakenDown = isUp == false
        liftedAt = isTakenDown && !isBlocked ? now : nil
    }
}
