import Glibc

@testable import Model
@testable import Toggling

/// What happens to one machine's Wi-Fi in a period; everything follows from the seed.
struct Life: Sendable {
    /// From the machine's start; long past the grace after boot.
    static let beginning = Instant.boot + .hours(1)
    /// The period of the frequencies.
    private static let year: Duration = .days(365)

    /// Until a link that was away works again, with any watchdog.
    private static let recovery: Duration = .minutes(10)

    let seed: UInt64
    let situation: Situation
    let end: Instant
    /// The gateway answers no ICMP echo, as one in four.
    let filtersICMP: Bool
    /// Ordered by their beginnings.
    let spells: [Spell]

    /// - Parameters:
    ///   - filtersICMP: nil: by chance.
    ///   - hardness: a factor on the rate of everything that is not ordinary.
    ///   - befalls: the kinds of faults.
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
            // Each has its own stream: a new habit does not change the others.
            var random = SplitMix64(state: random.next())
            guard befalls(habit.trouble), situation.notices(habit.trouble) else { continue }
            let rate = habit.trouble.nature == .ordinary ? 1 : hardness
            spells += Self.spells(of: habit, every: Self.year.inSeconds / habit.perYear / rate, end, &random)
        }
        spells.sort { ($0.start, $0.trouble.rawValue) < ($1.start, $1.trouble.rawValue) }
        self.spells = Self.bearable(spells)
    }

    /// Without the faults that come during another fault, or while, or just after, the link is away: only a
    /// working association can wedge, and the two could not be told apart.
    private static func bearable(_ spells: [Spell]) -> [Spell] {
        var sound = beginning
        return spells.filter { spell in
            defer { if spell.trouble.breaksLink { sound = max(sound, spell.end + recovery) } }
            guard case .curable = spell.trouble.nature else { return true }
            return spell.start >= sound
        }
    }

    /// Independent of each other, as in a Poisson process.
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
    /// Uniform over 0 ..< 1.
    mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }
}

/// Randomness that depends only on the time and the purpose: it does not matter how often it is asked.
struct Chance: Sendable {
    let seed: UInt64

    enum Matter: UInt64 {
        case outbound = 1
        case solicitation, delay, join, address, use, lease
    }

    /// Uniform over 0 ..< 1.
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
