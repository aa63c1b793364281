@testable import Model
@testable import Toggling

/// The owner of a simulated machine's interface, modelled on NetworkManager: it joins the network by itself, requests
/// an address after every association, and drops the address when the association ends. The machine tells it when it
/// can join, and whether the DHCP server answers.
struct SimulatedOwner {
    /// How the owner comes to join, which decides how long that takes.
    enum Joining {
        /// A full scan, from the raise of the link to the association.
        case scanning
        /// The next scan of an owner that has found nothing for long.
        case searching
        /// Joining an access point that is known with its channel.
        case rejoining
        /// Joining after a suspend.
        case resuming
        /// ConnMan joining after a bounce if it had given up.
        case hesitating

        /// The time until the association, in seconds.
        fileprivate var seconds: ClosedRange<Double> {
            switch self {
            // Measured: 3.85 to 3.98 s for the scan, and the join.
            case .scanning: 3.9...4.2
            // Such an owner scans rarely, after pauses of 1.6, 5.9, 14.7 and 23.5 s.
            case .searching: 1.6...23.5
            case .rejoining: 0.2...4.0
            case .resuming: 1.0...6.0
            // Measured once, in the lab.
            case .hesitating: 40.0...45.0
            }
        }
    }

    /// What has happened to the connection at a time.
    enum Step { case joined, gotAddress, leaseEnded }

    /// The time for the handshake and the DHCP exchange, in seconds.
    private static let addressing = 0.1...0.5
    /// The time until a request is repeated that the DHCP server has not answered, in seconds.
    private static let repeating = 0.0...60.0
    /// How long a lease of twelve hours is still valid when the DHCP server dies, in seconds. A client renews its
    /// lease after half of the lease time (RFC 2131, 4.4.5), so at least half of it is left.
    private static let remaining = 6.0 * 3600...12 * 3600

    private(set) var isAssociated: Bool
    private(set) var hasAddress: Bool
    /// How many access points the station has joined, modulo 256.
    private(set) var associations: UInt8 = 0
    private var joinsAt: Instant?
    private var addressAt: Instant?
    /// When the lease ends; nil: it is renewed.
    private var leaseEnd: Instant?
    private let chance: Chance

    init(isConnected: Bool, _ chance: Chance) {
        (isAssociated, hasAddress) = (isConnected, isConnected)
        self.chance = chance
    }

    /// When the next step is due; nil: none is.
    var nextStep: Instant? { [joinsAt, addressAt, leaseEnd].compactMap(\.self).min() }

    /// Takes the next step if it is due.
    mutating func step(at now: Instant) -> Step? {
        if let instant = joinsAt, instant <= now {
            joinsAt = nil
            isAssociated = true
            associations &+= 1
            return .joined
        }
        if let instant = addressAt, instant <= now {
            addressAt = nil
            hasAddress = true
            return .gotAddress
        }
        if let instant = leaseEnd, instant <= now {
            leaseEnd = nil
            hasAddress = false
            return .leaseEnded
        }
        return nil
    }

    // MARK: Association

    /// Begins to join, unless the station is associated.
    mutating func join(_ joining: Joining, at now: Instant) {
        guard !isAssociated else { return }
        joinsAt = now + chance.duration(.join, joining.seconds, at: now)
    }

    /// Changes to another access point of the network.
    mutating func roam() { associations &+= 1 }

    /// Ends the association, or the attempt to join.
    /// - Returns: whether there was an association.
    mutating func leave() -> Bool {
        (joinsAt, addressAt) = (nil, nil)
        hasAddress = false
        defer { isAssociated = false }
        return isAssociated
    }

    // MARK: Address

    /// Requests an address, if the station is associated.
    mutating func requestAddress(at now: Instant) { requestAddress(within: Self.addressing, at: now) }

    private mutating func requestAddress(within seconds: ClosedRange<Double>, at now: Instant) {
        guard isAssociated else { return }
        addressAt = now + chance.duration(.address, seconds, at: now)
    }

    mutating func loseAddress() { hasAddress = false }

    /// From now on the DHCP server does not answer, so that the lease is not renewed.
    mutating func serverDied(at now: Instant) {
        leaseEnd = leaseEnd ?? now + chance.duration(.lease, Self.remaining, at: now)
    }

    /// From now on the DHCP server answers again.
    mutating func serverReturned(at now: Instant) {
        leaseEnd = nil
        if !hasAddress { requestAddress(within: Self.repeating, at: now) }
    }
}
