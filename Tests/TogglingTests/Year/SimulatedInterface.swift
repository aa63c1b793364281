@testable import Model
@testable import Toggling

/// The Wi-Fi interface of a simulated machine, with its owner, as the kernel shows and announces it.
struct SimulatedInterface {
    /// Whether the link is administratively up.
    private(set) var isUp = true
    private(set) var isPresent = true
    /// Whether there was an association since the interface appeared.
    private(set) var hadCarrier: Bool
    /// What became of the device without the interface, and the interface's last state; nil: the device has
    /// not lost it.
    private(set) var loss: (kind: LossOfInterface, lastState: KernelState)?
    var owner: SimulatedOwner
    /// When a bounce lowered the link; nil: no bounce keeps the link down.
    private(set) var loweredAt: Instant?
    /// Whether the machine is suspended: the kernel then announces only that the interface appears or
    /// disappears.
    var isSuspended = false
    private let port: Port?
    /// For how long, in total, packets were received.
    private var receiving: Duration = .zero
    private var announcements: [Event] = []

    init(in situation: Situation, _ chance: Chance) {
        hadCarrier = situation.hasNetwork
        owner = SimulatedOwner(isConnected: situation.hasNetwork, chance)
        port = situation.port
    }

    var isAssociated: Bool { owner.isAssociated }
    var hasAddress: Bool { owner.hasAddress }

    func link(at now: Instant) -> Link {
        Link(
            index: Sample.index, name: "wlan0", macAddress: MACAddress([2, 0, 0, 0, 1, 0]), isUp: isUp,
            hasCarrier: isAssociated, operationalState: isAssociated ? .up : .down,
            counters: counters(at: now), port: port, hadCarrier: hadCarrier)
    }

    /// One packet a second is sent, and one is received while the link is well.
    private func counters(at now: Instant) -> LinkCounters {
        let sent = UInt64((now - Life.beginning).inSeconds)
        return LinkCounters(receivedPackets: UInt64(receiving.inSeconds), sentPackets: sent)
    }

    mutating func receive(for duration: Duration) { receiving += duration }

    // MARK: Announcements

    mutating func announce(_ event: Event) {
        switch event {
        // The kernel keeps these until the machine wakes up.
        case .linkAppeared, .linkRemoved: announcements.append(event)
        default: if !isSuspended, isPresent { announcements.append(event) }
        }
    }

    private mutating func announceLink(at now: Instant) { announce(.linkChanged(link(at: now))) }

    mutating func takeAnnouncements() -> [Event] {
        defer { announcements = [] }
        return announcements
    }

    // MARK: Down and up

    /// A bounce sets the link down.
    mutating func lower(at now: Instant) {
        loweredAt = now
        goDown(Self.left, at: now)
    }

    /// From now on, no bounce keeps the link down.
    mutating func endBounce() { loweredAt = nil }

    /// The machine wakes up. A bounce that keeps the link down does so from now on.
    mutating func resumeBounce(at now: Instant) {
        if loweredAt != nil { loweredAt = now }
    }

    /// Sets the link down, which ends the association.
    mutating func goDown(_ end: Disconnection = lost, at now: Instant) {
        isUp = false
        leave(end, at: now)
        announceLink(at: now)
    }

    mutating func goUp(at now: Instant) {
        isUp = true
        announceLink(at: now)
    }

    // MARK: Away and back

    /// The device loses its interface.
    mutating func lose(_ kind: LossOfInterface, lastState: KernelState) {
        loss = (kind, lastState)
        disappear()
    }

    mutating func disappear() {
        guard isPresent else { return }
        announce(.addressingLost)
        announce(.linkRemoved)
        isPresent = false
    }

    mutating func appear(at now: Instant, isUp: Bool) {
        (isPresent, hadCarrier, loss) = (true, false, nil)
        self.isUp = isUp
        announce(.linkAppeared(link(at: now)))
    }

    // MARK: Association and address

    // Reasons of IEEE 802.11, 9.4.1.7: the station leaves (3); inactivity (4); the reason that hostapd gives
    // for inactivity (2).
    static let left = Disconnection(reason: 3, isByAccessPoint: false)
    static let lost = Disconnection(reason: 4, isByAccessPoint: false)
    static let sentAway = Disconnection(reason: 2, isByAccessPoint: true)

    /// The owner has joined the network.
    mutating func joined(at now: Instant) {
        hadCarrier = true
        announceLink(at: now)
    }

    mutating func leave(_ end: Disconnection = lost, at now: Instant) {
        guard owner.leave() else { return }
        announce(.disconnected(end))
        announceLink(at: now)
    }

    mutating func roam() {
        guard isAssociated else { return }
        owner.roam()
        announce(.addressingChanged)
    }

    mutating func loseAddress() {
        owner.loseAddress()
        announce(.addressingChanged)
    }
}
