@testable import Model
@testable import Toggling

/// Everything that affects a world's future, and nothing else: two worlds with equal keys behave alike from
/// now on, except for what is only reported (evidence, texts, round trips, how long the link was down).
///
/// Times become durations from now, capped where a longer one makes no difference. The number of a kernel
/// state becomes a case that says whether that state is awaited. The key keeps all fields, not their hash, so
/// that equal keys are equal in every field.
struct WorldKey: Hashable {
    private let variant: Int
    private let state: StateKey
    private let health: Health.Condition
    private let streak: Health.Streak?
    private let sickAge: Int64?
    private let limiter: BounceLimiterKey
    private let window: WindowKey
    private let nextTick: Int64?
    private let place: Int
    private let verdict: VerdictKey?
    private let verdictAge: Int64?
    private let fault: Layer?
    private let faultAge: Int64?
    private let lastSeen: Link.Appearance?
    private let grace: Int64?
    private let rfkillTracker: RFKillTrackerKey
    private let localDisconnect: LocalDisconnectKey
    private let baseline: BaselineKey
    private let pendingRestore: PendingRestoreKey?
    private let lastNetwork: LastNetworkKey?
    private let knownTargets: Set<String>
    private let silence: Int64?
    private let deadlines: [Int64?]
    private let open: [OpenKey]
    private let referee: Referee
    private let lowerings: [Int64]

    /// - Parameter variant: the number of the current settings in the model.
    init(_ world: RefereedWorld, variant: Int) {
        let toggler = world.toggler
        let now = world.now
        knownTargets = Set(toggler.knownTargets.entries.map(\.target))
        silence = toggler.silence.due.map { now.until($0) }
        self.variant = variant
        state = StateKey(toggler.state, now)
        health = toggler.health.condition
        streak = toggler.health.streak.map {
            Health.Streak(
                conclusion: $0.conclusion,
                count: min($0.count, max(toggler.settings.fall, toggler.settings.rise)),
                // If one verdict completes a streak, the layer of earlier faults does not matter.
                layer: toggler.settings.fall > 1 ? $0.layer : nil,
                moves: $0.moves)
        }
        let apart = min(toggler.settings.recheck, toggler.settings.interval)
        sickAge = toggler.health.sickAt.map { now.since($0, atMost: apart) }
        limiter = BounceLimiterKey(toggler.limiter, now)
        window = WindowKey(toggler.qualityWindow, now)
        place = toggler.place
        nextTick = toggler.schedule.map { now.until($0.next(after: now)) }
        verdict = toggler.lastVerdict.map { VerdictKey($0) }
        // Capped at one second, for which a confirmation is valid, and which lies between checks after
        // changes.
        verdictAge = toggler.lastCheck.endedAt.map { now.since($0, atMost: .seconds(1)) }
        // The age of a fault matters only if liveness could contradict the fault, or if the owner may have
        // died.
        let hasLeft = toggler.localDisconnect.tookLeave
        let aged: Set<Layer> = hasLeft ? [.association] : [.gateway, .dns, .internet]
        let oldest = hasLeft ? Toggler.ownersDeath : Liveness.duration
        let silence = toggler.lastCheck.fault.flatMap { aged.contains($0.layer) ? $0 : nil }
        fault = silence?.layer
        faultAge = silence.map { now.since($0.since, atMost: oldest) }
        lastSeen = toggler.lastSeen
        grace = toggler.appearedAt.map { now.until($0 + toggler.settings.grace) }
        rfkillTracker = RFKillTrackerKey(toggler.rfkillTracker, now)
        localDisconnect = LocalDisconnectKey(toggler.localDisconnect, now)
        baseline = BaselineKey(toggler.baseline, now)
        pendingRestore = toggler.pendingRestore.map {
            PendingRestoreKey(snapshot: $0.snapshot, network: $0.network, left: now.until($0.until))
        }
        lastNetwork = toggler.lastNetwork.map { LastNetworkKey($0, now) }
        deadlines = Deadline.allCases.map { deadline in world.deadlines[deadline].map { now.until($0) } }
        open = world.open.map { OpenKey($0, toggler.state) }
        referee = world.referee.timeless
        lowerings = world.referee.spacing.lowerings.filter { now - $0 < BounceLimiter.hour }.map {
            now.since($0, atMost: BounceLimiter.hour)
        }
    }
}

