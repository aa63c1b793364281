import Model

/// The state of a toggler. During a bounce, its name is that of the bounce's step (`Bounce.Step`).
///
/// Each line names a state and the states to which one event can lead. A test compares the table with the
/// transitions of random runs. A bounce that helps goes from `waiting` through `checking` and `preparing` to
/// `verifying` and back to `waiting`. The state is `awaiting owner` only if the address owner has something
/// to restore, `pausing` until the link is healthy, and `comparing` only if something is still missing.
/// `preparing` includes the step `scanning`. A one-shot ends where the service goes to `waiting`; only
/// `reconnect` also waits, between its first checks.
///
///     idle            → absent, checking, finished
///     absent          → checking, performing, arming, finished
///     waiting         → absent, checking, finished
///     checking        → absent, waiting, preparing, performing, raising, awaiting owner, restoring
///     checking        → verifying, finished
///     preparing       → absent, waiting, checking, performing, arming, finished
///     performing      → absent, waiting, checking, awaiting link, restoring, finished
///     arming          → absent, waiting, checking, lowering, finished
///     lowering        → absent, waiting, checking, keeping down, raising, finished
///     keeping down    → absent, raising, finished
///     raising         → absent, waiting, lowering, awaiting link, restoring, finished
///     awaiting link   → absent, waiting, awaiting owner, restoring, finished
///     awaiting owner  → absent, awaiting link, restoring, finished
///     restoring       → absent, waiting, checking, verifying, awaiting link, finished
///     verifying       → absent, waiting, checking, awaiting link, pausing, comparing, finished
///     pausing         → absent, verifying, awaiting link, finished
///     comparing       → absent, waiting, checking, finished
///
/// A removed interface leads to `absent`, unless the method removed it, or, in a one-shot, may have done so.
/// `absent` leads to `arming` if the device has lost its interface, and to `performing` at last (a reboot). A
/// program that is told to end leads to `finished`, after it has raised and restored the link.
public indirect enum TogglerState: Hashable, Sendable {
    case idle
    case absent(Absence)
    case waiting(NextCheck)
    case checking(HealthCheck)
    case bouncing(Bounce)
    case finished(RunOutcome)

    /// The bounce under way; nil: there is none.
    var bounce: Bounce? { if case .bouncing(let bounce) = self { bounce } else { nil } }

    /// The check under way, also within a bounce; nil: there is none.
    var check: HealthCheck? {
        switch self {
        case .checking(let check): check
        case .bouncing(let bounce): if case .verifying(let check) = bounce.step { check } else { nil }
        case .idle, .absent, .waiting, .finished: nil
        }
    }

    /// The name of the state for logs; within a bounce, the name of its step.
    public var name: String {
        switch self {
        case .idle: "idle"
        case .absent: "absent"
        case .waiting: "waiting"
        case .checking: "checking"
        case .bouncing(let bounce): bounce.step.name
        case .finished: "finished"
        }
    }

    /// The latest end of this state; nil: not known, or no deadline ends it.
    public func end(under settings: Settings) -> Instant? {
        switch self {
        case .waiting(let next): next.at
        case .bouncing(let bounce): bounce.end(under: settings)
        case .idle, .absent, .checking, .finished: nil
        }
    }
}
