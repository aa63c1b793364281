@testable import Model
@testable import Toggling

/// The Wi-Fi interface of a simulated machine and the troubles under way: what these do to the interface
/// when they begin, take effect, and end.
struct Station {
    private(set) var interface: SimulatedInterface
    private(set) var troubles = TroublesUnderWay()
    private(set) var isReplacedRouter = false
    private let situation: Situation

    static let noDevice = Failure(kind: .noSuchDevice, code: 19, description: "No such device")

    init(in situation: Situation, _ chance: Chance) {
        self.situation = situation
        interface = SimulatedInterface(in: situation, chance)
    }

    // MARK: State

    /// Whether packets reach the gateway, and come back.
    var isWell: Bool { interface.isAssociated && interface.hasAddress && !troubles.isGatewayMute }
    private var isWorking: Bool { situation.hasWire ? !troubles.has(.gatewayDead) : isWell }
    var reachesInternet: Bool { isWorking && !troubles.has(.providerDead) && !troubles.has(.portal) }
    /// Whether the gateway's address is resolved, be it by proxy ARP.
    var resolvesGateway: Bool {
        isWell || situation == .proxyARP && interface.isAssociated && interface.hasAddress
    }
    /// Whether no trouble keeps the owner from joining.
    private var canJoin: Bool {
        !troubles.isSuspended && !troubles.isAirSilent && !troubles.isStationKeptApart
    }

    /// Lets time pass in which nothing changes.
    mutating func spend(_ duration: Duration) {
        if isWell { interface.receive(for: duration) }
    }

    mutating func takeAnnouncements() -> [Event] { interface.takeAnnouncements() }

    // MARK: Actions of a watchdog

    mutating func lower(by method: Model.Method, at now: Instant) {
        interface.lower(at: now)
        if method == .reset { interface.disappear() }
    }

    /// - Parameter refusal: why the device is busy; nil: it is not.
    /// - Returns: the failure if there is no interface, the radio is blocked, or the device refuses; nil: the
    ///   link was raised.
    mutating func raise(by method: Model.Method, refusal: Failure?, at now: Instant) -> Failure? {
        if troubles.has(.unplugged) || !interface.isPresent && method != .reset {
            interface.endBounce()
            return Self.noDevice
        }
        if troubles.isRadioBlocked {
            interface.endBounce()
            return Failure(kind: .radioBlocked, code: 132, description: "RF-kill")
        }
        if method == .bounce, !interface.isUp, let refusal { return refusal }
        // If lowering was refused, the link is still up, and raising it cures nothing.
        let cured = interface.isUp ? [] : troubles.cure(by: method)
        if troubles.faults.contains(where: { $0.trouble == .linkClosed }) {
            return Failure(kind: .other, code: 5, description: "Input/output error")
        }
        if method == .reboot { troubles.rebooted() }
        interface.endBounce()
        if interface.isPresent { interface.goUp(at: now) } else { appear(at: now) }
        join(cured.contains(.invalidKey) ? .hesitating : .scanning, at: now)
        return nil
    }

    /// A method that leaves the link up.
    mutating func perform(_ method: Model.Method, at now: Instant) {
        for trouble in troubles.cure(by: method) { lift(trouble, at: now) }
    }

    mutating func tried(_ method: Model.Method, at now: Instant) { troubles.tried(method, at: now) }

    // MARK: Spells

    mutating func begin(_ spell: Spell, at now: Instant) {
        troubles.begin(spell)
        if case .curable = spell.trouble.nature { return }
        interface.isSuspended = troubles.isSuspended
        if spell.trouble.silencesAir { interface.leave(at: now) }
        switch spell.trouble {
        case .dhcpDead: interface.owner.serverDied(at: now)
        case .radioBlocked, .setDown:
            if spell.trouble == .radioBlocked { interface.announce(.radioChanged(.soft)) }
            interface.goDown(SimulatedInterface.left, at: now)
        case .deauthentication, .otherKey: interface.leave(SimulatedInterface.sentAway, at: now)
        case .suspend, .deviceDead: interface.leave(at: now)
        case .toldToDisconnect: interface.leave(SimulatedInterface.left, at: now)
        case .unplugged:
            interface.endBounce()
            interface.goDown(at: now)
            interface.disappear()
        default: break
        }
    }

