@testable import Model
@testable import Toggling

/// One box of the fleet: a machine with a watchdog. All boxes have the same outage.
struct Box {
    /// The observed events, in seconds after the outage's end (before it: negative).
    struct Story {
        var joins: [Int] = []
        var bounces = 0
        /// When the network was back for good; nil: not within the observed time.
        var wellAt: Double?
    }

    /// The time before the outage, and its length. Both are the same for all boxes.
    private static let calm: Duration = .minutes(10)
    static let outage: Duration = .hours(1)
    /// How long a box is observed after the outage: longer than the longest back-off and the bounce after it.
    private static let observation: Duration = .minutes(80)

    let number: UInt64
    let trouble: Trouble
    /// How much earlier than the latest box this one was switched on; at most one interval.
    let lead: Duration

    private var outageEnd: Instant { Life.beginning + Self.calm + lead + Self.outage }

    /// Simulates the outage, as `Life.lived(by:)` does, and records the link.
    func story(of resident: some Resident) -> Story {
        let start = Life.beginning + Self.calm + lead
        let spell = Spell(trouble: trouble, start: start, end: outageEnd, severity: 0)
        let life = Life(seed: number, spells: [spell], end: outageEnd + Self.observation)
        var resident = resident
        var machine = Machine(life)
        var story = Story()
        var wasAssociated = machine.station.interface.isAssociated
        resident.begin(&machine)
        while true {
            let next = min(machine.nextChange, resident.next)
            guard next < life.end else { break }
            machine.advance(to: max(next, machine.now))
            if resident.next <= machine.now { resident.act(&machine) }
            for event in machine.takeAnnouncements() { resident.hear(event, &machine) }
            watch(machine, &wasAssociated, &story)
        }
        story.bounces = machine.ledger.total
        return story
    }

    private func watch(_ machine: Machine, _ wasAssociated: inout Bool, _ story: inout Story) {
        let second = (machine.now - outageEnd).inSeconds
        let isAssociated = machine.station.interface.isAssociated
        if isAssociated, !wasAssociated { story.joins.append(Int(second.rounded(.down))) }
        wasAssociated = isAssociated
        if !machine.station.reachesInternet {
            story.wellAt = nil
        } else if story.wellAt == nil {
            story.wellAt = second
        }
    }
}

extension Life {
    /// A life with these spells and nothing else.
    init(seed: UInt64, spells: [Spell], end: Instant) {
        self.seed = seed
        self.end = end
        situation = .ordinary
        self.filtersICMP = false
        self.spells = spells
    }
}