extension Instant {
    /// Nanoseconds from this time until another; 0 if that is in the past.
    func until(_ instant: Instant) -> Int64 { max(0, instant.nanoseconds - nanoseconds) }
    /// Nanoseconds from an earlier time until this time, capped.
    func since(_ instant: Instant, atMost limit: Duration) -> Int64 {
        min(nanoseconds - instant.nanoseconds, limit.nanoseconds)
    }
}

private struct PendingRestoreKey: Hashable {
    let snapshot: Snapshot
    let network: Network?
    let left: Int64
}

private struct BaselineKey: Hashable {
    let content: Baseline.Content?
    let setAside: Baseline.Content?
    let asideAge: Int64?
    let isAsideOver: Bool
    let isTaking: Bool
    let isStale: Bool
    let spacing: Int64?
    let network: Network?
    let hasLostNetwork: Bool

    init(_ baseline: Baseline, _ now: Instant) {
        content = baseline.content
        let recent = baseline.aside.flatMap { now - $0.at <= RadioBlock.reach ? $0 : nil }
        setAside = recent?.content
        asideAge = recent.map { (now - $0.at).nanoseconds }
        isAsideOver = recent?.isOver ?? false
        isTaking = baseline.isTaking
        isStale = baseline.isStale
        // An older request delays nothing.
        spacing = baseline.askedAt.map { now.since($0, atMost: Toggler.baselineSpacing) }
        network = baseline.network
        hasLostNetwork = baseline.hasLostNetwork
    }
}

private struct RFKillTrackerKey: Hashable {
    let isUp: Bool?
    let wentDown: Int64?
    /// Capped, because a link that is down for longer is reported.
    let downAge: Int64?
    let wasBlocked: Int64?
    let isBlocked: Bool
    let isTakenDown: Bool
    let raiseDue: Int64?

    init(_ rfkillTracker: RFKillTracker, _ now: Instant) {
        isUp = rfkillTracker.isUp
        downAge = rfkillTracker.downSince.map { now.since($0, atMost: Toggler.ownersDown) }
        // A link that went down longer ago than `reach` is not attributed to a block that comes now; nor is
        // a link that goes down now attributed to an older block.
        wentDown = rfkillTracker.wentDown.flatMap {
            now - $0 <= RadioBlock.reach ? (now - $0).nanoseconds : nil
        }
        wasBlocked = rfkillTracker.wasBlocked.flatMap {
            now - $0 <= RadioBlock.reach ? (now - $0).nanoseconds : nil
        }
        isBlocked = rfkillTracker.isBlocked
        isTakenDown = rfkillTracker.isTakenDown
        raiseDue = rfkillTracker.liftedAt.map { now.until($0 + RFKillTracker.timeout) }
    }
}

private struct BounceLimiterKey: Hashable {
    let recent: [Int64]
    let bounces: Int
    let earliest: Int64?
    let healthySince: Int64?
    let random: SplitMix64
    let useless: Int
    let network: Network?
    let restarts: Int
    let inVain: [Model.Method]

    init(_ limiter: BounceLimiter, _ now: Instant) {
        recent = limiter.state.bounces.filter { now - $0 < BounceLimiter.hour }.map {
            now.since($0, atMost: BounceLimiter.hour)
        }
        bounces = limiter.state.bouncesInOutage
        earliest = limiter.state.earliest.flatMap { now < $0 ? now.until($0) : nil }
        healthySince = limiter.state.healthySince.map { now.since($0, atMost: BounceLimiter.calm) }
        random = limiter.random
        useless = min(limiter.state.useless, BounceLimiter.mostUseless)
        network = limiter.state.network
        restarts = limiter.state.restarts.count
        inVain = limiter.state.inVain
    }
}

private struct WindowKey: Hashable {
    let outcomes: [OutcomeKey]
    let undecided: [OutcomeKey]
    let network: Network?
    let degradations: Set<Quality.Degradation>
    let savesPower: Bool?

    struct OutcomeKey: Hashable {
        let question: ProbeRequest.Question
        let roundTrip: Duration?
        let age: Int64

        init(_ outcome: QualityWindow.Outcome, _ now: Instant) {
            question = outcome.question
            roundTrip = outcome.roundTrip
            age = now.since(outcome.at, atMost: QualityWindow.retention)
        }
    }

    init(_ window: QualityWindow, _ now: Instant) {
        outcomes = window.outcomes.map { OutcomeKey($0, now) }
        undecided = window.undecided.map { OutcomeKey($0, now) }
        network = window.network
        degradations = window.degradations
        savesPower = window.savesPower
    }
}

