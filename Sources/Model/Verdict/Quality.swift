/// How well a link carries packets, by the last probes that went over the air. Reported; never causes a
/// bounce.
public struct Quality: Codable, Hashable, Sendable {
    public enum Degradation: String, Codable, Hashable, Sendable, CaseIterable {
        case loss, latency
    }

    /// The number of probes that it is based on.
    public var probes: Int
    /// The number of those without an answer.
    public var lost: Int
    /// The median round trip of the answered ones.
    public var roundTrip: Duration
    /// In the order of their cases; empty: the link is fine.
    public var degradations: [Degradation]
    /// Whether the station saves power, if answers are slow; nil: irrelevant, or not known.
    public var savesPower: Bool?
    /// After how many silent checks in a row random loss is excluded with odds of a thousand to one; 1 if
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
