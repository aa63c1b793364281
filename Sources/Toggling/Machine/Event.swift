import Model

/// What a toggler is there for.
public enum RunMode: String, Codable, Hashable, Sendable, CaseIterable {
    /// The service: look every interval, bounce what is sick, never end by itself.
    case watch
    /// One bounce now.
    case toggle
    /// One bounce if the link is sick.
    case reconnect
    /// The verdict only.
    case probe

    public var changesLink: Bool { self != .probe }
}

/// What happened, in the past tense. All that a toggler ever learns comes through these.
public enum Event: Codable, Hashable, Sendable {
    /// The beginning; whether the interface is there.
    case started(isPresent: Bool)
    case deadlineReached(Deadline)
    /// The answer to `Effect.kernelState` of the same number.
    case kernelStateRead(Int, KernelState)
    case kernelStateFailed(Int, Failure)
    /// The answer to `Effect.startProbe` with this id.
    case probeFinished(Int, ProbeResult)
    case snapshotTaken(Snapshot)
    case snapshotFailed(Failure)
    /// The answer to `Effect.takeBaseline`; nil: the kernel did not tell.
    case baselineTaken(Snapshot?)
    /// The answer to `Effect.directedScan`; nil: the scan has come to its end.
    case directedScanDone(Failure?)
    case guardArmed
    case guardFailed(Failure)
    /// The guard died while the link was in our hands.
    case guardLost
    case linkLowered
    case linkLoweringFailed(Failure)
    case linkRaised
    case linkRaisingFailed(Failure)
    /// The answers to `Effect.perform`.
    case performed
    case performingFailed(Failure)
    case restored(Restoration)
    /// The answer to `Effect.abortScan`: so long ago the access point was heard; nil: the scan was left alone.
    case scanAborted(heard: Duration?)
    /// The kernel announced a change of the interface.
    case linkChanged(Link)
    /// The interface is there (again), perhaps under another index or name.
    case linkAppeared(Link)
    case linkRemoved
    case radioChanged(RadioBlock)
    /// nl80211 announced the end of the association; nil: without telling how.
    case disconnected(Disconnection?)
    /// nl80211 announced that somebody tries to join a network: an authentication, an association, a connection.
    case joinAttempted
    /// An address or a route of the interface came or was changed, or the association came.
    case addressingChanged
    /// An address or a route of the interface went.
    case addressingLost
    /// Somebody has the station scan.
    case scanBegun(Scan)
    /// The station has heard what networks there are.
    case scanFinished
    /// The monitor lost messages: what it said last may be wrong.
    case monitorOverran
    /// The machine has slept. Told before anything that happened while it went to sleep.
    case resumed
    /// Somebody asked for a cycle now.
    case cycleRequested
    /// A person asked the service for a bounce now; nil: the link is held down for as long as the settings say.
    case bounceRequested(delay: Duration?)
    /// The configuration was read again.
    case reconfigured(Settings)
    case terminationRequested
}

/// The points in time that a toggler waits for; at most one of each is armed.
public enum Deadline: String, Codable, Hashable, Sendable, CaseIterable {
    /// The next check at the link.
    case nextCheck
    /// The latest end of a round of probes.
    case probes
    /// The end of the hold.
    case keepDown
    /// The latest end of a bounce after the raise.
    case settle
    /// The next attempt within a bounce.
    case retry
    /// When what the link bears is looked at again, after a change.
    case baseline
}
