import Model

/// Whether this machine itself left a healthy network, as a user's command makes it do, and nothing has tried
/// to join again.
///
/// The kernel sends the same disconnection when the link is lowered, which it announces as well, and on
/// suspend. An owner that searches for the network, or gives up after a failed attempt to join, has tried to
/// join since the link was healthy. A program that lowers the link to change its hardware address has not:
/// NetworkManager does so to hide the real address while it only scans (`wifi.scan-rand-mac-address`).
struct LocalDisconnectTracker: Hashable, Sendable {
    /// How long the owner may take to join after an attempt: 4.7 s were measured with a full scan.
    static let joining: Duration = .seconds(10)

    /// Healthy, and therefore associated, at the last check, and the association has not ended since.
    private(set) var isSettled = false
    /// The machine left, and nothing has tried to join again.
    var hasLeft: Bool { tookLeave && loweredAs == nil }
    /// The same, even if the link was lowered since: whether that was done to join is known only after the
    /// raise.
    private(set) var tookLeave = false
    /// Something tried to join again, and the owner may be about to succeed.
    private(set) var joiningUntil: Instant?
    /// The address of a link that was lowered since the machine left, and not raised yet; nil: it was not
    /// lowered.
    private(set) var loweredAs: MACAddress?
    /// Nothing has happened to the association since the current check began.
    private(set) var isUndisturbed = false

    mutating func note(_ event: Event, at now: Instant) {
        switch event {
        // Only the frame, which does not show which side ended the association.
        case .disconnected(nil): break
        case .disconnected(let end?):
            tookLeave = end.isLeave && (tookLeave || isSettled)
            disturb()
        case .joinAttempted:
            if tookLeave { joiningUntil = now + Self.joining }
            stay()
        case .linkChanged(let link): link.isUp ? raised(link) : lowered(link)
        case .radioChanged(let block): if block != .none { stay() }
        case .linkAppeared: stay()
        case .linkRemoved: self = LocalDisconnectTracker()
        // What happened in the meantime is not known.
        case .monitorOverran, .resumed: disturb()
        default: break
        }
    }

    /// This program has lowered the link: nothing from before counts.
    mutating func bounced() { stay() }

    mutating func checkBegins() { isUndisturbed = true }

    mutating func concluded(_ verdict: Verdict) {
        // The lost carrier and the end of the association are announced by different sockets, in either
        // order.
        if verdict.conclusion == .sick, verdict.layer == .association { return }
        isSettled = verdict.conclusion == .healthy && isUndisturbed
        if isSettled { tookLeave = false }
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

    private mutating func stay() {
        (tookLeave, loweredAs) = (false, nil)
        disturb()
    }
}
