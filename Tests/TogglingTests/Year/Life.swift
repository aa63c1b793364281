import Glibc

@testable import Model
@testable import Toggling

/// All that happens to one machine's Wi-Fi in a period. The seed determines all of it.
struct Life: Sendable {
    /// The beginning of the period: long past the grace after boot.
    static let beginning = Instant.boot + .hours(1)
    /// The period to which `Habit.perYear` refers.
    private static let year: Duration = .days(365)

    /// How long after the end of a fault that breaks the link no curable fault begins. It is assumed that by
    /// then the link works again, whichever watchdog the machine has.
    private static let recovery: Duration = .minutes(10)

    let seed: UInt64
    let situation: Situation
    let end: Instant
    /// Whether the gateway filters ICMP echoes, as one gateway in four does.
    let filtersICMP: Bool
    /// The faults and other events, ordered by their beginnings.
    let spells: [Spell]

    /// - Parameters:
    ///   - filtersICMP: whether the gateway answers no ICMP echo; nil: the seed decides.
    ///   - hardness: a factor on the rate of everything that is not ordinary.
    ///   - befalls: whether this kind of trouble occurs.
    init(
        seed: UInt64, duration: Duration, in situation: Situation = .ordinary, filtersICMP: Bool? = nil,
        hardness: Double = 1,
        where befalls: (Trouble) -> Bool = { _ in true }
    ) {
        self.seed = seed
        self.situation = situation
        end = Self.beginning + duration
        var random = SplitMix64(state: seed)
        let isOneInFour = random.next() % 4 == 0
        self.filtersICMP = filtersICMP ?? isOneInFour
        var spells: [Spell] = []
        for habit in Habit.all {
            // Each habit has its own random numbers, so that a new habit does not change the others.
            var random = SplitMix64(state: random.next())
            guard befalls(habit.trouble), situation.notices(habit.trouble) else { continue }
            let rate = habit.trouble.nature == .ordinary ? 1 : hardness
            spells += Self.spells(of: habit, every: Self.year.inSeconds / habit.perYear / rate, end, &random)
        }
        spells.sort { ($0.start, $0.trouble.rawValue) < ($1.start, $1.trouble.rawValue) }
        self.spells = Self.bearable(spells)
    }

    /// Leaves out curable faults that begin during another fault, or while the link is away, or just after
    /// that: only a working association can wedge, and the two faults could not be told apart.
    private static func bearable(_ spells: [Spell]) -> [Spell] {
        var sound = beginning
        return spells.filter { spell in
            defer { if spell.trouble.breaksLink { sound = max(sound, spell.end + recovery) } }
            guard case .curable = spell.trouble.nature else { return true }
            return spell.start >= sound
        }
    }

    /// Spells of one habit, at times that are independent of each other, as in a Poisson process.
    private static func spells(
        of habit: Habit, every mean: Double, _ end: Instant, _ random: inout SplitMix64
    ) -> [Spell] {
        var spells: [Spell] = []
        var start = beginning
        while true {
            start = start + .milliseconds(Int64(-log(1 - random.share()) * mean * 1000))
            guard start < end else { return spells }
            let growth = log(habit.longest.inSeconds / habit.shortest.inSeconds)
            let lasting = habit.shortest.inSeconds * exp(random.share() * growth)
            let over = start + .milliseconds(Int64(lasting * 1000))
            spells.append(
                Spell(trouble: habit.trouble, start: start, end: over, severity: random.share()))
        }
    }
}

extension SplitMix64 {
    /// A random number, uniform over 0 ..< 1.
    mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }
}

/// Random numbers that depend only on the seed, the time and the purpose, and not on earlier calls.
struct Chance: Sendable {
    let seed: UInt64

    enum Matter: UInt64 {
        case outbound = 1
        case solicitation, delay, join, address, use, lease, refusal
    }

    /// A random number, uniform over 0 ..< 1.
    func share(_ matter: Matter, at instant: Instant) -> Double {
        var random = SplitMix64(
            state: seed ^ UInt64(bitPattern: instant.nanoseconds) &* 0xff51_afd7_ed55_8ccd)
        var mixed = SplitMix64(state: random.next() ^ matter.rawValue &* 0xc4ce_b9fe_1a85_ec53)
        return mixed.share()
    }

    func duration(_ matter: Matter, _ range: ClosedRange<Double>, at instant: Instant) -> Duration {
        let seconds = range.lowerBound + share(matter, at: instant) * (range.upperBound - range.lowerBound)
        return .milliseconds(Int64(seconds * 1000))
    }
}
