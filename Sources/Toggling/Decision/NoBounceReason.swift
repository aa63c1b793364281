import Model

/// Why the program keeps its hands off a link. A refusal is a reason, not a failure.
public enum NoBounceReason: Codable, Hashable, Sendable {
    case radioBlocked(RadioBlock)
    /// Somebody else set the link down.
    case administrativelyDown
    case notWireless
    /// A Wi-Fi interface, but not a station: an access point, a monitor and the like.
    case notStation(Wireless.Role)
    case absent
    /// The fault lies where a bounce cannot reach.
    case cannotHelp(Layer?)
    case backingOff(until: Instant)
    case budgetSpent(until: Instant)
    /// So many bounces in a row have changed nothing in this network.
    case useless(bounces: Int, until: Instant)
    /// The machine has only just started, or the interface appeared: its owner may be about to join.
    case early(until: Instant)
    /// Its access point may be silent because it listens for radar on this channel (MHz).
    case awaitingCAC(frequency: UInt32, until: Instant)
    /// An administrator wants the interface left alone.
    case onHold(AdministrativeHold)
    /// It is an hour in which nothing is to be bounced by itself.
    case quiet(until: Instant)
    /// Somebody is logged in over the very link, from there, and so many more from elsewhere.
    case inUse(from: IPAddress, others: Int)
    /// The link still receives what is sent to it, whoever else is silent.
    case alive(Liveness)
    case dryRun
}
