/// What to do, in the imperative. A toggler does nothing itself.
public enum Effect: Hashable, Sendable {
    /// Ask the kernel; answered by `surveyed` or `surveyFailed` with the same number.
    case survey(Int)
    /// The same, and who is logged in over the interface: a bounce is about to begin.
    case surveyWithLogins(Int)
    /// The same, and who was heard over it within this span: a bounce is about to begin because somebody was not.
    case surveyWithLife(Int, heardWithin: Duration)
    /// The same as `survey`, and whether a Wi-Fi station saves power: answers are slow.
    case surveyWithPowerSave(Int)
    case startProbe(ProbeRequest)
    case cancelProbe(Int)
    /// Keep what lowering would lose; answered by `snapshotTaken` or `snapshotFailed`.
    case takeSnapshot
    /// Keep what lowering would lose although nobody is about to; answered by `keepsakeTaken`.
    case takeKeepsake
    /// Have an access point heard once more: scan its frequency alone, and call it by its name; answered by `listened`
    /// when that scan is over.
    case listen(AccessPoint)
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
    /// End the scan under way, if the kernel has heard the access point since then; answered by `scanCutShort`.
    case cutScanShort(AccessPoint, heardSince: Instant)
    /// Have the kernel ask at once for the neighbours that it has asked for in vain so far. Not answered.
    case askAgain([IPAddress])
    /// Compare with the snapshot and, if `puttingBack`, put back what nobody else does; answered by `restored`.
    case restore(Snapshot, puttingBack: Bool)
    case arm(Deadline, at: Instant)
    case disarm(Deadline)
    /// Keep for later runs who has answered where.
    case remember(Acquaintances)
    /// Keep for later runs what holds bounces back.
    case rememberBounces(RestraintMemory)
    case report(Report)
    /// The mission is over. Nothing follows.
    case finish(Outcome)
}
