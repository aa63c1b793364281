import Model

extension Bounce {
    /// The steps that a bounce goes through. Most begin with an effect and end with the event that answers it; others wait
    /// for a deadline or for an announcement of the kernel.
    public indirect enum Step: Hashable, Sendable {
        /// What lowering would lose is being read.
        case preparing
        /// The access point is heard once more, before the link is lowered.
        case scanning
        /// A method that does not take the link down is under way.
        case performing
        /// The guard is asked for.
        case arming
        case lowering
        case keepingDown
        /// In flight, or the last attempt has failed and the next one has its time.
        case raising(isInFlight: Bool)
        case awaitingLink
        /// Whoever gives the link its addresses brings its own back before anything is put back. `compareAt` is nil
        /// while a comparison is under way.
        case awaitingOwner(compareAt: Instant?)
        case restoring
        case verifying(HealthCheck)
        /// Until the link is verified again.
        case pausing(until: Instant)
        /// What is missing is compared, and put back, again.
        case comparing

        /// The step's word, for logs.
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

    /// Which of the steps belong to it: all of them, or the last ones alone.
    enum Plan: Hashable, Sendable {
        case whole
        /// An rfkill block took the link down. We took nothing from it, so no guard stands and nothing is tried twice; what
        /// the block cost is put back.
        case fromRaise
        /// Nothing is bounced; only something is put back that an earlier bounce, or a block, had cost.
        case fromRestore(Sequel)
    }

    /// What follows a bounce that only puts something back.
    struct Sequel: Hashable, Sendable {
        let check: NextCheck
        /// What a person has asked for meanwhile.
        var wish: BounceCause?
    }

    var isWhole: Bool { plan == .whole }

    /// nil: it is more than a restore.
    var sequel: Sequel? {
        get { if case .fromRestore(let sequel) = plan { sequel } else { nil } }
        set { if let newValue { plan = .fromRestore(newValue) } }
    }

    /// The check after the raise.
    var check: HealthCheck? {
        if case .verifying(let check) = step { check } else { nil }
    }

    var isRaiseInFlight: Bool { step == .raising(isInFlight: true) }

    /// Until the link is lowered nothing has changed that could not be left as it is.
    var isUntouched: Bool {
        switch step {
        case .preparing, .scanning, .arming: true
        case .performing, .lowering, .keepingDown, .raising, .awaitingLink, .awaitingOwner, .restoring,
            .verifying, .pausing, .comparing:
            false
        }
    }

    /// Whether the link may be down by our doing, or what it lost is not put back yet.
    var isLinkInOurHands: Bool {
        switch step {
        case .lowering, .keepingDown, .raising, .awaitingLink, .awaitingOwner, .restoring: true
        case .preparing, .scanning, .performing, .arming, .verifying, .pausing, .comparing: false
        }
    }

    /// The interface is gone with its driver, and comes back with it.
    var isWithoutDriver: Bool {
        guard method == .rebind else { return false }
        switch step {
        case .lowering, .keepingDown, .raising: return true
        case .preparing, .scanning, .performing, .arming, .awaitingLink, .awaitingOwner, .restoring,
            .verifying, .pausing, .comparing:
            return false
        }
    }

    /// Whether the answer to `pendingQuery` means anything.
    var asksKernel: Bool { step == .keepingDown || step == .awaitingLink }

    /// When what is waited for in this step is over at the latest; nil: that is not known.
    func end(under settings: Settings) -> Instant? {
        switch step {
        case .keepingDown: loweredAt.map { $0 + hold(under: settings) }
        case .awaitingOwner: ownerUntil
        case .awaitingLink, .verifying, .pausing, .comparing: settleUntil
        case .preparing, .scanning, .performing, .arming, .lowering, .raising, .restoring: nil
        }
    }
}
