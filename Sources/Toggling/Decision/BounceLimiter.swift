import Model

/// Limits how often bounces happen: by a back-off that doubles within one outage and has its largest value if
/// bounces were useless, and by a budget per hour and per day.
public struct BounceLimiter: Hashable, Sendable {
    public typealias Saved = LimiterState

    static let hour: Duration = .seconds(3600)
    static let day = LimiterState.lifetime
    /// After a healthy time of this length the outage is over, and the back-off begins anew.
    static let calm: Duration = .seconds(600)
    /// The largest jitter in either direction, in per cent. It keeps many machines from reconnecting at once.
    private static let jitterPercent: Int64 = 10
    /// After this many useless bounces in a row, the longest back-off applies in their network.
    static let mostUseless = 3

    private(set) var state: Saved
    /// The methods passed over in this outage's last fruitless ladder. A reboot does not wait for them.
    private var passedOver: [Method] = []
    private(set) var random: SplitMix64

    /// - Parameter saved: the state of earlier runs, to which `recall` applies.
    init(_ saved: Saved, seed: UInt64) { (state, random) = (saved, SplitMix64(state: seed)) }

    /// The part of the state that is saved for later runs.
    var saved: Saved {
        var saved = state
        if saved.bouncesInOutage == 0, saved.earliest == nil { saved.healthySince = nil }
        return saved
    }

    var helps: Bool { state.useless < Self.mostUseless }

    /// Corrects the state of earlier runs. Neither their clock nor their settings may cause a longer wait:
    /// events in the future are ignored, and the current settings limit the wait.
    mutating func recall(at now: Instant, settings: Settings) {
        let saved = state
        state.bounces.removeAll { $0 > now || now - $0 >= Self.day }
        state.restarts.removeAll { $0 > now || now - $0 >= Self.day }
        guard let last = state.bounces.last else {
            (state.bouncesInOutage, state.earliest, state.healthySince, state.inVain) = (0, nil, nil, [])
            return
        }
        state.healthySince = saved.healthySince.flatMap { (last...max(last, now)).contains($0) ? $0 : nil }
        let earlier = max(0, state.bouncesInOutage - 1)
        let wait = helps ? wait(after: earlier, settings: settings) : settings.backoffMaximum
        state.earliest = saved.earliest.map { min($0, last + wait + wait * Self.jitterPercent / 100) }
    }

    /// What delays a bounce at `now`, the back-off or a budget; nil: nothing does.
    func noBounceReason(at now: Instant, _ settings: Settings) -> NoBounceReason? {
        if let earliest = state.earliest, now < earliest {
            return helps ? .backingOff(until: earliest) : .useless(bounces: state.useless, until: earliest)
        }
        return budgetSpent(at: now, settings)
    }

    /// The budget that delays a bounce; nil: none does.
    func budgetSpent(at now: Instant, _ settings: Settings) -> NoBounceReason? {
        let end =
            state.bounces.end(ofBudget: settings.budget, per: Self.hour, at: now)
            ?? state.bounces.end(ofBudget: settings.dailyBudget, per: Self.day, at: now)
        return end.map { .budgetSpent(until: $0) }
    }

    /// What delays a restart of an owner, or a reset of a device that fails; nil: nothing does.
    func noRestartReason(at now: Instant) -> NoBounceReason? {
        state.restarts.end(ofBudget: LimiterState.mostRestarts, per: Self.day, at: now).map {
            .budgetSpent(until: $0)
        }
    }

    mutating func spend(at now: Instant, settings: Settings) {
        // A budget never needs more entries than it allows bounces.
        let counted = max(settings.budget, settings.dailyBudget)
        state.bounces = (state.bounces.filter { now - $0 < Self.day } + [now]).suffix(counted)
        state.earliest = now + jittered(wait(after: state.bouncesInOutage, settings: settings))
        state.bouncesInOutage += 1
        state.healthySince = nil
    }

    mutating func spendRestart(at now: Instant) {
        state.restarts = (state.restarts.filter { now - $0 < Self.day } + [now]).suffix(
            LimiterState.mostRestarts)
    }

    /// Judges the last bounce, which ended with the verdict `after`. It does not count as useless if the
    /// fault moved to another layer, the verdict is unknown, or `auto` has only asked the owner.
    mutating func judge(
        _ after: Verdict, of bounce: Bounce, cause: Verdict, in network: Network, settings: Settings
    ) {
        switch after.conclusion {
        case .healthy:
            (state.useless, state.network, passedOver) = (0, nil, [])
            state.inVain.removeAll { $0 == bounce.method }
        case .sick:
            let isRequest = settings.methods.isEmpty && bounce.methods == [.owner]
            let isUseless = after.layer == cause.layer && !isRequest
            if isUseless { (state.useless, state.network) = (state.useless + 1, network) }
            note(inVain: bounce, settings)
        case .unknown: break
        }
        guard !helps, let last = state.bounces.last else { return }
        state.earliest = max(state.earliest ?? last, last + jittered(settings.backoffMaximum))
    }

    mutating func note(inVain bounce: Bounce, _ settings: Settings) {
        state.inVain = Set(state.inVain + bounce.inVain(under: settings)).sorted()
        passedOver = bounce.ladder.tried.filter { !bounce.methods.contains($0) }
    }

    /// Whether the method was in vain in this outage, or was passed over in its last ladder.
    func hasTried(_ method: Method) -> Bool { (state.inVain + passedOver).contains(method) }

    /// Notes the current network. In another one the outage is a new one, unless only the association differs.
    mutating func note(_ network: Network, settings: Settings) {
        guard let last = state.network, last.isOther(than: network) else { return }
        let helped = helps
        (state.useless, state.network) = (0, nil)
        if (last.ssid == nil) == (network.ssid == nil) { (state.inVain, passedOver) = ([], []) }
        guard !helped, let last = state.bounces.last else { return }
        state.bouncesInOutage = 1
        state.earliest = min(state.earliest ?? last, last + jittered(settings.backoff))
    }

    /// Notes the condition of the link at `now`, after every verdict.
    mutating func note(isHealthy: Bool, at now: Instant) {
        state.healthySince = isHealthy ? state.healthySince ?? now : nil
        guard let since = state.healthySince, now - since >= Self.calm else { return }
        (state.bouncesInOutage, state.earliest, state.inVain, passedOver) = (0, nil, [], [])
    }

    private func wait(after bounces: Int, settings: Settings) -> Duration {
        var wait = settings.backoff
        for _ in 0..<bounces where wait < settings.backoffMaximum { wait = wait * 2 }
        return min(wait, settings.backoffMaximum)
    }

    private mutating func jittered(_ duration: Duration) -> Duration {
        let permille = random.number(below: UInt64(20 * Self.jitterPercent + 1))
        return duration + duration * (Int64(permille) - 10 * Self.jitterPercent) / 1000
    }
}

/// Saves the state of the bounce limiter for later runs.
extension Toggler {
    /// Changes the limiter, and saves it if the change matters to later runs.
    mutating func limit(_ effects: inout Effects, _ edit: (inout BounceLimiter, Instant, Settings) -> Void) {
        let before = limiter.saved
        edit(&limiter, effects.now, settings)
        // The plain timer ignores all limits, and would write at each tick.
        let isPlainTimer = runMode == .watch && settings.isForced
        guard limiter.saved != before, runMode != .probe, !isPlainTimer else { return }
        effects.emit(.rememberBounces(limiter.saved))
    }
}
