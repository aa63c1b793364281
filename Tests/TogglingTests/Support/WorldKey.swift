@testable import Toggling

/// What a world's future hangs on, and nothing else: two worlds with equal keys behave alike from now on, but
/// for what is only told (evidence, words, round trips, how long the link was down).
///
/// Moments become spans from now, cut off where the core cuts them off; numbers of inquiries, of which only
/// the newest counts, become a word. Kept whole, not hashed: equal keys are equal in every field.
struct WorldKey: Hashable {
    private let variant: Int
    private let state: StateKey
    private let health: Health.Condition
    private let row: Health.Row?
    private let sickAge: Int64?
    private let restraint: RestraintKey
    private let window: WindowKey
    private let nextTick: Int64?
    private let place: Int
    private let verdict: VerdictKey?
    private let verdictAge: Int64?
    private let fault: Layer?
    private let faultAge: Int64?
    private let lastSeen: Toggler.Appearance?
    private let grace: Int64?
    private let aftermath: AftermathKey
    private let departure: DepartureKey
    private let keepsake: KeepsakeKey
    private let arrears: ArrearsKey?
    private let sought: SoughtKey?
    private let deadlines: [Int64?]
    private let open: [OpenKey]
    private let referee: Referee
    private let lowerings: [Int64]

    /// - Parameter variant: The number of the settings in force.
    init(_ world: RefereedWorld, variant: Int) {
        let toggler = world.toggler
        let now = world.now
        self.variant = variant
        state = StateKey(toggler.state, now)
        health = toggler.health.condition
        row = toggler.health.row.map {
            Health.Row(
                conclusion: $0.conclusion,
                count: min($0.count, max(toggler.settings.fall, toggler.settings.rise)),
                // A row of one is full, whatever was before.
                layer: toggler.settings.fall > 1 ? $0.layer : nil)
        }
        let apart = min(toggler.settings.recheck, toggler.settings.interval)
        sickAge = toggler.health.sickAt.map { now.since($0, atMost: apart) }
        restraint = RestraintKey(toggler.restraint, now)
        window = WindowKey(toggler.qualityWindow, now)
        place = toggler.place
        nextTick = toggler.schedule.map { now.until($0.next(after: now)) }
        verdict = toggler.lastVerdict.map { VerdictKey($0) }
        // The freshness of a proof and the spacing of looks at changes, both one second.
        verdictAge = toggler.lastVerdictAt.map { now.since($0, atMost: .seconds(1)) }
        // Since when matters only where somebody else could be heard.
        let silence = toggler.fault.flatMap { [.gateway, .dns, .internet].contains($0.layer) ? $0 : nil }
        fault = silence?.layer
        faultAge = silence.map { now.since($0.since, atMost: SignOfLife.span) }
        lastSeen = toggler.lastSeen
        grace = toggler.appearedAt.map { now.until($0 + toggler.settings.grace) }
        aftermath = AftermathKey(toggler.aftermath, now)
        departure = DepartureKey(toggler.departure, now)
        keepsake = KeepsakeKey(toggler.keepsake, now)
        arrears = toggler.arrears.map {
            ArrearsKey(snapshot: $0.snapshot, network: $0.network, left: now.until($0.until))
        }
        sought = toggler.sought.map { SoughtKey($0, now) }
        deadlines = Deadline.allCases.map { deadline in world.deadlines[deadline].map { now.until($0) } }
        open = world.open.map { OpenKey($0, toggler.state) }
        referee = world.referee.timeless
        lowerings = world.referee.lowerings.map { now.since($0, atMost: Restraint.budgetWindow) }
    }
}

extension Instant {
    /// Nanoseconds from here to a moment; 0 for one that is past.
    func until(_ moment: Instant) -> Int64 { max(0, moment.nanoseconds - nanoseconds) }
    /// Nanoseconds from a moment to here, cut off.
    func since(_ moment: Instant, atMost limit: Duration) -> Int64 {
        min(nanoseconds - moment.nanoseconds, limit.nanoseconds)
    }
}

private struct ArrearsKey: Hashable {
    let snapshot: Snapshot
    let network: Network?
    let left: Int64
}

