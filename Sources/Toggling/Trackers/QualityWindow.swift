import Model

/// What became of the last probes of one link, as far as they went over the air.
///
/// A check that finds the link sick may have met a few losses in a row, or an outage. Its outcomes wait until that
/// is known: an outage is no loss, and says nothing of the link before it or after.
struct QualityWindow: Hashable, Sendable {
    /// So many outcomes are kept, none of them older than that.
    static let most = 20
    static let memory: Duration = .seconds(3600)
    /// With fewer outcomes nothing is said.
    static let enough = 10
    /// A condition that was reached is left below this part of the threshold.
    private static let relief = 2
    /// Once in so many times chance may look like an outage.
    private static let rarity: Int64 = 1000
    /// However much is lost, a dead link is found after so many looks.
    static let longestRow = 10

    /// What became of one probe.
    struct Outcome: Hashable, Sendable {
        var question: ProbeRequest.Question
        /// nil: no answer.
        var roundTrip: Duration?
        var at: Instant
    }

    /// The oldest first.
    private(set) var outcomes: [Outcome] = []
    /// Those of the sick looks at hand.
    private(set) var undecided: [Outcome] = []
    /// Where they were asked.
    private(set) var network: Network?
    private(set) var degradations: Set<Quality.Degradation> = []
    private(set) var savesPower: Bool?

    /// Takes in what a check has found.
    /// - Parameters:
    ///   - isSick: The look found the link sick.
    ///   - isOutage: The health is sick: what is lost now is not lost by chance.
    mutating func take(
        _ new: [Outcome], in network: Network, isSick: Bool, isOutage: Bool, settings: Settings,
        at now: Instant
    ) {
        guard settings.watchesQuality else {
            self = QualityWindow()
            return
        }
        if !new.isEmpty {
            if let known = self.network, !known.mayBe(network) { self = QualityWindow() }
            self.network = network
        }
        // In place: every look comes through here.
        if isOutage {
            undecided = []
        } else if isSick {
            undecided += new
            undecided.removeFirst(max(0, undecided.count - Self.most))
        } else {
            outcomes += undecided
            outcomes += new
            undecided = []
        }
        let stale = outcomes.firstIndex { now - $0.at < Self.memory } ?? outcomes.endIndex
        outcomes.removeFirst(max(stale, outcomes.count - Self.most))
        judge(settings)
        if !asksForPowerSave(settings) { savesPower = nil }
    }

    /// The sick looks at hand have met something that lets nothing pass.
    mutating func dropUndecided() { undecided = [] }

    /// The kernel was asked.
    mutating func note(savesPower: Bool) { self.savesPower = savesPower }

    /// What can be said of the link; nil: nothing yet.
    func quality(_ settings: Settings) -> Quality? {
        guard let tally else { return nil }
        return Quality(
            probes: tally.probes, lost: tally.lost, roundTrip: tally.roundTrip,
            degradations: degradations.isEmpty
                ? [] : Quality.Degradation.allCases.filter(degradations.contains),
            savesPower: degradations.contains(.latency) ? savesPower : nil,
            streakBeyondChance: streakBeyondChance(tally, settings))
    }

    /// Whether it matters that power saving is on: answers are slow, or the last one was, of which the next check
    /// may find that they are.
    func asksForPowerSave(_ settings: Settings) -> Bool {
        guard settings.degradedLatency > .zero else { return false }
        let last = outcomes.last { $0.roundTrip != nil }?.roundTrip ?? .zero
        return degradations.contains(.latency) || last >= settings.degradedLatency
    }

    /// See `Quality.streakBeyondChance`.
    func streakBeyondChance(_ settings: Settings) -> Int { streakBeyondChance(tally, settings) }

    private func streakBeyondChance(_ tally: Tally?, _ settings: Settings) -> Int {
        guard settings.degradedLoss > 0, let tally, tally.lost > 0 else { return 1 }
        // Twenty to the power of ten, and a thousand of them, fit.
        var (lost, all) = (Int64(tally.lost), Int64(tally.probes))
        var streak = 1
        while streak < Self.longestRow, lost * Self.rarity >= all {
            lost *= Int64(tally.lost)
            all *= Int64(tally.probes)
            streak += 1
        }
        return streak
    }

