@testable import Model
@testable import Toggling

/// One machine in a life: the true state of its link, the effects of bounces on the link, and the ledger of
/// both. Only the watchdog, the life and the owner of the interface change the link. The owner is modelled on
/// NetworkManager: it joins by itself, requests an address after every association, and drops the address
/// when the association ends.
struct Machine {
    let life: Life
    private(set) var now = Life.beginning
    private(set) var ledger = Ledger()
    /// The next time at which something changes without the watchdog.
    private(set) var nextChange = Life.beginning

    /// Whether the link is administratively up.
    private(set) var isUp = true
    private(set) var isAssociated = true
    private(set) var hasAddress = true
    private(set) var isReplacedRouter = false
    private(set) var associations: UInt8 = 0
    /// For how long, in total, packets were received until now.
    private(set) var receiving: Duration = .zero
    private var active: [Spell] = []
    private var faults: [Ledger.Fault] = []
    /// Curable faults that take effect as soon as the link is well.
    private var pending: [Spell] = []
    /// Faults that are cured while the link is not well yet.
    private var recovering: [Ledger.Fault] = []
    private var joinsAt: Instant?
    private var addressAt: Instant?
    private var leaseEnd: Instant?
    private var bounce: Bounced?
    private var nextSpell = 0
    private var announcements: [Event] = []
    /// When a bounce lowered the link; nil: no bounce keeps the link down.
    private var loweredAt: Instant?

    /// A bounce after which the link is not well yet.
    private struct Bounced {
        var ground: Ledger.Ground
        /// Whether the bounce lost an address that no DHCP server assigns again.
        var lostLease: Bool
    }

    let chance: Chance

    init(_ life: Life) {
        self.life = life
        chance = Chance(seed: life.seed)
        (isAssociated, hasAddress) = (life.situation.hasNetwork, life.situation.hasNetwork)
        plan()
    }

    // MARK: State

    func isUnder(_ trouble: Trouble) -> Bool { active.contains { $0.trouble == trouble } }
    func spell(of trouble: Trouble) -> Spell? { active.first { $0.trouble == trouble } }
    private func isUnder(_ nature: Trouble.Nature) -> Bool { active.contains { $0.trouble.nature == nature } }

    var isAsleep: Bool { isUnder(.suspend) }
    var isBlocked: Bool { isUnder(.radioBlocked) }
    private var isInRange: Bool { !active.contains { $0.trouble.silencesAir } }
    var isGatewayMute: Bool { isUnder(.gatewayDead) || faults.contains { $0.trouble != .lostAddress } }
    /// Whether packets reach the gateway, and come back.
    var isWell: Bool { isAssociated && hasAddress && !isGatewayMute }
    private var isWorking: Bool { life.situation.hasWire ? !isUnder(.gatewayDead) : isWell }
    var reachesInternet: Bool { isWorking && !isUnder(.providerDead) && !isUnder(.portal) }
    /// Whether no packets pass at the moment, in either direction.
    var pauses: Bool { isUnder(.roam) || isUnder(.rekey) }

    private var condition: Ledger.Condition {
        if isAsleep { return .asleep }
        if isUnder(.willed) { return .unwanted }
        if reachesInternet { return .working }
        if isUnder(.providerDead) || isUnder(.portal) || isIncurable { return .incurable }
        if !faults.isEmpty || !recovering.isEmpty { return .curable }
        return bounce == nil ? .joining : .caused
    }

    /// Whether a fault up to the gateway stops packets, and no bounce helps.
    private var isIncurable: Bool {
        if !isInRange || isUnder(.gatewayDead) { return true }
        return isUnder(.dhcpDead) && isAssociated && !hasAddress && bounce?.lostLease != true
    }

    /// What a bounce that begins now is to be counted as.
    private var ground: Ledger.Ground {
        if !faults.isEmpty { return .curable }
        if let cause = active.first(where: { isInTheWay($0.trouble) }) { return .trouble(cause.trouble) }
        guard isWell || !life.situation.hasNetwork else { return .joining }
        let beyond = active.first { $0.trouble.nature == .beyond || $0.trouble.nature == .rough }
        return beyond.map { .trouble($0.trouble) } ?? .health
    }

    private func isInTheWay(_ trouble: Trouble) -> Bool {
        switch trouble.nature {
        case .incurable: trouble != .dhcpDead || !hasAddress
        case .willed: true
        case .curable, .beyond, .rough, .ordinary: false
        }
    }

    // MARK: Actions of a watchdog

