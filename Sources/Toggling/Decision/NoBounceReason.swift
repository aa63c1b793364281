import Model

/// Why the program does not bounce a link. This is a decision, not a failure.
public enum NoBounceReason: Codable, Hashable, Sendable {
    case radioBlocked(RadioBlock)
    /// A user or another program set the link down.
    case administrativelyDown
    case notWireless
    /// A Wi-Fi interface that is not a station, but an access point or a monitor, for example.
    case notStation(Wireless.Role)
    case absent
    /// A fault that a bounce cannot cure.
    case cannotHelp(Layer?)
    case backingOff(until: Instant)
    case budgetSpent(until: Instant)
    /// This many bounces in a row have changed nothing in this network.
    case useless(bounces: Int, until: Instant)
    /// The machine has just started, or the interface has just appeared: its owner may be about to join.
    case early(until: Instant)
    /// The access point may be silent because of a channel availability check on this channel (MHz).
    case awaitingCAC(frequency: UInt32, until: Instant)
    /// An administrator's hold on the interface.
    case onHold(AdministrativeHold)
    /// The quiet hours forbid automatic bounces.
    case quiet(until: Instant)
    /// A user is logged in over this link from this address, and so many others from elsewhere.
    case inUse(from: IPAddress, others: Int)
    /// The link still receives from other hosts, although the probed one is silent.
    case alive(Liveness)
    case dryRun
}