private struct KeepsakeKey: Hashable {
    let content: Keepsake.Content?
    let dropped: Keepsake.Content?
    let droppedAge: Int64?
    let isTaking: Bool
    let isStale: Bool
    let spacing: Int64?
    let network: Network?

    init(_ keepsake: Keepsake, _ now: Instant) {
        content = keepsake.content
        let recent = keepsake.dropped.flatMap { now - $0.at <= Aftermath.reach ? $0 : nil }
        dropped = recent?.content
        droppedAge = recent.map { (now - $0.at).nanoseconds }
        isTaking = keepsake.isTaking
        isStale = keepsake.isStale
        // Longer ago than this it holds nothing back.
        spacing = keepsake.askedAt.map { now.since($0, atMost: Toggler.keepsakeSpacing) }
        network = keepsake.network
    }
}

private struct AftermathKey: Hashable {
    let isUp: Bool?
    let wentDown: Int64?
    let wasBlocked: Int64?
    let isBlocked: Bool
    let isTakenDown: Bool
    let raiseDue: Int64?

    init(_ aftermath: Aftermath, _ now: Instant) {
        isUp = aftermath.isUp
        // What is longer ago is not put down to a block that comes now, nor the other way round.
        wentDown = aftermath.wentDown.flatMap { now - $0 <= Aftermath.reach ? (now - $0).nanoseconds : nil }
        wasBlocked = aftermath.wasBlocked.flatMap {
            now - $0 <= Aftermath.reach ? (now - $0).nanoseconds : nil
        }
        isBlocked = aftermath.isBlocked
        isTakenDown = aftermath.isTakenDown
        raiseDue = aftermath.liftedAt.map { now.until($0 + Aftermath.patience) }
    }
}

private struct RestraintKey: Hashable {
    let recent: [Int64]
    let bounces: Int
    let earliest: Int64?
    let healthySince: Int64?
    let random: SplitMix64
    let useless: Int
    let network: Network?

    init(_ restraint: Restraint, _ now: Instant) {
        recent = restraint.recent.filter { now - $0 < Restraint.budgetWindow }.map {
            now.since($0, atMost: Restraint.budgetWindow)
        }
        bounces = restraint.bouncesInOutage
        earliest = restraint.earliest.flatMap { now < $0 ? now.until($0) : nil }
        healthySince = restraint.healthySince.map { now.since($0, atMost: Restraint.calm) }
        random = restraint.random
        useless = min(restraint.usefulness.useless, Usefulness.patience)
        network = restraint.usefulness.network
    }
}

private struct WindowKey: Hashable {
    let outcomes: [OutcomeKey]
    let undecided: [OutcomeKey]
    let network: Network?
    let ailments: Set<Quality.Ailment>
    let savesPower: Bool?

    struct OutcomeKey: Hashable {
        let question: ProbeRequest.Question
        let roundTrip: Duration?
        let age: Int64

        init(_ outcome: QualityWindow.Outcome, _ now: Instant) {
            question = outcome.question
            roundTrip = outcome.roundTrip
            age = now.since(outcome.at, atMost: QualityWindow.memory)
        }
    }

    init(_ window: QualityWindow, _ now: Instant) {
        outcomes = window.outcomes.map { OutcomeKey($0, now) }
        undecided = window.undecided.map { OutcomeKey($0, now) }
        network = window.network
        ailments = window.ailments
        savesPower = window.savesPower
    }
}

private struct DepartureKey: Hashable {
    let isSettled: Bool
    let tookLeave: Bool
    let loweredAs: MACAddress?
    let isUndisturbed: Bool
    let joining: Int64?

    init(_ departure: Departure, _ now: Instant) {
        isSettled = departure.isSettled
        tookLeave = departure.tookLeave
        loweredAs = departure.loweredAs
        isUndisturbed = departure.isUndisturbed
        joining = departure.joiningUntil.map { now.until($0) }
    }
}

private struct SoughtKey: Hashable {
    let ssid: SSID
    let since: Int64?
    let heard: Int64?
    let joining: Int64?
    let silence: Int64?

