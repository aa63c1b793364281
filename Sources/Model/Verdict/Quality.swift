/// How well a link carries packets, by the last probes that went over the air. Shown; no ground for a bounce.
public struct Quality: Codable, Hashable, Sendable {
    public enum Degradation: String, Codable, Hashable, Sendable, CaseIterable {
        case loss, latency
    }

    /// The probes that tell of it.
    public var probes: Int
    /// Those of them without an answer.
    public var lost: Int
    /// The median of those that were answered.
    public var roundTrip: Duration
    /// In the order of their cases; empty: the link is fine.
    public var degradations: [Degradation]
    /// Whether the station saves power, where answers are slow; nil: it does not matter, or is not known.
    public var savesPower: Bool?
    /// So many looks in a row find nothing but silence by chance less often than once in a thousand times; 1 where
    /// nothing is lost.
    public var streakBeyondChance: Int

    public init(
        probes: Int, lost: Int, roundTrip: Duration, degradations: [Degradation] = [],
        savesPower: Bool? = nil,
        streakBeyondChance: Int = 1
    ) {
        self.probes = probes
        self.lost = lost
        self.roundTrip = roundTrip
        self.degradations = degradations
        self.savesPower = savesPower
        self.streakBeyondChance = streakBeyondChance
    }

    public var isDegraded: Bool { !degradations.isEmpty }
    /// Rounded to the nearest whole number.
    public var lossPercent: Int { probes > 0 ? (lost * 100 + probes / 2) / probes : 0 }
}
