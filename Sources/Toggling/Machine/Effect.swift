import Model

/// What to do, in the imperative. A toggler does nothing itself.
public enum Effect: Codable, Hashable, Sendable {
    /// Ask the kernel; answered by `kernelStateRead` or `kernelStateFailed` with the same number.
    case kernelState(Int, with: KernelState.Details = .none)
    case startProbe(ProbeRequest)
    case cancelProbe(Int)
    /// Keep what lowering would lose; answered by `snapshotTaken` or `snapshotFailed`.
    case takeSnapshot
    /// Keep what lowering would lose although nobody is about to; answered by `baselineTaken`.
    case takeBaseline
    /// Have an access point heard once more: scan its frequency alone, and call it by its name; answered by `directedScanDone`
    /// when that scan is over.
    case directedScan(AccessPoint)
    /// See to it that the link is raised, and what it lost put back, whatever becomes of us; answered by
    /// `guardArmed` or `guardFailed`.
    case armGuard(GuardOrder)
    case tellGuard(GuardStage)
    /// The bounce is over, or never began.
    case disarmGuard
    /// Take the link away: clear IFF_UP, block the radio, or take the driver off; answered by `linkLowered` or
    /// `linkLoweringFailed`.
    case lowerLink(Method)
    /// Give it back, IFF_UP set; answered by `linkRaised` or `linkRaisingFailed`.
    case raiseLink(Method)
    /// Do what does not take the link down; answered by `performed` or `performingFailed`.
    case perform(Method)
    /// Its answer is not wanted any more.
    case stopPerforming
    /// End the scan under way, if the kernel has heard the access point since then; answered by `scanAborted`.
    case abortScan(AccessPoint, heardSince: Instant)
    /// Have the kernel ask at once for the neighbours that it has asked for in vain so far. Not answered.
    case resolveNeighbours([IPAddress])
    /// Compare with the snapshot and, if `puttingBack`, put back what nobody else does; answered by `restored`.
    case restore(Snapshot, puttingBack: Bool)
    case arm(Deadline, at: Instant)
    case disarm(Deadline)
    /// Keep for later runs who has answered where.
    case remember(KnownTargets)
    /// Keep for later runs what holds bounces back.
    case rememberBounces(BounceLimiter.Saved)
    case report(Report)
    /// The mission is over. Nothing follows.
    case finish(RunOutcome)
}
