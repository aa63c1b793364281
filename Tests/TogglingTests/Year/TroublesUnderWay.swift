@testable import Model
@testable import Toggling

/// What is under way on a machine at a time: the faults that a watchdog can cure, and all other troubles.
struct TroublesUnderWay {
    /// The troubles under way that are no curable faults.
    private(set) var spells: [Spell] = []
    /// The curable faults that have taken effect.
    private(set) var faults: [Ledger.Fault] = []
    /// Curable faults that take effect as soon as the link is well.
    private var pending: [Spell] = []
    /// Faults that are over, although the link is not well yet.
    private var recovering: [Ledger.Fault] = []

    // MARK: What is under way

    /// The faults and everything else under way.
    var all: [Trouble] { faults.map(\.trouble) + spells.map(\.trouble) }
    /// The faults that have taken effect, and after which the link was not well yet.
    var openFaults: [Ledger.Fault] { faults + recovering }

    func has(_ trouble: Trouble) -> Bool { spells.contains { $0.trouble == trouble } }
    func has(_ nature: Trouble.Nature) -> Bool { spells.contains { $0.trouble.nature == nature } }
    func spell(of trouble: Trouble) -> Spell? { spells.first { $0.trouble == trouble } }

    var isSuspended: Bool { has(.suspend) }
    var isRadioBlocked: Bool { has(.radioBlocked) }
    /// Whether there is no access point to associate with.
    var isAirSilent: Bool { spells.contains { $0.trouble.silencesAir } }
    var isGatewayMute: Bool { has(.gatewayDead) || faults.contains { $0.trouble.mutesGateway } }
    /// Whether the station stays without an association.
    var isStationKeptApart: Bool { all.contains(where: \.keepsApart) }
    /// Whether the station gets no address.
    var isAddressRefused: Bool { has(.dhcpDead) || all.contains(where: \.takesAddress) }
    /// Whether names are resolved.
    var hasNames: Bool { !all.contains(.resolverHung) && !has(.namesDead) }
    /// Whether no packets pass at the moment, in either direction.
    var isTrafficPaused: Bool { has(.roam) || has(.rekey) }

    // MARK: Their beginnings and ends

    /// The time at which the next of them ends by itself, or this one, if it is earlier.
    func nextEnd(before instant: Instant) -> Instant {
        var next = instant
        for spell in spells where spell.end < next { next = spell.end }
        for fault in faults where fault.end < next { next = fault.end }
        return next
    }

    func spells(overAt now: Instant) -> [Spell] { spells.filter { $0.end <= now } }
    func faults(overAt now: Instant) -> [Ledger.Fault] { faults.filter { $0.end <= now } }

    mutating func begin(_ spell: Spell) {
        if case .curable = spell.trouble.nature { pending.append(spell) } else { spells.append(spell) }
    }

    mutating func end(_ spell: Spell) { spells.removeAll { $0 == spell } }

    /// A reboot ends some troubles that nothing else ends.
    mutating func rebooted() { spells.removeAll(where: \.endsWithReboot) }

    /// The faults that take effect when the link is well; they are not pending any more.
    mutating func takePending() -> [Spell] {
        guard !spells.contains(where: { $0.trouble.nature == .incurable }) else { return [] }
        defer { pending = [] }
        return pending
    }

    mutating func bite(_ fault: Ledger.Fault) { faults.append(fault) }

    /// Ends a fault that is over by itself, or that a user has ended by switching the link off and on.
    mutating func passed(_ fault: Ledger.Fault) {
        faults.removeAll { $0.bitten == fault.bitten && $0.trouble == fault.trouble }
        recovering.append(fault)
    }

    /// Ends all faults without a recovery.
    /// - Returns: those that had an effect on the link until now.
    mutating func overtake() -> [Trouble] {
        defer { (faults, recovering) = ([], []) }
        return faults.map(\.trouble)
    }

    /// The faults that have recovered, if the link is well now.
    mutating func takeRecovered() -> [Ledger.Fault] {
        defer { recovering = [] }
        return recovering
    }

    // MARK: Cures

    /// Notes the time at which a cure of each fault was first tried.
    mutating func tried(_ method: Model.Method, at now: Instant) {
        for index in faults.indices where faults[index].firstCure == nil && faults[index].cure.isBy(method) {
            faults[index].firstCure = now
        }
    }

    /// - Returns: the faults that the method has cured. Those that an association cures are not over yet.
    mutating func cure(by method: Model.Method) -> [Trouble] {
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

    /// Counts a new association, which cures some faults.
    /// - Parameter isCaused: whether the watchdog has caused the association.
    mutating func associated(isCaused: Bool) {
        for index in faults.indices {
            guard case .associations(let count) = faults[index].cure else { continue }
            faults[index].cure = .associations(count - 1)
            faults[index].isCured = isCaused
        }
        recovering += faults.filter { $0.cure == .associations(0) }
        faults.removeAll { $0.cure == .associations(0) }
    }
}