    mutating func lower() {
        let ground = ground
        ledger.bounce(on: ground, at: now)
        for index in faults.indices where faults[index].firstBounce == nil { faults[index].firstBounce = now }
        let losesLease = isUnder(.dhcpDead) && hasAddress
        bounce = Bounced(ground: ground, lostLease: losesLease || bounce?.lostLease == true)
        loweredAt = now
        isUp = false
        leave(Self.left)
        announce(.linkChanged(link))
        plan()
    }

    /// - Returns: the failure if the radio is blocked; nil: the link was raised.
    mutating func raise() -> Failure? {
        if isBlocked {
            loweredAt = nil
            return Failure(kind: .radioBlocked, code: 132, description: "RF-kill")
        }
        if isUnder(.setDown) { ledger.overruled += 1 }
        if let loweredAt { ledger.longestDown = max(ledger.longestDown, now - loweredAt) }
        loweredAt = nil
        isUp = true
        announce(.linkChanged(link))
        join(within: Self.scanning)
        plan()
        return nil
    }

    mutating func takeAnnouncements() -> [Event] {
        defer { announcements = [] }
        return announcements
    }

    // MARK: Time

    /// Lets time pass, and makes every change at its time.
    mutating func advance(to instant: Instant) {
        while nextChange <= instant {
            spend(until: nextChange)
            change()
            plan()
        }
        spend(until: instant)
    }

    /// Ends the life, and returns its ledger with the faults that are not over.
    mutating func close() -> Ledger {
        for fault in faults + recovering where now - fault.bitten > Ledger.timeout { ledger.close(fault) }
        return ledger
    }

    private mutating func spend(until instant: Instant) {
        guard instant > now else { return }
        ledger.spend(instant - now, in: condition)
        if isWell { receiving += instant - now }
        now = instant
    }

    private mutating func plan() {
        var next = nextSpell < life.spells.count ? life.spells[nextSpell].start : life.end
        for spell in active where spell.end < next { next = spell.end }
        for fault in faults where fault.end < next { next = fault.end }
        for instant in [joinsAt, addressAt, leaseEnd] { if let instant, instant < next { next = instant } }
        nextChange = max(next, now)
        if next >= life.end { nextChange = life.end + .seconds(1) }
    }

    /// Makes all changes that are due at this time.
    private mutating func change() {
        for spell in active where spell.end <= now {
            active.removeAll { $0 == spell }
            end(spell)
        }
        while nextSpell < life.spells.count, life.spells[nextSpell].start <= now {
            nextSpell += 1
            begin(life.spells[nextSpell - 1])
        }
        for fault in faults where fault.end <= now { passed(fault) }
        if let instant = joinsAt, instant <= now { joined() }
        if let instant = addressAt, instant <= now { addressed() }
        if let instant = leaseEnd, instant <= now { leaseOver() }
        if isWell { settle() }
    }

    // MARK: Periods

    private mutating func begin(_ spell: Spell) {
        switch spell.trouble.nature {
        case .curable: return pending.append(spell)
        case .incurable, .willed: overtake()
        case .beyond, .rough, .ordinary: break
        }
        if spell.trouble == .suspend { overtake() }
        active.append(spell)
        if spell.trouble.silencesAir { leave() }
        switch spell.trouble {
        case .dhcpDead:
            // A client renews its lease after half of the lease time (RFC 2131, 4.4.5), so at least half of
            // twelve hours is left.
            leaseEnd = leaseEnd ?? now + chance.duration(.lease, 6 * 3600...12 * 3600, at: now)
        case .radioBlocked, .setDown:
            if spell.trouble == .radioBlocked { announce(.radioChanged(.soft)) }
            isUp = false
            leave(Self.left)
            announce(.linkChanged(link))
        case .deauthentication: leave(Self.sentAway)
        case .suspend: leave()
        case .wedge, .stubbornWedge, .passingWedge, .lostAddress, .accessPointRestart, .accessPointDead,
            .routerReplaced, .gatewayDead, .providerDead, .portal, .namesDead, .loss, .latency, .roam, .rekey,
            .scan:
            break
        }
    }

    private mutating func end(_ spell: Spell) {
        switch spell.trouble {
        case .accessPointRestart, .accessPointDead, .routerReplaced:
            if spell.trouble == .routerReplaced { isReplacedRouter.toggle() }
            join(within: Self.searching)
        case .dhcpDead:
            guard !isUnder(.dhcpDead) else { return }
            leaseEnd = nil
            if isAssociated, !hasAddress { addressAt = now + chance.duration(.address, 0...60, at: now) }
        case .radioBlocked, .setDown: allowed(spell.trouble)
        case .suspend:
            if loweredAt != nil { loweredAt = now }
            join(within: Self.resuming)
        case .deauthentication: join(within: Self.rejoining)
        case .roam:
            guard isAssociated else { return }
            associations &+= 1
            announce(.addressingChanged)
        case .wedge, .stubbornWedge, .passingWedge, .lostAddress, .gatewayDead, .providerDead, .portal,
            .namesDead, .loss, .latency, .rekey, .scan:
            break
        }
    }

