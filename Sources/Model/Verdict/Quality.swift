/// How well a link carries packets, from the last probes that went over the air. It is only reported, and
/// never causes a bounce.
public struct Quality: Encodable, Hashable, Sendable {
    /// What is bad about a degraded link.
    public enum Degradation: String, Encodable, Hashable, Sendable, CaseIterable {
        case loss, latency
    }

    /// The number of probes that were counted.
    public var probes: Int
    /// How many of ``probes`` had no answer.
    public var lost: Int
    /// The median round trip of the probes with an answer.
    public var roundTrip: Duration
    /// What is bad about the link, in the order of the cases; empty: the link is not degraded.
    public var degradations: [Degradation]
    /// Whether the station saves power; nil: answers are not slow, or it is not known.
    public var savesPower: Bool?
    /// How many silent checks in a row are too many to be random loss: with the present loss, so many occur with a
    /// probability below 1 in 1000. At most ``longestStreak``; 1 if nothing is lost.
    public var streakBeyondChance: Int

    /// A link counts as sick after at most this many silent checks in a row, however many probes are lost at
    /// random. Only a larger ``Settings/fall`` demands more.
    package static let longestStreak = 10

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
    /// The share of lost probes in per cent, rounded to the nearest whole number.
    public var lossPercent: Int { probes > 0 ? (lost * 100 + probes / 2) / probes : 0 }
}

extension Settings {
    /// How many verdicts in a row with this sick reason make a link sick. If probes get lost at random, silence
    /// must last longer than chance explains. If a gateway that answers as a neighbour does not answer an echo,
    /// at least ``Quality/longestStreak`` verdicts are needed, because a check does not repeat this echo.
    /// - Parameter beyondChance: see ``Quality/streakBeyondChance``.
    package func fall(for reason: Reason, beyondChance: Int) -> Int {
        guard reason.isSilence else { return fall }
        return max(fall, reason.isEchoSilence ? Quality.longestStreak : beyondChance)
    }
}
