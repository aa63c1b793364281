import Model

/// Something that happened. A toggler has no other input.
public indirect enum Event: Codable, Hashable, Sendable {
    /// The toggler starts. `isPresent`: the interface exists.
    case started(isPresent: Bool)
    case deadlineReached(Deadline)
    /// The answer to `Effect.kernelState` with the same number.
    case kernelStateRead(Int, KernelState)
    case kernelStateFailed(Int, Failure)
    /// The answer to `Effect.startProbe` with this id.
    case probeFinished(Int, ProbeResult)
    case snapshotTaken(Snapshot)
    case snapshotFailed(Failure)
    /// The answer to `Effect.takeBaseline`; nil: the kernel did not answer.
    case baselineTaken(Snapshot?)
    /// The answer to `Effect.directedScan`; nil: the scan has succeeded.
    case directedScanDone(Failure?)
    case guardArmed
    case guardFailed(Failure)
    /// The guard process died during a bounce.
    case guardLost
    case linkLowered
    case linkLoweringFailed(Failure)
    case linkRaised
    case linkRaisingFailed(Failure)
    /// The answers to `Effect.perform`.
    case performed
    case performingFailed(Failure)
    case restored(Restoration)
    /// The answer to `Effect.abortScan`: how long ago the access point was heard; nil: nothing was aborted.
    case scanAborted(heard: Duration?)
    /// The kernel announced a change of the interface.
    case linkChanged(Link)
    /// The interface appeared (again), possibly with another index or name.
    case linkAppeared(Link)
    case linkRemoved
    case radioChanged(RadioBlock)
    /// nl80211 announced the end of the association; nil: it reported no details.
    case disconnected(Disconnection?)
    /// nl80211 announced an attempt to join a network: an authentication, an association or a connection.
    case joinAttempted
    /// An address or a route of the interface, its master or its VLAN was added or changed, the station
    /// associated, the link of the master changed, or a VLAN appeared.
    case addressingChanged
    /// Such an address or route was removed, the master was set down, or a VLAN was set up, down or removed.
    case addressingLost
    /// A program made the station scan.
    case scanBegun(Scan)
    /// The station has new scan results.
    case scanFinished
    /// The netlink monitor lost messages (ENOBUFS): its last announcements may be obsolete.
    case monitorOverran
    /// The machine slept for this long (nil: in old traces). Announcements from before the suspend follow.
    case resumed(slept: Duration? = nil)
    /// A user requested a check now.
    case cycleRequested
    /// A user requested a bounce from the service. `delay`: the down time; nil: as in the settings.
    case bounceRequested(delay: Duration?)
    /// The configuration was read again.
    case reconfigured(Settings)
    case terminationRequested
}

/// The deadlines of a toggler. At most one of each is armed.
public enum Deadline: String, Codable, Hashable, Sendable, CaseIterable {
    /// The next check, or the next query for an interface that does not exist.
    case nextCheck
    /// The latest end of a round of probes.
    case probes
    /// The end of the time that the link is kept down.
    case keepDown
    /// The end of the settle time.
    case settle
    /// The next attempt within a bounce, or the latest end of the directed scan.
    case retry
    /// The time of a new baseline after a change.
    case baseline
}
