@testable import Model
@testable import Toggling

/// One machine in a life: the true state of its station, the effects of bounces on it, and the ledger of
/// both. Only the watchdog, the life and the owner of the interface change the station.
struct Machine {
    private let life: Life
    private let chance: Chance
    private(set) var now = Life.beginning
    private(set) var ledger = Ledger()
    /// The next time at which something changes without the watchdog.
    private(set) var nextChange = Life.beginning
    private(set) var station: Station
    private var bounce: Bounced?
    private var nextSpell = 0

    /// A bounce after which the link is not well yet.
    private struct Bounced {
        /// Whether the bounce lost an address that no DHCP server assigns again.
        var lostLease: Bool
    }

    init(_ life: Life) {
        self.life = life
        chance = Chance(seed: life.seed)
        station = Station(in: life.situation, chance)
        plan()
    }

    var kernel: SimulatedKernel {
        SimulatedKernel(station: station, situation: life.situation, chance: chance, now: now)
    }

    var network: SimulatedNetwork {
        SimulatedNetwork(station: station, life: life, chance: chance, now: now)
    }

    private var troubles: TroublesUnderWay { station.troubles }

    // MARK: What the ledger counts

    private var condition: Ledger.Condition {
        if troubles.isSuspended { return .asleep }
        if troubles.has(.willed) { return .unwanted }
        if station.reachesInternet {
            return troubles.faults.contains { $0.trouble == .resolverHung } ? .curable : .working
        }
        if troubles.has(.providerDead) || troubles.has(.portal) || isIncurable { return .incurable }
        if !troubles.openFaults.isEmpty { return .curable }
        return bounce == nil ? .joining : .caused
    }

    /// Whether a fault up to the gateway stops packets, and no bounce helps.
    private var isIncurable: Bool {
        if troubles.isAirSilent || troubles.has(.gatewayDead) || troubles.has(.otherKey)
            || troubles.has(.deviceDead)
        {
            return true
        }
        return troubles.has(.dhcpDead) && station.interface.isAssociated && !station.interface.hasAddress
            && bounce?.lostLease != true
    }

    /// The ground under which the ledger counts a method that begins now.
    private func ground(of method: Model.Method) -> Ledger.Ground {
        if troubles.faults.contains(where: { $0.cure.isBy(method) }) { return .curable }
        if method == .reboot, troubles.spells.contains(where: \.endsWithReboot) { return .curable }
        if let fault = troubles.faults.first { return .trouble(fault.trouble) }
        if let cause = troubles.spells.first(where: { isInTheWay($0.trouble) }) {
            return .trouble(cause.trouble)
        }
        guard station.isWell || !life.situation.hasNetwork else { return .joining }
        let beyond = troubles.spells.first { $0.trouble.nature == .beyond || $0.trouble.nature == .rough }
        return beyond.map { .trouble($0.trouble) } ?? .health
    }

    private func isInTheWay(_ trouble: Trouble) -> Bool {
        switch trouble.nature {
        case .incurable: trouble != .dhcpDead || !station.interface.hasAddress
        case .willed: true
        case .curable, .beyond, .rough, .ordinary: false
        }
    }

    // MARK: Actions of a watchdog

    /// - Parameter isFirst: whether no other method was tried just before.
    /// - Returns: the failure if there is no interface or the device is busy; nil: the link was lowered.
    mutating func lower(by method: Model.Method = .bounce, isFirst: Bool = true) -> Failure? {
        let interface = station.interface
        guard interface.isPresent || method == .reset && interface.loss != nil else {
            return Station.noDevice
        }
        if method == .bounce, let refusal = kernel.refusal { return refusal }
        begin(method, isFirst: isFirst)
        let losesLease = troubles.has(.dhcpDead) && interface.hasAddress
        bounce = Bounced(lostLease: losesLease || bounce?.lostLease == true)
        station.lower(by: method, at: now)
        plan()
        return nil
    }

    /// - Returns: the failure if there is no interface, the radio is blocked or the device is busy; nil: the
    ///   link was raised.
    mutating func raise(by method: Model.Method = .bounce) -> Failure? {
        let loweredAt = station.interface.loweredAt
        if let failure = station.raise(by: method, refusal: kernel.refusal, at: now) { return failure }
        if troubles.has(.setDown) { ledger.overruled += 1 }
        if let loweredAt, method == .bounce {
            ledger.longestDown = max(ledger.longestDown, now - loweredAt)
        }
        plan()
        return nil
    }

    /// A method that leaves the link up.
    mutating func perform(_ method: Model.Method, isFirst: Bool) {
        begin(method, isFirst: isFirst)
        station.perform(method, at: now)
        settleIfWell()
        plan()
    }

    private mutating func begin(_ method: Model.Method, isFirst: Bool) {
        ledger.note(Ledger.Action(method: method, ground: ground(of: method), at: now, isFirst: isFirst))
        station.tried(method, at: now)
    }

    mutating func takeAnnouncements() -> [Event] { station.takeAnnouncements() }

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
        for fault in troubles.openFaults where now - fault.bitten > Ledger.timeout { ledger.close(fault) }
        return ledger
    }

    private mutating func spend(until instant: Instant) {
        guard instant > now else { return }
        ledger.spend(instant - now, in: condition)
        station.spend(instant - now)
        now = instant
    }

    private mutating func plan() {
        let nextBeginning = nextSpell < life.spells.count ? life.spells[nextSpell].start : life.end
        var next = troubles.nextEnd(before: nextBeginning)
        if let step = station.interface.owner.nextStep, step < next { next = step }
        nextChange = max(next, now)
        if next >= life.end { nextChange = life.end + .seconds(1) }
    }

    /// Makes all changes that are due at this time.
    private mutating func change() {
        for spell in troubles.spells(overAt: now) { station.end(spell, at: now) }
        while nextSpell < life.spells.count, life.spells[nextSpell].start <= now {
            nextSpell += 1
            begin(life.spells[nextSpell - 1])
        }
        for fault in troubles.faults(overAt: now) { station.passed(fault, at: now) }
        while let step = station.step(at: now, isCaused: bounce != nil) {
            if step == .leaseEnded { leaseEnded() }
        }
        settleIfWell()
    }

    private mutating func begin(_ spell: Spell) {
        if spell.trouble.overtakesFaults { overtake() }
        station.begin(spell, at: now)
    }

    private mutating func leaseEnded() {
        overtake()
        bounce?.lostLease = false
        station.leaseEnded()
    }

    private mutating func overtake() {
        ledger.overtaken += troubles.openFaults.count
        station.overtake(at: now)
    }

    /// If the link is well, ends the faults that are recovering, and lets pending faults begin.
    private mutating func settleIfWell() {
        guard station.isWell else { return }
        bounce = nil
        for var fault in station.takeRecovered() {
            fault.recovered = now
            ledger.close(fault)
        }
        for spell in station.takePending() { station.bite(spell, lastState: kernel.state, at: now) }
    }
}
