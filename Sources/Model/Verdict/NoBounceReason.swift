/// Why the program does not bounce a link. This is a decision, not a failure. `decision` in
/// `Toggling/Decision/Decision.swift` has the conditions in their order; it asks `BounceLimiter` about
/// limits, and `noRebootReason` about a reboot. The decision about a lost interface is
/// `absenceDecision` (`LostInterface.swift`).
public indirect enum NoBounceReason: Encodable, Hashable, Sendable {
    case radioBlocked(RadioBlock)
    /// A user or another program set the link down.
    case administrativelyDown
    case notWireless
    /// A Wi-Fi interface that is not a station, but an access point or a monitor, for example.
    case notStation(Wireless.Role)
    case absent
    /// A bounce cannot cure the fault in this layer, the settings exclude the layer, or no method is left.
    case cannotHelp(Layer?)
    case backingOff(until: Instant)
    case budgetSpent(until: Instant)
    /// This many bounces in a row have changed nothing in this network.
    case useless(bounces: Int, until: Instant)
    /// The owner may still be connecting: the machine has just started, the interface has just appeared, or
    /// the station is just joining.
    case early(until: Instant)
    /// The access point may be silent because of a channel availability check on this channel (MHz).
    case awaitingCAC(frequency: UInt32, until: Instant)
    /// An administrator's hold on the interface.
    case onHold(AdministrativeHold)
    /// The quiet hours forbid automatic bounces.
    case quiet(until: Instant)
    /// Users are logged in over this link from this address, and from `others` further addresses.
    case inUse(from: IPAddress, others: Int)
    /// The link still receives from other hosts, although the probed host is silent.
    case alive(Liveness)
    /// A user told this owner to leave the interface disconnected.
    case toldToDisconnect(Owner)
    /// A reboot is due, and this obstacle prevents it; no other method may be tried now.
    case noReboot(NoRebootReason)
    /// In a dry run: these methods would be tried now, one after the other; empty: the link would be raised.
    case dryRun([Method])

    /// The reason without its details; the raw value is its name in metrics.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case radioBlocked = "radio_blocked"
        case administrativelyDown = "administratively_down"
        case notWireless = "not_wireless"
        case notStation = "not_station"
        case absent
        case cannotHelp = "cannot_help"
        case backingOff = "backing_off"
        case budgetSpent = "budget_spent"
        case useless, early
        case awaitingCAC = "awaiting_cac"
        case held
        case quietHours = "quiet_hours"
        case inUse = "in_use"
        case alive
        case toldToDisconnect = "told_to_disconnect"
        case noReboot = "no_reboot"
        case dryRun = "dry_run"
    }

    /// The origin of the reason.
    public enum Origin: Hashable, Sendable {
        /// The state of the interface, which no verdict overrules.
        case interface
        /// An administrator's order to this program. The command `status` reads the order again.
        case administrator
        /// The program's own judgement.
        case judgement
    }

    public var kind: Kind { meaning.kind }
    public var origin: Origin { meaning.origin }
    /// When the reason ends; nil: it is not known.
    package var end: NextCheck? { meaning.end }

    /// Whether the reasons are equal. The end of quiet hours comes from two clocks, which are not read at the
    /// same time, so it does not count.
    package func isLike(_ other: NoBounceReason?) -> Bool {
        self == other || kind == .quietHours && other?.kind == .quietHours
    }

    /// The properties of each reason. The sentences are in `NoBounceReasonText`.
    private var meaning: (kind: Kind, origin: Origin, end: NextCheck?) {
        switch self {
        case .radioBlocked: (.radioBlocked, .interface, nil)
        case .administrativelyDown: (.administrativelyDown, .interface, nil)
        case .notWireless: (.notWireless, .interface, nil)
        case .notStation: (.notStation, .interface, nil)
        case .absent: (.absent, .interface, nil)
        case .cannotHelp: (.cannotHelp, .judgement, nil)
        case .backingOff(let until): (.backingOff, .judgement, NextCheck(at: until, why: .backoff))
        case .budgetSpent(let until): (.budgetSpent, .judgement, NextCheck(at: until, why: .budget))
        case .useless(_, let until): (.useless, .judgement, NextCheck(at: until, why: .backoff))
        case .early(let until): (.early, .judgement, NextCheck(at: until, why: .grace))
        case .awaitingCAC(_, let until): (.awaitingCAC, .judgement, NextCheck(at: until, why: .grace))
        case .onHold(.until(let until)): (.held, .administrator, NextCheck(at: until, why: .hold))
        case .onHold(.untilReleased): (.held, .administrator, nil)
        case .quiet(let until): (.quietHours, .administrator, NextCheck(at: until, why: .quiet))
        case .inUse: (.inUse, .judgement, nil)
        case .alive: (.alive, .judgement, nil)
        case .toldToDisconnect: (.toldToDisconnect, .judgement, nil)
        case .noReboot: (.noReboot, .judgement, nil)
        case .dryRun: (.dryRun, .judgement, nil)
        }
    }
}