    private struct Tally {
        var probes: Int
        var lost: Int
        var roundTrip: Duration
    }

    /// The silence of who has never answered counts for nothing: it may be filtered. nil: not enough to go by.
    private var tally: Tally? {
        guard outcomes.count >= Self.enough else { return nil }
        var roundTrips: [Duration] = []
        roundTrips.reserveCapacity(outcomes.count)
        var lost = 0
        for outcome in outcomes {
            if let roundTrip = outcome.roundTrip {
                roundTrips.append(roundTrip)
            } else if hasAnswered(outcome.question) {
                lost += 1
            }
        }
        guard roundTrips.count + lost >= Self.enough else { return nil }
        roundTrips.sort()
        // Of an even number the lower one of the middle: what is called slow is more than half of them.
        return Tally(
            probes: roundTrips.count + lost, lost: lost, roundTrip: roundTrips[(roundTrips.count - 1) / 2])
    }

    private func hasAnswered(_ question: ProbeRequest.Question) -> Bool {
        outcomes.contains { $0.roundTrip != nil && $0.question == question }
    }

    private mutating func judge(_ settings: Settings) {
        guard let tally else {
            degradations = []
            return
        }
        let (loss, latency) = (settings.degradedLoss, settings.degradedLatency)
        let percent = tally.lost * 100
        set(
            .loss, isReached: loss > 0 && percent >= loss * tally.probes,
            isLeft: loss == 0 || percent * Self.relief < loss * tally.probes)
        set(
            .latency, isReached: latency > .zero && tally.roundTrip >= latency,
            isLeft: latency == .zero || tally.roundTrip * Self.relief < latency)
    }

    /// - Parameter isLeft: Not asked where there is none, as on nearly every link.
    private mutating func set(
        _ degradation: Quality.Degradation, isReached: Bool, isLeft: @autoclosure () -> Bool
    ) {
        if isReached {
            degradations.insert(degradation)
        } else if !degradations.isEmpty, isLeft() {
            degradations.remove(degradation)
        }
    }
}

extension HealthCheck {
    /// What became of the questions that went over the air. A command's word is none, and neither is what could
    /// not be asked, or was asked of who has never answered here.
    func outcomes(at now: Instant) -> [QualityWindow.Outcome] {
        asked.compactMap { asked in
            let question = asked.request.question
            if question.isCommand { return nil }
            switch asked.result {
            case .answered(let roundTrip, _), .refuted(_, let roundTrip, _):
                return QualityWindow.Outcome(question: question, roundTrip: roundTrip, at: now)
            case .unanswered: return QualityWindow.Outcome(question: question, roundTrip: nil, at: now)
            case .neverAnswered, .unknown, nil: return nil
            }
        }
    }
}

/// What becomes of single probes: kept, shown, and reckoned with where silence calls for a bounce.
extension Toggler {
    /// The question to the kernel with which a check begins.
    func kernelState(for check: HealthCheck) -> Effect {
        let details = KernelState.Details(
            logins: check.cause.map(sparesUsers(from:)) ?? false || check.livenessWindow != nil,
            livenessWithin: check.livenessWindow,
            powerSave: check.scope == .full && qualityWindow.asksForPowerSave(settings))
        return .kernelState(check.number, with: details)
    }

    /// The health has taken this verdict into account.
    mutating func noteQuality(_ verdict: Verdict, _ check: HealthCheck, at now: Instant) {
        guard runMode == .watch, let kernelState = check.kernelState else { return }
        qualityWindow.take(
            check.outcomes(at: now), in: Network(kernelState), isSick: verdict.conclusion == .sick,
            isOutage: health.condition == .sick, settings: settings, at: now)
    }

    /// Sick verdicts in a row before the link counts as sick. Where probes are lost all the time, silence has to
    /// last longer than chance would make it.
    var fall: Int {
        guard lastVerdict?.reason.isSilence == true else { return settings.fall }
        return max(settings.fall, qualityWindow.streakBeyondChance(settings))
    }
}