    mutating func end(_ spell: Spell, at now: Instant) {
        troubles.end(spell)
        interface.isSuspended = troubles.isSuspended
        switch spell.trouble {
        case .accessPointRestart, .accessPointDead, .routerReplaced:
            if spell.trouble == .routerReplaced { isReplacedRouter.toggle() }
            join(.searching, at: now)
        case .dhcpDead:
            guard !troubles.has(.dhcpDead) else { return }
            interface.owner.serverReturned(at: now)
        case .radioBlocked, .setDown: allowed(spell.trouble, at: now)
        case .suspend:
            interface.resumeBounce(at: now)
            join(.resuming, at: now)
        case .deauthentication, .toldToDisconnect: join(.rejoining, at: now)
        case .otherKey: stayApart(spell, at: now)
        case .deviceDead: join(.searching, at: now)
        case .unplugged:
            guard !troubles.has(.unplugged) else { return }
            appear(at: now)
            join(.scanning, at: now)
        case .roam: interface.roam()
        default: break
        }
    }

    /// The network has the old key again, but the interface's owner does not try it any more.
    private mutating func stayApart(_ spell: Spell, at now: Instant) {
        guard interface.isUp || interface.loweredAt != nil, interface.isPresent, canJoin else { return }
        let lasting = Duration.hours(1 + 23 * spell.severity)
        troubles.bite(
            Ledger.Fault(trouble: .otherKey, bitten: now, end: now + lasting, cure: .method(.owner)))
    }

    /// The user unblocks the radio, or sets the link up again.
    private mutating func allowed(_ trouble: Trouble, at now: Instant) {
        if trouble == .radioBlocked, !troubles.isRadioBlocked { interface.announce(.radioChanged(.none)) }
        // If a bounce keeps the link down, the bounce has to raise it.
        guard !troubles.has(.willed), interface.loweredAt == nil, !interface.isUp else { return }
        interface.goUp(at: now)
        join(.scanning, at: now)
    }

    // MARK: Faults

    /// The curable faults that take effect now that the link is well.
    mutating func takePending() -> [Spell] { troubles.takePending() }
    /// The faults that have recovered now that the link is well.
    mutating func takeRecovered() -> [Ledger.Fault] { troubles.takeRecovered() }

    /// Lets a curable fault take effect.
    /// - Parameter lastState: the kernel state before.
    mutating func bite(_ spell: Spell, lastState: KernelState, at now: Instant) {
        guard case .curable(let cure) = spell.trouble.nature else { return }
        troubles.bite(
            Ledger.Fault(
                trouble: spell.trouble, bitten: now, end: now + (spell.end - spell.start), cure: cure))
        if spell.trouble.takesAddress { interface.loseAddress() }
        switch spell.trouble {
        case .gaveUp, .invalidKey: interface.leave(SimulatedInterface.sentAway, at: now)
        case .ownerHung, .radioRefuses, .firmwareCrashed: interface.leave(at: now)
        // A program that ends leaves its network, as it does on a user's order.
        case .ownerDead: interface.leave(SimulatedInterface.left, at: now)
        case .linkClosed: interface.goDown(at: now)
        case .interfaceLost:
            interface.goDown(at: now)
            let kinds = LossOfInterface.allCases
            interface.lose(kinds[Int(spell.severity * Double(kinds.count))], lastState: lastState)
        default: break
        }
    }

    /// Ends all faults because something worse happens.
    mutating func overtake(at now: Instant) {
        for trouble in troubles.overtake() { lift(trouble, at: now) }
    }

    /// Ends a fault that is over by itself, or that a user has ended by switching the link off and on.
    mutating func passed(_ fault: Ledger.Fault, at now: Instant) {
        troubles.passed(fault)
        lift(fault.trouble, at: now)
    }

    /// Undoes what a fault has done to the link, when the fault ends.
    private mutating func lift(_ trouble: Trouble, at now: Instant) {
        if trouble == .interfaceLost, interface.loss != nil { appear(at: now) }
        if trouble == .linkClosed, interface.loweredAt == nil { interface.goUp(at: now) }
        if trouble.keepsApart { join(.rejoining, at: now) }
        if trouble.takesAddress, !troubles.has(.dhcpDead) { interface.owner.requestAddress(at: now) }
    }

    private mutating func appear(at now: Instant) {
        interface.appear(at: now, isUp: !troubles.has(.willed))
    }

    // MARK: Association and address

    private mutating func join(_ joining: SimulatedOwner.Joining, at now: Instant) {
        guard interface.isUp, canJoin, situation.hasNetwork else { return }
        interface.owner.join(joining, at: now)
    }

    /// Takes the next step of the owner that is due.
    /// - Parameter isCaused: whether a watchdog has caused an association that begins now.
    mutating func step(at now: Instant, isCaused: Bool) -> SimulatedOwner.Step? {
        let step = interface.owner.step(at: now)
        switch step {
        case .joined:
            troubles.associated(isCaused: isCaused)
            interface.joined(at: now)
            if !troubles.isAddressRefused { interface.owner.requestAddress(at: now) }
        case .gotAddress: interface.announce(.addressingChanged)
        case .leaseEnded, nil: break
        }
        return step
    }

    mutating func leaseEnded() { interface.announce(.addressingChanged) }
}
