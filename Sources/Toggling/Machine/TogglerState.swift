import Model

/// Where a toggler stands.
///
///     idle ──started──► checking ◄──────────look────────────┐
///                        │  │  └─removed─► absent ─appeared─►│ (checking)
///              verdict   │  └─nothing to do, or not now──► waiting
///              calls for │                                   ▲
///              a bounce  ▼                                   │ report
///                   preparing (snapshot) ► performing ───────┤ (awaiting link)
///                        ▼                                   │
///                     arming (guard) ──refused by the state──┤
///                        ▼                                   │
///                    lowering ──failed──► raising            │
///                        ▼                                   │
///                     keepingDown ──time over, raised by another,│
///                        ▼      guard lost, termination      │
///                     raising ◄─┐ retry                      │
///                        ▼      ┘                            │
///                  awaitingLink ──operational, or settled────┤
///                        ▼  ▲ not operational any more       │
///                 awaitingOwner ──its own is back, or its───┤
///                        ▼         time is over              │
///                    restoring                               │
///                        ▼                                   │
///                    verifying ◄──retry── pausing            │
///                        │  └──not yet good────▲             │
///                        └──good, or settled──► comparing ───┘
///
/// A one-shot ends in `finished` where the service goes to `waiting`. A removed interface leads to `absent`
/// from everywhere, a termination to `finished`: at once while the link is up, else through `raising` and
/// `restoring`.
public indirect enum TogglerState: Hashable, Sendable {
    case idle
    case absent
    case waiting(NextCheck)
    case checking(HealthCheck)
    case preparing(Bounce)
    /// A method under way that does not take the link down.
    case performing(Bounce)
    case arming(Bounce)
    case lowering(Bounce)
    case keepingDown(Bounce)
    case raising(Bounce)
    case awaitingLink(Bounce)
    /// Whoever gives the link its addresses brings its own back before anything is put back.
    case awaitingOwner(Bounce)
    case restoring(Bounce)
    case verifying(Bounce, HealthCheck)
    case pausing(Bounce)
    case comparing(Bounce)
    case finished(RunOutcome)

    /// The bounce under way, whatever its step.
    var bounce: Bounce? {
        switch self {
        case .preparing(let bounce), .performing(let bounce), .arming(let bounce), .lowering(let bounce),
            .keepingDown(let bounce),
            .raising(let bounce), .awaitingLink(let bounce), .awaitingOwner(let bounce),
            .restoring(let bounce),
            .verifying(let bounce, _), .pausing(let bounce), .comparing(let bounce):
            bounce
        case .idle, .absent, .waiting, .checking, .finished: nil
        }
    }

    /// Whether a guard was asked for and is not dismissed yet.
    var isGuarded: Bool {
        switch self {
        case .arming, .lowering, .keepingDown, .raising, .awaitingLink, .awaitingOwner, .restoring,
            .verifying,
            .pausing,
            .comparing:
            true
        case .idle, .absent, .waiting, .checking, .preparing, .performing, .finished: false
        }
    }

    /// The state's word, for logs.
    public var name: String {
        switch self {
        case .idle: "idle"
        case .absent: "absent"
        case .waiting: "waiting"
        case .checking: "checking"
        case .preparing: "preparing"
        case .performing: "performing"
        case .arming: "arming"
        case .lowering: "lowering"
        case .keepingDown: "keeping down"
        case .raising: "raising"
        case .awaitingLink: "awaiting link"
        case .awaitingOwner: "awaiting owner"
        case .restoring: "restoring"
        case .verifying: "verifying"
        case .pausing: "pausing"
        case .comparing: "comparing"
        case .finished: "finished"
        }
    }
}

extension TogglerState {
    /// When what is waited for here is over at the latest; nil: that is not known, or nothing is waited for.
    public func end(under settings: Settings) -> Instant? {
        switch self {
        case .waiting(let next): next.at
        case .keepingDown(let bounce): bounce.loweredAt.map { $0 + bounce.hold(under: settings) }
        case .awaitingOwner(let bounce): bounce.ownerUntil
        case .awaitingLink(let bounce), .verifying(let bounce, _), .pausing(let bounce),
            .comparing(let bounce):
            bounce.settleUntil
        case .idle, .absent, .checking, .preparing, .performing, .arming, .lowering, .raising, .restoring,
            .finished:
            nil
        }
    }
}
