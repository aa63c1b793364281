import Model

/// Whether this machine itself left a network that was fine, as a person makes it do, and nobody asked to join again.
///
/// The kernel takes the same leave where it lowers a link, which it tells as well, and where it goes to sleep. Who
/// looks for the network again, or gives up after he could not join it, has asked to join since the link was fine.
/// Who lowers the link to give it another hardware address has not: NetworkManager hides the own one so while it only
/// looks around (`wifi.scan-rand-mac-address`).
struct LocalDisconnectTracker: Hashable, Sendable {
    /// For the owner to join once somebody has asked: with a full scan 4.7 s were measured.
    static let joining: Duration = .seconds(10)

    /// Healthy, and therefore associated, when looked at last, and nothing has ended that since.
    private(set) var isSettled = false
    /// It left, and nobody asked to join again.
    var hasLeft: Bool { tookLeave && loweredAs == nil }
    /// The same, as long as nobody has lowered the link; whether he did so to join is not known before he raises it.
    private(set) var tookLeave = false
    /// Somebody has asked again, and its owner may be about to join.
    private(set) var joiningUntil: Instant?
    /// The address of a link that somebody has lowered since it left, and not raised yet; nil: nobody has.
    private(set) var loweredAs: MACAddress?
    /// Nothing has happened to the association since the look at hand began.
    private(set) var isUndisturbed = false

    mutating func note(_ event: Event, at now: Instant) {
        switch event {
        // The frame alone, which does not tell whose end it was.
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
        // What happened meanwhile is not known.
        case .monitorOverran, .resumed: disturb()
        case .started, .deadlineReached, .kernelStateRead, .kernelStateFailed, .probeFinished, .snapshotTaken,
            .snapshotFailed, .guardArmed, .guardFailed, .guardLost, .linkLowered, .linkLoweringFailed,
            .linkRaised,
            .linkRaisingFailed, .performed, .performingFailed, .restored, .scanBegun, .scanAborted,
            .directedScanDone, .scanFinished,
            .addressingChanged, .addressingLost, .baselineTaken, .cycleRequested, .bounceRequested,
            .reconfigured, .terminationRequested:
            break
        }
    }

    /// We have lowered the link ourselves: nothing of before counts.
    mutating func bounced() { stay() }

    /// A check begins.
    mutating func checkBegins() { isUndisturbed = true }

    /// The look has ended with a verdict.
    mutating func concluded(_ verdict: Verdict) {
        // That the carrier is gone is told on another way than how the association ended, and may be told first.
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

    private mutating func disturb() {
        isSettled = false
        isUndisturbed = false
    }

    private mutating func stay() {
        tookLeave = false
        loweredAs = nil
        disturb()
    }
}