    /// The user unblocks the radio, or sets the link up again.
    private mutating func allowed(_ trouble: Trouble) {
        if trouble == .radioBlocked, !isBlocked { announce(.radioChanged(.none)) }
        // If a bounce keeps the link down, the bounce has to raise it.
        guard !isUnder(.willed), loweredAt == nil, !isUp else { return }
        isUp = true
        announce(.linkChanged(link))
        join(within: Self.scanning)
    }

    private mutating func overtake() {
        ledger.overtaken += faults.count + recovering.count
        faults = []
        recovering = []
    }

    // MARK: Association and address

    /// From the raise to the association, in seconds: a full scan (measured: 3.85 to 3.98 s), and the join.
    private static let scanning = 3.9...4.2
    /// The wait for the next scan of an owner that has found nothing for long, in seconds: such an owner
    /// scans rarely, after pauses of 1.6, 5.9, 14.7 and 23.5 s.
    private static let searching = 1.6...23.5
    /// The time to join an access point that is known with its channel, in seconds.
    private static let rejoining = 0.2...4.0
    private static let resuming = 1.0...6.0
    /// The time for the handshake and the DHCP exchange, in seconds.
    private static let addressing = 0.1...0.5

    // Reasons of IEEE 802.11, 9.4.1.7: the station leaves (3); inactivity (4); the reason that hostapd gives
    // for inactivity (2).
    private static let left = Disconnection(reason: 3, isByAccessPoint: false)
    private static let lost = Disconnection(reason: 4, isByAccessPoint: false)
    private static let sentAway = Disconnection(reason: 2, isByAccessPoint: true)

    private mutating func join(within seconds: ClosedRange<Double>) {
        guard isUp, !isAsleep, isInRange, !isAssociated, life.situation.hasNetwork else { return }
        joinsAt = now + chance.duration(.join, seconds, at: now)
    }

    private mutating func leave(_ end: Disconnection = Self.lost) {
        joinsAt = nil
        addressAt = nil
        hasAddress = false
        guard isAssociated else { return }
        isAssociated = false
        announce(.disconnected(end))
        announce(.linkChanged(link))
    }

    private mutating func joined() {
        joinsAt = nil
        isAssociated = true
        associations &+= 1
        for index in faults.indices { faults[index].associations -= 1 }
        for fault in faults where fault.associations <= 0 { recovering.append(fault) }
        faults.removeAll { $0.associations <= 0 }
        announce(.linkChanged(link))
        if !isUnder(.dhcpDead) { addressAt = now + chance.duration(.address, Self.addressing, at: now) }
    }

    private mutating func addressed() {
        addressAt = nil
        hasAddress = true
        announce(.addressingChanged)
    }

    private mutating func leaseOver() {
        leaseEnd = nil
        guard isUnder(.dhcpDead) else { return }
        overtake()
        bounce?.lostLease = false
        hasAddress = false
        announce(.addressingChanged)
    }

    // MARK: Faults

    /// Called when the link is well: recoveries are complete, and pending faults take effect.
    private mutating func settle() {
        bounce = nil
        for fault in recovering { close(fault) }
        recovering = []
        guard !pending.isEmpty, !active.contains(where: { $0.trouble.nature == .incurable }) else { return }
        for spell in pending { bite(spell) }
        pending = []
    }

    private mutating func bite(_ spell: Spell) {
        guard case .curable(let associations) = spell.trouble.nature else { return }
        faults.append(
            Ledger.Fault(
                trouble: spell.trouble, bitten: now, end: now + (spell.end - spell.start),
                associations: associations))
        guard spell.trouble == .lostAddress else { return }
        hasAddress = false
        announce(.addressingChanged)
    }

    /// A fault has ended by itself, or a user has switched the link off and on by hand.
    private mutating func passed(_ fault: Ledger.Fault) {
        faults.removeAll { $0.bitten == fault.bitten && $0.trouble == fault.trouble }
        recovering.append(fault)
        if fault.trouble == .lostAddress, isAssociated, !isUnder(.dhcpDead) { addressed() }
    }

    private mutating func close(_ fault: Ledger.Fault) {
        var fault = fault
        fault.recovered = now
        ledger.close(fault)
    }

    private mutating func announce(_ event: Event) {
        if !isAsleep { announcements.append(event) }
    }
}