private struct LocalDisconnectKey: Hashable {
    let isSettled: Bool
    let tookLeave: Bool
    let loweredAs: MACAddress?
    let isUndisturbed: Bool
    let joining: Int64?

    init(_ localDisconnect: LocalDisconnectTracker, _ now: Instant) {
        isSettled = localDisconnect.isSettled
        tookLeave = localDisconnect.tookLeave
        loweredAs = localDisconnect.loweredAs
        isUndisturbed = localDisconnect.isUndisturbed
        joining = localDisconnect.joiningUntil.map { now.until($0) }
    }
}

private struct LastNetworkKey: Hashable {
    let ssid: SSID
    let since: Int64?
    let heard: Int64?
    let joining: Int64?
    let silence: Int64?

    init(_ lastNetwork: LastNetwork, _ now: Instant) {
        ssid = lastNetwork.ssid
        // Capped: if the loss was longer ago than an absence is retained, its time makes no difference.
        since = lastNetwork.since.map { now.since($0, atMost: LastNetwork.absenceRetention) }
        heard = lastNetwork.absence.map {
            now.since($0.heardAt, atMost: LastNetwork.absenceRetention + .seconds(1))
        }
        joining = lastNetwork.joiningUntil.map { now.until($0) }
        silence = lastNetwork.awaitedCAC.map { now.until($0.until) }
    }
}

struct VerdictKey: Hashable {
    let conclusion: Verdict.Conclusion
    let layer: Layer?
    let callsForBounce: Bool
    let contradictions: Set<Liveness.Manner>
    let isNoGateway: Bool
    let isNotVerified: Bool

    init(_ verdict: Verdict) {
        conclusion = verdict.conclusion
        layer = verdict.layer
        // On all layers: which layers the settings bounce follows from `variant`.
        callsForBounce = verdict.callsForBounce(on: LayerSet(Layer.allCases))
        contradictions = verdict.contradictions
        isNoGateway = verdict.reason == .noGateway
        isNotVerified = verdict.reason == .notVerified
    }
}

private struct StateKey: Hashable {
    let name: String
    let bounce: BounceKey?
    let check: HealthCheckKey?
    let next: NextCheck.Why?
    let lost: Snapshot?
    let isLostByDevice: Bool

    init(_ state: TogglerState, _ now: Instant) {
        name = state.name
        bounce = state.bounce.map { BounceKey($0, now) }
        check = state.check.map { HealthCheckKey($0, now) }
        // The time of the next check is among the deadlines.
        next = if case .waiting(let planned) = state { planned.why } else { nil }
        let absence: Absence? = if case .absent(let absence) = state { absence } else { nil }
        lost = absence?.snapshot
        isLostByDevice = absence?.isLostByDevice ?? false
    }
}

private enum OpenKey: Hashable {
    case awaitedKernelState(KernelState.Details)
    case oldKernelState
    case probe(ProbeRequest.Question)
    case snapshot, baseline, arming
    case directedScan, oldDirectedScan, abortingScan
    case lowering(Model.Method)
    case raising(Model.Method)
    case performing(Model.Method)
    case restoring(Int)

    init(_ effect: Effect, _ state: TogglerState) {
        switch effect {
        case .kernelState(let number, let details):
            self = state.awaits(kernelState: number) ? .awaitedKernelState(details) : .oldKernelState
        case .startProbe(let request): self = .probe(request.question)
        case .takeSnapshot: self = .snapshot
        case .takeBaseline: self = .baseline
        case .directedScan: self = state.isDirectedScanPending ? .directedScan : .oldDirectedScan
        case .abortScan: self = .abortingScan
        case .armGuard: self = .arming
        case .lowerLink(let method): self = .lowering(method)
        case .raiseLink(let method): self = .raising(method)
        case .perform(let method): self = .performing(method)
        case .restore(let snapshot, _): self = .restoring(snapshot.items.count)
        case .cancelProbe, .tellGuard, .disarmGuard, .resolveNeighbours, .switchPowerSaveOff, .announce,
            .stopPerforming,
            .arm,
            .disarm,
            .remember,
            .rememberBounces, .report, .finish:
            preconditionFailure("\(effect) is not answered")
        }
    }
}

extension TogglerState {
    var isDirectedScanPending: Bool { bounce?.step == .scanning }

    /// Whether this state awaits the kernel state with this number.
    func awaits(kernelState number: Int) -> Bool {
        if case .absent(let absence) = self { return absence.query == number }
        return check?.number == number || bounce?.pendingQuery == number
    }
}
