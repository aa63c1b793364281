/// What the decision core reports, as values; the target Reporting makes the texts.
public enum Report: Encodable, Hashable, Sendable {
    /// The service begins to watch the interface.
    case watching(Settings, first: Instant)
    /// A check or a bounce has ended.
    case cycle(CycleReport)
    /// A step of a bounce.
    case step(Step)

    /// The steps of a bounce, and other events between two cycles.
    public indirect enum Step: Encodable, Hashable, Sendable {
        /// The first method, or at last a reboot, is tried; verdict nil: a user or the plain timer caused the
        /// bounce.
        case beginning(Method, Verdict?)
        /// The link to be recovered is a port, and its master's traffic passes through it.
        case interrupting(Port)
        /// A method was carried out, and the link is still sick with this verdict: the next method is tried.
        case escalating(from: Method, to: Method, Verdict)
        /// A method is unavailable, was refused or failed; `next` is tried; nil: there is none, or this
        /// method may still take effect.
        case passedOver(Method, BounceStep, Failure, next: Method?)
        case lowered(keptDownFor: Duration)
        /// The program raises a link that an rfkill block took down, because no other program does.
        case raisingAfterBlock
        /// Another program or a user raised the link while it was kept down. It stays up.
        case raisedByOther
        /// The guard died during a bounce: the link is raised at once.
        case guardLost
        case raised(downFor: Duration)
        /// Another program or a user set the link down after the raise. It stays down.
        case loweredByOther
        /// The owner's scan was aborted; its network was heard this long ago.
        case scanAborted(heard: Duration)
        case operational(after: Duration)
        /// The wait for the address owner is over, and these parts of its configuration are not restored.
        case ownerOverdue(Owner, missing: [String])
        /// The items of a pending restore that are now restored or given up, in the syntax of ip-route(8).
        case restoredLate(restored: [String], givenUp: [String])
        case raiseFailed(Failure, retryAt: Instant?)
        case absent
        /// Why neither the device is reset nor the machine rebooted. The first reason is the fault; nil: the
        /// link cannot be raised.
        case notRecovered(Reason?, NoBounceReason)
        case appeared(Link)
        /// The program was told to end during a bounce: the link is raised first.
        case finishing
    }
}

/// The end of a cycle: the verdict, the action, and the next check.
public struct CycleReport: Encodable, Hashable, Sendable {
    /// What was done in the cycle.
    public indirect enum Action: Encodable, Hashable, Sendable {
        /// No action was needed or wanted.
        case none
        case bounced(BounceSummary)
        /// The program raised a link that an rfkill block had taken down and the unblock had left down.
        case raised(BounceSummary)
        /// A bounce began, and none of its methods could be carried out.
        case failed(BounceStep, Failure)
        /// A bounce is needed but postponed.
        case held(NoBounceReason)
        /// The link is sick, but a bounce cannot cure it, or this is a dry run.
        case skipped(NoBounceReason)
        /// The state of the interface forbids a bounce.
        case refused(NoBounceReason)

        /// The result of the bounce, if there was one.
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
    /// The next check; nil: the run is over.
    public var next: NextCheck?
    /// The quality of the link; nil: not known yet.
    public var quality: Quality?
    /// The outcome of the run if it ends with this cycle.
    public var outcome: RunOutcome

    /// - Parameter outcome: the outcome of the run; nil: the one that follows from the verdict.
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
