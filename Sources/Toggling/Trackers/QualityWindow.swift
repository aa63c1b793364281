import Model

/// The results of a link's last probes that went over the air.
///
/// A check that finds the link sick may have met a few random losses in a row, or an outage. Its results are
/// put aside until it is known which, because losses in an outage do not show the link's usual quality.
struct QualityWindow: Hashable, Sendable {
    /// How many outcomes are kept, and for how long.
    static let most = 20
    static let retention: Duration = .seconds(3600)
    /// The least number of outcomes for a judgement of the quality.
    static let enough = 10
    /// A degradation ends when the value is below the threshold divided by this.
    private static let relief: Int64 = 2
    /// Random losses may look like an outage in one of this many cases.
    private static let rarity: Int64 = 1000

    /// The result of one probe.
    struct Outcome: Hashable, Sendable {
        var question: ProbeRequest.Question
        /// The round trip; nil: no answer came.
        var roundTrip: Duration?
        var at: Instant
    }

    /// The oldest first.
    private(set) var outcomes: [Outcome] = []
    /// The outcomes of the current sick checks.
    private(set) var undecided: [Outcome] = []
    /// The network in which the probes were sent.
    private(set) var network: Network?
    private(set) var degradations: Set<Quality.Degradation> = []
    var savesPower: Bool?

    /// Takes the outcomes of a check.
    /// - Parameters:
    ///   - isSick: whether the check found the link sick.
    ///   - isOutage: whether the health is sick, so that losses are not random.
    mutating func take(
        _ new: [Outcome], in network: Network, isSick: Bool, isOutage: Bool, settings: Settings,
        at now: Instant
    ) {
        guard settings.degradedLoss > 0 || settings.degradedLatency > .zero else {
            self = QualityWindow()
            return
        }
        if !new.isEmpty {
            if let known = self.network, !known.mayBe(network) { self = QualityWindow() }
            self.network = network
        }
        if isOutage {
            undecided = []
        } else if isSick {
            undecided += new
            undecided.removeFirst(max(0, undecided.count - Self.most))
        } else {
            outcomes += undecided + new
            undecided = []
        }
        let stale = outcomes.firstIndex { now - $0.at < Self.retention } ?? outcomes.endIndex
        outcomes.removeFirst(max(stale, outcomes.count - Self.most))
        judge(settings)
        if !asksForPowerSave(settings) { savesPower = nil }
    }

    /// Drops the outcomes of the current sick checks, which met a fault that stops all packets.
    mutating func dropUndecided() { undecided = [] }

    /// The quality of the link; nil: not known yet.
    func quality(_ settings: Settings) -> Quality? {
        guard var quality = counted else { return nil }
        quality.degradations = Quality.Degradation.allCases.filter(degradations.contains)
        quality.savesPower = degradations.contains(.latency) ? savesPower : nil
        quality.streakBeyondChance = streakBeyondChance(settings)
        return quality
    }

    /// Whether to query power saving: answers are slow, or the last one was.
    func asksForPowerSave(_ settings: Settings) -> Bool {
        guard settings.degradedLatency > .zero else { return false }
        let last = outcomes.last { $0.roundTrip != nil }?.roundTrip ?? .zero
        return degradations.contains(.latency) || last >= settings.degradedLatency
    }

    /// See `Quality.streakBeyondChance`.
    func streakBeyondChance(_ settings: Settings) -> Int {
        guard settings.degradedLoss > 0, let counted, counted.lost > 0 else { return 1 }
        // The products fit into 64 bits: at most 20 to the power of 10, times 1000.
        var (lost, all) = (Int64(counted.lost), Int64(counted.probes))
        var streak = 1
        while streak < Quality.longestStreak, lost * Self.rarity >= all {
            lost *= Int64(counted.lost)
            all *= Int64(counted.probes)
            streak += 1
        }
        return streak
    }

    /// The quality without its degradations; nil: too few outcomes. The silence of a question that has no
    /// answer in the window does not count: a filter may drop the question.
    private var counted: Quality? {
        guard outcomes.count >= Self.enough else { return nil }
        let roundTrips = outcomes.compactMap(\.roundTrip).sorted()
        let lost = outcomes.count { lost in
            lost.roundTrip == nil && outcomes.contains { $0.roundTrip != nil && $0.question == lost.question }
        }
        guard roundTrips.count + lost >= Self.enough else { return nil }
        // With an even count, the lower middle value counts: a link is slow if most of its answers are.
        return Quality(
            probes: roundTrips.count + lost, lost: lost, roundTrip: roundTrips[(roundTrips.count - 1) / 2])
    }

    private mutating func judge(_ settings: Settings) {
        guard let counted else { return degradations.removeAll() }
        set(.loss, Int64(counted.lost * 100), limit: Int64(settings.degradedLoss * counted.probes))
        set(.latency, counted.roundTrip.nanoseconds, limit: settings.degradedLatency.nanoseconds)
    }

    /// - Parameter limit: the value from which the link has this degradation; 0: it never has it.
    private mutating func set(_ degradation: Quality.Degradation, _ value: Int64, limit: Int64) {
        if limit > 0, value >= limit {
            degradations.insert(degradation)
        } else if value * Self.relief < limit || limit == 0 {
            degradations.remove(degradation)
        }
    }
}

extension HealthCheck {
    /// The outcomes of the questions that went over the air, without targets that have never answered here.
    func outcomes(at now: Instant) -> [QualityWindow.Outcome] {
        rounds.asked.compactMap { asked in
            let question = asked.request.question
            guard question.crossesLink else { return nil }
            switch asked.result {
            case .answered(let roundTrip, _), .refuted(_, let roundTrip, _):
                return QualityWindow.Outcome(question: question, roundTrip: roundTrip, at: now)
            case .unanswered: return QualityWindow.Outcome(question: question, roundTrip: nil, at: now)
            case .neverAnswered, .unknown, nil: return nil
            }
        }
    }
}
