import Model

/// What a toggler tells. Values; the sentences are made where they are printed.
public enum Report: Codable, Hashable, Sendable {
    /// The service begins to watch.
    case watching(Settings, first: Instant)
    /// A check, or a bounce, has come to its end.
    case cycle(CycleReport)
    /// A step of a bounce.
    case step(Step)

    public enum Step: Codable, Hashable, Sendable {
        /// The first method is tried; nil: because it was asked for, not because of a verdict.
        case beginning(Method, Verdict?)
        /// A method was carried out, and the link is as sick as this: the next one is tried.
        case escalating(from: Method, to: Method, Verdict)
        /// A method is not there, was refused or failed; the next one is tried, if there is one.
        case passedOver(Method, BounceStep, Failure, next: Method?)
        case lowered(hold: Duration)
        /// The link is raised that an rfkill block took down: nobody else does.
        case raisingAfterBlock
        /// Somebody else raised the link during our hold. Not fought.
        case raisedByOther
        /// The guard died while the link was in our hands: it is raised at once.
        case guardLost
        case raised(downFor: Duration)
        /// Somebody else set the link down after we raised it. Not fought.
        case loweredByOther
        /// The owner's scan for its network was ended, which was heard so long ago.
        case scanAborted(heard: Duration)
        case operational(after: Duration)
        /// The address owner's time is over, and so much of its own has not come back.
        case ownerOverdue(Owner, missing: [String])
        /// What an earlier bounce had cost, in the words of ip-route(8): put back at last, or not tried any more.
        case restoredLate(restored: [String], givenUp: [String])
        case raiseFailed(Failure, retryAt: Instant?)
        case absent
        case appeared(Link)
        /// A termination was asked for while the link was in our hands: it is raised first.
        case finishing
    }
}

/// The end of a cycle: verdict, what was done about it, and what comes next.
public struct CycleReport: Codable, Hashable, Sendable {
    public enum Action: Codable, Hashable, Sendable {
        /// Nothing was called for.
        case none
        case bounced(BounceSummary)
        /// What an rfkill block took down, and nobody raised once it was lifted, was raised.
        case raised(BounceSummary)
        /// A bounce was begun and did not get as far as lowering or raising.
        case failed(BounceStep, Failure)
        /// Called for, and put off.
        case held(NoBounceReason)
        /// Sick, and nothing that a bounce could cure; or a dry run.
        case skipped(NoBounceReason)
        /// The state of the interface forbids it.
        case refused(NoBounceReason)

        /// What the bounce did, if there was one.
        public var summary: BounceSummary? {
            switch self {
            case .bounced(let summary), .raised(let summary): summary
            case .none, .failed, .held, .skipped, .refused: nil
            }
        }
    }

    public var verdict: Verdict
    public var action: Action
    /// The health before and after this cycle.
    public var change: HealthChange
    /// nil: the mission is over.
    public var next: NextCheck?
    /// nil: nothing can be said of it yet.
    public var quality: Quality?
    /// How a mission ends with this, where it does.
    public var outcome: RunOutcome

    /// - Parameter outcome: nil: that of the verdict.
    public init(
        verdict: Verdict, action: Action, change: HealthChange, next: NextCheck?, quality: Quality? = nil,
        outcome: RunOutcome? = nil
    ) {
        self.outcome = outcome ?? RunOutcome(verdict.conclusion)
        self.verdict = verdict
        self.action = action
        self.change = change
        self.next = next
        self.quality = quality
    }
}

/// The steps of a bounce that can fail.
public enum BounceStep: String, Codable, Hashable, Sendable, CaseIterable {
    case snapshot, guarding, lowering, raising
    /// What does not take the link down.
    case performing
}

/// What a finished bounce did.
public struct BounceSummary: Codable, Hashable, Sendable {
    /// From the kernel's word that the link is down to its word that it is up again.
    public var down: Duration
    /// From there to a good verdict; nil: it did not come.
    public var recovery: Duration?
    public var restoration: Restoration
    /// The methods that were carried out, in their order; the last one is what the verdict is about.
    public var methods: [Method]

    public init(
        down: Duration, recovery: Duration?, restoration: Restoration, methods: [Method] = [.bounce]
    ) {
        self.methods = methods
        self.down = down
        self.recovery = recovery
        self.restoration = restoration
    }
}

/// How a mission ended.
public enum RunOutcome: Codable, Hashable, Sendable {
    /// Healthy, or bounced and back.
    case healthy
    case sick
    case unknown
    case refused(NoBounceReason)
    case failed(BounceStep, Failure)
    /// Ended by a signal, the link not in our hands.
    case interrupted
}
