import Model

extension Bounce {
    /// The steps of a bounce. Most end with the event that answers their effect; others wait.
    public indirect enum Step: Hashable, Sendable {
        /// The snapshot of what lowering would destroy is being taken.
        case preparing
        /// A directed scan looks for the access point once more before the link is lowered.
        case scanning
        /// A method that does not take the link down is being carried out.
        case performing
        /// The guard is starting.
        case arming
        case lowering(isGuardLost: Bool)
        case keepingDown
        case raising(Attempts)
        case awaitingLink
        /// The address owner restores its own configuration before anything else is restored. `compareAt` is
        /// the time of the next comparison with the snapshot; nil: one is under way.
        case awaitingOwner(compareAt: Instant?)
        case restoring
        case verifying(HealthCheck)
        /// The bounce waits for its next check.
        case pausing(until: Instant)
        /// The link is compared with the snapshot again, and missing items are restored.
        case comparing

        /// The name and the phase of a step.
        private var meaning: (name: String, phase: Phase) {
            switch self {
            case .preparing, .scanning: ("preparing", .untouched)
            case .performing: ("performing", .up)
            case .arming: ("arming", .untouched)
            case .lowering: ("lowering", .down)
            case .keepingDown: ("keeping down", .down)
            case .raising: ("raising", .down)
            case .awaitingLink: ("awaiting link", .returning)
            case .awaitingOwner: ("awaiting owner", .returning)
            case .restoring: ("restoring", .returning)
            case .verifying: ("verifying", .up)
            case .pausing: ("pausing", .up)
            case .comparing: ("comparing", .up)
            }
        }

        /// The name for logs.
        var name: String { meaning.name }
        var phase: Phase { meaning.phase }
    }

    enum Phase: Hashable, Sendable {
        /// Nothing has been changed yet, so the bounce can be abandoned.
        case untouched
        /// The link may be down because of this program.
        case down
        /// The link is raised, and what it lost may not be restored yet.
        case returning
        case up
    }

    /// The attempts to raise the link.
    public struct Attempts: Hashable, Sendable {
        let since: Instant
        /// Whether an attempt is under way. If not, the last one failed and the next one is scheduled.
        var isInFlight = true
        /// Whether the guard of a reset is starting. Until it is ready or late, no attempt is due.
        var awaitsGuard = false
        var failed = 0
        /// The device's refusals (`Failure.isOfDevice`) that count for a reset; negative after a failed one.
        var refused = 0
        var lastFailure: Failure?
        /// Since when the device has refused all of them; nil: the last one had another error.
        var refusedSince: Instant?
        /// Whether the machine is being rebooted.
        var isRebooting = false
        /// What prevents the reboot; nil: nothing does, or it is not due.
        var obstacle: NoBounceReason?

        /// The wait before the next attempt: it doubles from 1 s to 30 s.
        var wait: Duration { .seconds(min(30, 1 << min(failed - 1, 5))) }
    }

    /// Which steps the bounce consists of: all of them, or only the last ones.
    enum Plan: Hashable, Sendable {
        case whole
        /// An rfkill block took the link down: there is no guard, and a failed raise is not retried.
        case fromRaise
        /// Nothing is bounced: only what an earlier bounce or block destroyed is restored.
        case fromRestore(Sequel)
    }

    /// What follows a bounce that only restores.
    struct Sequel: Hashable, Sendable {
        var check: NextCheck
        /// A bounce that a user requested in the meantime.
        var requested: BounceCause?
    }

    var isWhole: Bool { plan == .whole }

    /// What follows after a restore; nil: the bounce does more than restore.
    var sequel: Sequel? {
        get { if case .fromRestore(let sequel) = plan { sequel } else { nil } }
        set { if let newValue { plan = .fromRestore(newValue) } }
    }

    /// The attempts to raise the link under way; nil: the step is another one.
    var attempts: Attempts? { if case .raising(let attempts) = step { attempts } else { nil } }

    /// Whether the link may be down because of this program, or may still lack items to be restored.
    var isLinkInOurHands: Bool { step.phase == .down || step.phase == .returning }

    /// The latest end of this step; nil: not known.
    func end(under settings: Settings) -> Instant? {
        switch step {
        case .keepingDown: loweredAt.map { $0 + downTime(under: settings) }
        case .awaitingOwner: ownerUntil
        case .awaitingLink, .verifying, .pausing, .comparing: settleUntil
        case .preparing, .scanning, .performing, .arming, .lowering, .raising, .restoring: nil
        }
    }
}
