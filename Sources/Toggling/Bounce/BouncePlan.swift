import Model

extension Bounce {
    /// The steps that a bounce goes through. Most begin with an effect and end with the event that answers it; others wait
    /// for a deadline or for an announcement of the kernel.
    public indirect enum Step: Hashable, Sendable {
        /// The snapshot of what lowering would destroy is being taken.
        case preparing
        /// A directed scan looks for the access point once more before the link is lowered.
        case scanning
        /// A method that does not take the link down is being carried out.
        case performing
        /// The guard is starting.
        case arming
        case lowering
        case keepingDown
        /// An attempt is in flight, or the last one failed and the next one is scheduled.
        case raising(isInFlight: Bool)
        case awaitingLink
        /// The address owner restores its own configuration before anything else is restored. `compareAt` is
        /// nil while a comparison is under way.
        case awaitingOwner(compareAt: Instant?)
        case restoring
        case verifying(HealthCheck)
        /// Until the next check.
        case pausing(until: Instant)
        /// The link is compared with the snapshot again, and missing items are restored.
        case comparing

        /// The name of the step, for logs.
        var name: String {
            switch self {
            case .preparing, .scanning: "preparing"
            case .performing: "performing"
            case .arming: "arming"
            case .lowering: "lowering"
            case .keepingDown: "keeping down"
            case .raising: "raising"
            case .awaitingLink: "awaiting link"
            case .awaitingOwner: "awaiting owner"
            case .restoring: "restoring"
            case .verifying: "verifying"
            case .pausing: "pausing"
            case .comparing: "comparing"
            }
        }
    }

    /// Which steps the bounce consists of: all of them, or only the last ones.
    enum Plan: Hashable, Sendable {
        case whole
        /// An rfkill block took the link down. We took nothing from it, so no guard stands and nothing is tried twice; what
        /// the block cost is put back.
        case fromRaise
        /// Nothing is bounced: only what an earlier bounce or block destroyed is restored.
        case fromRestore(Sequel)
    }

    /// What follows a bounce that only restores.
    struct Sequel: Hashable, Sendable {
        let check: NextCheck
        /// A bounce that a user requested in the meantime.
        var wish: BounceCause?
    }

    var isWhole: Bool { plan == .whole }

    /// nil: the bounce does more than restore.
    var sequel: Sequel? {
        get { if case .fromRestore(let sequel) = plan { sequel } else { nil } }
        set { if let newValue { plan = .fromRestore(newValue) } }
    }

    /// The check under way after the raise.
    var check: HealthCheck? {
        if case .verifying(let check) = step { check } else { nil }
    }

    var isRaiseInFlight: Bool { step == .raising(isInFlight: true) }

    /// Nothing has been changed yet, so the bounce can be abandoned.
    var isUntouched: Bool {
        switch step {
        case .preparing, .scanning, .arming: true
        case .performing, .lowering, .keepingDown, .raising, .awaitingLink, .awaitingOwner, .restoring,
            .verifying, .pausing, .comparing:
            false
        }
    }

    /// Whether the link may be down because of us, or what it lost is not restored yet.
    var isLinkInOurHands: Bool {
        switch step {
        case .lowering, .keepingDown, .raising, .awaitingLink, .awaitingOwner, .restoring: true
        case .preparing, .scanning, .performing, .arming, .verifying, .pausing, .comparing: false
        }
    }

    /// The interface disappeared with its driver, and comes back with it.
    var isWithoutDriver: Bool {
        guard method == .rebind else { return false }
        switch step {
        case .lowering, .keepingDown, .raising: return true
        case .preparing, .scanning, .performing, .arming, .awaitingLink, .awaitingOwner, .restoring,
            .verifying, .pausing, .comparing:
            return false
        }
    }

    /// Whether the answer to `pendingQuery` is still of use.
    var asksKernel: Bool { step == .keepingDown || step == .awaitingLink }

    /// The latest end of this step; nil: it is not known.
    func end(under settings: Settings) -> Instant? {
        switch step {
        case .keepingDown: loweredAt.map { $0 + hold(under: settings) }
        case .awaitingOwner: ownerUntil
        case .awaitingLink, .verifying, .pausing, .comparing: settleUntil
        case .preparing, .scanning, .performing, .arming, .lowering, .raising, .restoring: nil
        }
    }
}
