import Model

/// An order to the environment (target Service), which carries it out. A toggler itself performs no I/O.
public indirect enum Effect: Encodable, Hashable, Sendable {
    /// Query the kernel. Answered by `kernelStateRead` or `kernelStateFailed` with the same number.
    case kernelState(Int, with: KernelState.Details = .none)
    case startProbe(ProbeRequest)
    case cancelProbe(Int)
    /// Record what lowering the link would destroy. Answered by `snapshotTaken` or `snapshotFailed`.
    case takeSnapshot
    /// Record the same on a healthy link, without a bounce. Answered by `baselineTaken`.
    case takeBaseline
    /// Scan for an access point on its frequency only, by its SSID. Answered by `directedScanDone`.
    case directedScan(AccessPoint)
    /// Start a guard that raises the link and restores what it lost if this process dies. An earlier guard of
    /// the bounce stays until this one is ready. Answered by `guardArmed` or `guardFailed`.
    case armGuard(GuardOrder)
    case tellGuard(GuardStage)
    /// Dismiss the guard: the bounce is over, or never began.
    case disarmGuard
    /// Take the link down by this method. Answered by `linkLowered` or `linkLoweringFailed`.
    case lowerLink(Method)
    /// Undo `lowerLink`, and set IFF_UP. Answered by `linkRaised` or `linkRaisingFailed`.
    case raiseLink(Method)
    /// Carry out a method that does not take the link down. Answered by `performed` or `performingFailed`.
    case perform(Method)
    /// Stop the method of `perform`, whose answer is no longer needed.
    case stopPerforming
    /// Abort the current scan if the access point was heard since that instant. Answered by `scanAborted`.
    case abortScan(AccessPoint, heardSince: Instant)
    /// Make the kernel at once resolve those neighbours that have not answered so far. No event follows.
    case resolveNeighbours([IPAddress])
    /// Switch power saving off (`auto`: if a driver file says so). A dry run only compares. No event follows.
    case switchPowerSaveOff(isDryRun: Bool)
    /// Announce the addresses of the link to the neighbours. No event follows.
    case announce
    /// Compare with the snapshot; if `puttingBack`, restore what no owner restores. Answered by `restored`.
    case restore(Snapshot, puttingBack: Bool)
    case arm(Deadline, at: Instant)
    case disarm(Deadline)
    /// Save the known targets for later runs.
    case remember(KnownTargets)
    /// Save the state of the bounce limiter for later runs.
    case rememberBounces(BounceLimiter.Saved)
    case report(Report)
    /// The run is over. No effect follows.
    case finish(RunOutcome)
}