    init(_ sought: SoughtNetwork, _ now: Instant) {
        ssid = sought.ssid
        // What was heard a whole scan after it, and no longer is, counts for nothing new.
        since = sought.since.map { now.since($0, atMost: SoughtNetwork.memory) }
        heard = sought.absence.map { now.since($0.heardAt, atMost: SoughtNetwork.memory + .seconds(1)) }
        joining = sought.joiningUntil.map { now.until($0) }
        silence = sought.radarSilence.map { now.until($0.until) }
    }
}

struct VerdictKey: Hashable {
    let conclusion: Verdict.Conclusion
    let layer: Layer?
    let callsForBounce: Bool
    let contradictions: Set<SignOfLife.Manner>
    let isNoGateway: Bool
    let isNotVerified: Bool

    init(_ verdict: Verdict) {
        conclusion = verdict.conclusion
        layer = verdict.layer
        // The settings in force are in the key as well.
        callsForBounce = verdict.callsForBounce(on: LayerSet(Layer.allCases))
        contradictions = verdict.contradictions
        isNoGateway = verdict.reason == .noGateway
        isNotVerified = verdict.reason == .notVerified
    }
}

private struct StateKey: Hashable {
    let name: String
    let bounce: BounceKey?
    let inquiry: InquiryKey?
    let look: NextLook.Why?

    init(_ state: TogglerState, _ now: Instant) {
        name = state.name
        bounce = state.bounce.map { BounceKey($0, now) }
        switch state {
        case .inquiring(let asked), .verifying(_, let asked):
            inquiry = InquiryKey(asked, now)
            look = nil
        case .waiting(let next):
            inquiry = nil
            look = next.why  // its moment is that of the deadline
        case .idle, .absent, .preparing, .performing, .arming, .lowering, .holding, .raising, .awaitingLink,
            .awaitingKeeper, .restoring, .pausing, .comparing, .finished:
            inquiry = nil
            look = nil
        }
    }
}

private enum OpenKey: Hashable {
    case awaitedSurvey, awaitedLogins, awaitedPowerSave, oldSurvey
    case awaitedLife(Duration)
    case probe(ProbeRequest.Question)
    case snapshot, keepsake, arming
    case listening, oldListening, cutting
    case lowering(Toggling.Method)
    case raising(Toggling.Method)
    case performing(Toggling.Method)
    case restoring(Int)

    init(_ effect: Effect, _ state: TogglerState) {
        switch effect {
        case .survey(let number): self = state.awaits(survey: number) ? .awaitedSurvey : .oldSurvey
        case .surveyWithLogins(let number):
            self = state.awaits(survey: number) ? .awaitedLogins : .oldSurvey
        case .surveyWithLife(let number, let span):
            self = state.awaits(survey: number) ? .awaitedLife(span) : .oldSurvey
        case .surveyWithPowerSave(let number):
            self = state.awaits(survey: number) ? .awaitedPowerSave : .oldSurvey
        case .startProbe(let request): self = .probe(request.question)
        case .takeSnapshot: self = .snapshot
        case .takeKeepsake: self = .keepsake
        case .listen: self = state.isListening ? .listening : .oldListening
        case .cutScanShort: self = .cutting
        case .armGuard: self = .arming
        case .lowerLink(let method): self = .lowering(method)
        case .raiseLink(let method): self = .raising(method)
        case .perform(let method): self = .performing(method)
        case .restore(let snapshot, _): self = .restoring(snapshot.items.count)
        case .cancelProbe, .tellGuard, .disarmGuard, .askAgain, .stopPerforming, .arm, .disarm, .remember,
            .rememberBounces, .report, .finish:
            preconditionFailure("\(effect) is not answered")
        }
    }
}

extension TogglerState {
    var isListening: Bool { bounce?.isListening ?? false }

    /// Whether the answer to this survey means anything here.
    func awaits(survey number: Int) -> Bool {
        switch self {
        case .inquiring(let inquiry), .verifying(_, let inquiry): inquiry.number == number
        case .holding(let bounce), .awaitingLink(let bounce), .raising(let bounce),
            .awaitingKeeper(let bounce), .restoring(let bounce):
            bounce.pendingSurvey == number
        case .idle, .absent, .waiting, .preparing, .performing, .arming, .lowering, .pausing, .comparing,
            .finished:
            false
        }
    }
}
