import Model

/// Whether this machine itself left a healthy network, as on a user's command, and did not try to join again.
///
/// The kernel sends the same message on suspend, and when the link is lowered; it also announces the
/// lowering. Owners also leave right before a suspend, and do not always join again after it. An owner that
/// searches for the network, or has given up after a failed attempt, has tried to join. A program that lowers
/// the link to change its hardware address has not tried (NetworkManager, `wifi.scan-rand-mac-address`).
struct LocalDisconnectTracker: Hashable, Sendable {
    /// How long the owner may take to join after an attempt; 4.7 s were measured with a full scan.
    static let joining: Duration = .seconds(10)
    /// How long before a suspend an owner may leave because of the suspend: logind waits 5 s for owners
    /// (`InhibitDelayMaxSec`), and then the kernel needs some time to stop all processes.
    static let goingToSleep: Duration = .seconds(10)

    /// Whether the link was healthy at the last check (one that found a fault of the association does not
    /// count), and nothing has happened to the association since.
    private(set) var isSettled = false
    /// Whether the machine left, no program has tried to join again, and the link is not lowered now.
    var hasLeft: Bool { tookLeave && loweredAs == nil }
    /// Whether the machine left, even if the link was lowered since: only the raise shows why.
    var tookLeave: Bool { leftAt != nil }
    private(set) var leftAt: Instant?
    /// Until when the owner may be joining, after an attempt by any program.
    private(set) var joiningUntil: Instant?
    /// The hardware address of the link when it was lowered after the machine left; nil: it is not down.
    private(set) var loweredAs: MACAddress?
    /// Whether nothing has happened to the association since the current check began.
    private(set) var isUndisturbed = false

    mutating func note(_ event: Event, at now: Instant) {
        switch event {
        // An announcement without details, which does not show which side ended the association.
        case .disconnected(nil): break
        case .disconnected(let end?):
            leftAt = end.isLeave ? leftAt ?? (isSettled ? now : nil) : nil
            disturb()
        case .joinAttempted:
            if tookLeave { joiningUntil = now + Self.joining }
            stay()
        case .linkChanged(let link): link.isUp ? raised(link) : lowered(link)
        case .radioChanged(let block): if block != .none { stay() }
        case .linkAppeared: stay()
        case .linkRemoved: self = LocalDisconnectTracker()
        // A station that left right before the suspend left because of it, not on a user's order.
        case .resumed(let slept?) where leftAt.map { now - $0 - slept < Self.goingToSleep } ?? false: stay()
        // What happened in the meantime is not known.
        case .monitorOverran, .resumed: disturb()
        default: break
        }
    }

    mutating func checkBegins() { isUndisturbed = true }

    mutating func concluded(_ verdict: Verdict) {
        // Different sockets announce the lost carrier and the end of the association, in either order.
        if verdict.conclusion == .sick, verdict.layer == .association { return }
        isSettled = verdict.conclusion == .healthy && isUndisturbed
        if isSettled { leftAt = nil }
    }

    private mutating func lowered(_ link: Link) {
        guard tookLeave, let address = link.macAddress else { return stay() }
        loweredAs = loweredAs ?? address
        disturb()
    }

    private mutating func raised(_ link: Link) {
        guard let old = loweredAs else { return }
        loweredAs = nil
        if link.macAddress == old { stay() }
    }

    private mutating func disturb() { (isSettled, isUndisturbed) = (false, false) }

    /// Forgets that the machine left, for example because this program has lowered the link.
    mutating func stay() {
        (leftAt, loweredAs) = (nil, nil)
        disturb()
    }
}
