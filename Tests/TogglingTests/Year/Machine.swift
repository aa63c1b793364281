@testable import Model
@testable import Toggling

/// One machine in a life: the true state of its link, the effects of bounces on the link, and the ledger of
/// both. Only the watchdog, the life and the owner of the interface change the link.
struct Machine {
    let life: Life
    private(set) var now = Life.beginning
    private(set) var ledger = Ledger()
    /// The next time at which something changes without the watchdog.
    private(set) var nextChange = Life.beginning

    /// Whether the link is administratively up.
    private(set) var isUp = true
    private(set) var isPresent = true
    /// Whether there was an association since the interface appeared.
    private(set) var hadCarrier: Bool
    /// What became of the device without the interface, and the interface's last state; nil: the device has not lost it.
    private(set) var loss: (kind: LossOfInterface, lastState: KernelState)?
    private(set) var owner: SimulatedOwner
    private(set) var isReplacedRouter = false
    /// For how long, in total, packets were received until now.
    private(set) var receiving: Duration = .zero
    private var active: [Spell] = []
    private var faults: [Ledger.Fault] = []
    /// Curable faults that take effect as soon as the link is well.
    private var pending: [Spell] = []
    /// Faults that are over, although the link is not well yet.
    private var recovering: [Ledger.Fault] = []
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
        hadCarrier = life.situation.hasNetwork
        owner = SimulatedOwner(isConnected: life.situation.hasNetwork, chance)
        plan()
    }

    // MARK: State

    func isUnder(_ trouble: Trouble) -> Bool { active.contains { $0.trouble == trouble } }
    func spell(of trouble: Trouble) -> Spell? { active.first { $0.trouble == trouble } }
    private func isUnder(_ nature: Trouble.Nature) -> Bool { active.contains { $0.trouble.nature == nature } }

    var isAssociated: Bool { owner.isAssociated }
    var hasAddress: Bool { owner.hasAddress }
    var isAsleep: Bool { isUnder(.suspend) }
    var isBlocked: Bool { isUnder(.radioBlocked) }
    private var isInRange: Bool { !active.contains { $0.trouble.silencesAir } }
    var isGatewayMute: Bool { isUnder(.gatewayDead) || faults.contains { $0.trouble.mutesGateway } }
    private var isKeptApart: Bool { troubles.contains(where: \.keepsApart) }
    /// The faults and everything else under way.
    var troubles: [Trouble] { faults.map(\.trouble) + active.map(\.trouble) }
    /// Whether names are resolved.
    var hasNames: Bool { !troubles.contains(.resolverHung) && !isUnder(.namesDead) }
    /// Whether packets reach the gateway, and come back.
    var isWell: Bool { isAssociated && hasAddress && !isGatewayMute }
    private var isWorking: Bool { life.situation.hasWire ? !isUnder(.gatewayDead) : isWell }
    var reachesInternet: Bool { isWorking && !isUnder(.providerDead) && !isUnder(.portal) }
    /// Whether no packets pass at the moment, in either direction.
    var pauses: Bool { isUnder(.roam) || isUnder(.rekey) }

    private var condition: Ledger.Condition {
        if isAsleep { return .asleep }
        if isUnder(.willed) { return .unwanted }
        if reachesInternet { return faults.contains { $0.trouble == .resolverHung } ? .curable : .working }
        if isUnder(.providerDead) || isUnder(.portal) || isIncurable { return .incurable }
        if !faults.isEmpty || !recovering.isEmpty { return .curable }
        return bounce == nil ? .joining : .caused
    }

    /// Whether a fault up to the gateway stops packets, and no bounce helps.
    private var isIncurable: Bool {
        if !isInRange || isUnder(.gatewayDead) || isUnder(.otherKey) || isUnder(.deviceDead) { return true }
        return isUnder(.dhcpDead) && isAssociated && !hasAddress && bounce?.lostLease != true
    }

    /// The ground under which the ledger counts a method that begins now.
    private func ground(of method: Model.Method) -> Ledger.Ground {
        if faults.contains(where: { $0.cure.isBy(method) }) { return .curable }
        if method == .reboot, active.contains(where: \.endsWithReboot) { return .curable }
        if let fault = faults.first { return .trouble(fault.trouble) }
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

    /// - Parameter isFirst: whether no other method was tried just before.
    /// - Returns: the failure if there is no interface or the device is busy; nil: the link was lowered.
    mutating func lower(by method: Model.Method = .bounce, isFirst: Bool = true) -> Failure? {
        guard isPresent || method == .reset && loss != nil else { return Self.noDevice }
        if method == .bounce, let refusal { return refusal }
        let ground = begin(method, isFirst: isFirst)
        let losesLease = isUnder(.dhcpDead) && hasAddress
        bounce = Bounced(ground: ground, lostLease: losesLease || bounce?.lostLease == true)
        loweredAt = now
        isUp = false
        leave(Self.left)
        announce(.linkChanged(link))
        if method == .reset { disappear() }
        plan()
        return nil
    }

    /// - Returns: the failure if there is no interface, the radio is blocked or the device is busy; nil: the link was
    ///   raised.
    mutating func raise(by method: Model.Method = .bounce) -> Failure? {
        if isUnder(.unplugged) || !isPresent && method != .reset {
            loweredAt = nil
            return Self.noDevice
        }
        if isBlocked {
            loweredAt = nil
            return Failure(kind: .radioBlocked, code: 132, description: "RF-kill")
        }
        if method == .bounce, !isUp, let refusal { return refusal }
        // If lowering was refused, the link is still up, and raising it cures nothing.
        let cured = isUp ? [] : cure(by: method)
        if faults.contains(where: { $0.trouble == .linkClosed }) {
            return Failure(kind: .other, code: 5, description: "Input/output error")
        }
        if isUnder(.setDown) { ledger.overruled += 1 }
        if let loweredAt, method == .bounce {
            ledger.longestDown = max(ledger.longestDown, now - loweredAt)
        }
        loweredAt = nil
        isUp = true
        if method == .reboot { active.removeAll(where: \.endsWithReboot) }
        isPresent ? announce(.linkChanged(link)) : appear()
        join(cured.contains(.invalidKey) ? .hesitating : .scanning)
        plan()
        return nil
    }

    /// A method that leaves the link up.
    mutating func perform(_ method: Model.Method, isFirst: Bool) {
        _ = begin(method, isFirst: isFirst)
        for trouble in cure(by: method) { lift(trouble) }
        if isWell { settle() }
        plan()
    }

    private mutating func begin(_ method: Model.Method, isFirst: Bool) -> Ledger.Ground {
        let ground = ground(of: method)
        ledger.note(Ledger.Action(method: method, ground: ground, at: now, isFirst: isFirst))
        for index in faults.indices where faults[index].firstCure == nil && faults[index].cure.isBy(method) {
            faults[index].firstCure = now
        }
        return ground
    }

    private mutating func cure(by method: Model.Method) -> [Trouble] {
        func isCured(_ fault: Ledger.Fault) -> Bool {
            if case .associations = fault.cure { false } else { fault.cure.isBy(method) }
        }
        let cured = faults.filter(isCured)
        faults.removeAll(where: isCured)
        for var fault in cured {
            fault.isCured = true
            recovering.append(fault)
        }
        return cured.map(\.trouble)
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

    /// Ends the life, and returns its ledger with the open faults that are older than `Ledger.timeout`.
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
        if let step = owner.nextStep, step < next { next = step }
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
        while let step = owner.step(at: now) {
            switch step {
            case .joined: joined()
            case .gotAddress: announce(.addressingChanged)
            case .leaseEnded: leaseEnded()
            }
        }
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
        case .dhcpDead: owner.serverDied(at: now)
        case .radioBlocked, .setDown:
            if spell.trouble == .radioBlocked { announce(.radioChanged(.soft)) }
            isUp = false
            leave(Self.left)
            announce(.linkChanged(link))
        case .deauthentication, .otherKey: leave(Self.sentAway)
        case .suspend, .deviceDead: leave()
        case .toldToDisconnect: leave(Self.left)
        case .unplugged:
            loweredAt = nil
            isUp = false
            leave()
            announce(.linkChanged(link))
            disappear()
        default: break
        }
    }

    private mutating func end(_ spell: Spell) {
        switch spell.trouble {
        case .accessPointRestart, .accessPointDead, .routerReplaced:
            if spell.trouble == .routerReplaced { isReplacedRouter.toggle() }
            join(.searching)
        case .dhcpDead:
            guard !isUnder(.dhcpDead) else { return }
            owner.serverReturned(at: now)
        case .radioBlocked, .setDown: allowed(spell.trouble)
        case .suspend:
            if loweredAt != nil { loweredAt = now }
            join(.resuming)
        case .deauthentication, .toldToDisconnect: join(.rejoining)
        case .otherKey: stayApart(spell)
        case .deviceDead: join(.searching)
        case .unplugged:
            guard !isUnder(.unplugged) else { return }
            appear()
            join(.scanning)
        case .roam:
            guard isAssociated else { return }
            owner.roam()
            announce(.addressingChanged)
        default: break
        }
    }

    /// The network has the old key again, but the interface's owner does not try it any more.
    private mutating func stayApart(_ spell: Spell) {
        guard isUp || loweredAt != nil, isPresent, !isAsleep, isInRange, !isKeptApart else { return }
        let lasting = Duration.hours(1 + 23 * spell.severity)
        faults.append(
            Ledger.Fault(trouble: .otherKey, bitten: now, end: now + lasting, cure: .method(.owner)))
    }

    /// The user unblocks the radio, or sets the link up again.
    private mutating func allowed(_ trouble: Trouble) {
        if trouble == .radioBlocked, !isBlocked { announce(.radioChanged(.none)) }
        // If a bounce keeps the link down, the bounce has to raise it.
        guard !isUnder(.willed), loweredAt == nil, !isUp else { return }
        isUp = true
        announce(.linkChanged(link))
        join(.scanning)
    }

    private mutating func overtake() {
        ledger.overtaken += faults.count + recovering.count
        let troubles = faults.map(\.trouble)
        faults = []
        recovering = []
        for trouble in troubles { lift(trouble) }
    }

    /// Undoes what a fault has done to the link, when the fault ends.
    private mutating func lift(_ trouble: Trouble) {
        if trouble == .interfaceLost, loss != nil { appear() }
        if trouble == .linkClosed, loweredAt == nil {
            isUp = true
            announce(.linkChanged(link))
        }
        if trouble.keepsApart { join(.rejoining) }
        if trouble.takesAddress, !isUnder(.dhcpDead) { owner.requestAddress(at: now) }
    }

    private mutating func disappear() {
        guard isPresent else { return }
        announce(.addressingLost)
        announce(.linkRemoved)
        isPresent = false
    }

    private mutating func appear() {
        (isPresent, hadCarrier, loss) = (true, false, nil)
        isUp = !isUnder(.willed)
        announce(.linkAppeared(link))
    }

    // MARK: Association and address

    // Reasons of IEEE 802.11, 9.4.1.7: the station leaves (3); inactivity (4); the reason that hostapd gives
    // for inactivity (2).
    private static let left = Disconnection(reason: 3, isByAccessPoint: false)
    private static let lost = Disconnection(reason: 4, isByAccessPoint: false)
    private static let sentAway = Disconnection(reason: 2, isByAccessPoint: true)

    private static let noDevice = Failure(kind: .noSuchDevice, code: 19, description: "No such device")

    private mutating func join(_ joining: SimulatedOwner.Joining) {
        guard isUp, !isAsleep, isInRange, !isKeptApart, life.situation.hasNetwork else { return }
        owner.join(joining, at: now)
    }

    private mutating func leave(_ end: Disconnection = Self.lost) {
        guard owner.leave() else { return }
        announce(.disconnected(end))
        announce(.linkChanged(link))
    }

    private mutating func joined() {
        hadCarrier = true
        for index in faults.indices {
            guard case .associations(let count) = faults[index].cure else { continue }
            faults[index].cure = .associations(count - 1)
            faults[index].isCured = bounce != nil
        }
        recovering += faults.filter { $0.cure == .associations(0) }
        faults.removeAll { $0.cure == .associations(0) }
        announce(.linkChanged(link))
        if !isUnder(.dhcpDead), !troubles.contains(where: \.takesAddress) { owner.requestAddress(at: now) }
    }

    private mutating func leaseEnded() {
        overtake()
        bounce?.lostLease = false
        announce(.addressingChanged)
    }

    // MARK: Faults

    /// Call this when the link is well. Ends the faults that are recovering, and lets pending faults begin.
    private mutating func settle() {
        bounce = nil
        for fault in recovering { close(fault) }
        recovering = []
        guard !pending.isEmpty, !active.contains(where: { $0.trouble.nature == .incurable }) else { return }
        for spell in pending { bite(spell) }
        pending = []
    }

    private mutating func bite(_ spell: Spell) {
        guard case .curable(let cure) = spell.trouble.nature else { return }
        let kinds = LossOfInterface.allCases
        let lostState = kernelState
        faults.append(
            Ledger.Fault(
                trouble: spell.trouble, bitten: now, end: now + (spell.end - spell.start), cure: cure))
        if spell.trouble.takesAddress {
            owner.loseAddress()
            announce(.addressingChanged)
        }
        switch spell.trouble {
        case .gaveUp, .invalidKey: leave(Self.sentAway)
        case .ownerHung, .radioRefuses, .firmwareCrashed: leave()
        // A program that ends leaves its network, as it does on a user's order.
        case .ownerDead: leave(Self.left)
        case .linkClosed, .interfaceLost:
            isUp = false
            leave()
            announce(.linkChanged(link))
            guard spell.trouble == .interfaceLost else { return }
            loss = (kinds[Int(spell.severity * Double(kinds.count))], lostState)
            disappear()
        default: break
        }
    }

    /// Ends a fault that is over by itself, or that a user has ended by switching the link off and on.
    private mutating func passed(_ fault: Ledger.Fault) {
        faults.removeAll { $0.bitten == fault.bitten && $0.trouble == fault.trouble }
        recovering.append(fault)
        lift(fault.trouble)
    }

    private mutating func close(_ fault: Ledger.Fault) {
        var fault = fault
        fault.recovered = now
        ledger.close(fault)
    }

    private mutating func announce(_ event: Event) {
        switch event {
        // The kernel keeps these until the machine wakes up.
        case .linkAppeared, .linkRemoved: announcements.append(event)
        default: if !isAsleep, isPresent { announcements.append(event) }
        }
    }
}
