import Model

/// Limits how often bounces happen: a back-off that doubles within one outage, the longest back-off if
/// bounces were useless, and a budget per hour and per day.
public struct BounceLimiter: Hashable, Sendable {
    static let hour: Duration = .seconds(3600)
    static let day: Duration = .seconds(86400)
    /// An owner's service is restarted at most so many times a day.
    static let mostRestarts = 3
    /// How long the link must be healthy for the outage to end; then the back-off begins anew.
    static let calm: Duration = .seconds(600)
    /// Jitter: at most this many per cent in either direction, so that a thousand machines do not reconnect
    /// at the same moment.
    private static let jitterPercent: Int64 = 10
    /// After this many useless bounces in a row the longest back-off applies in their network.
    static let mostUseless = 3

    /// The bounces of the last day, the oldest first.
    private(set) var recent: [Instant] = []
    /// The restarts of owners (`Method.restartOwner`) of the last day, the oldest first.
    private(set) var restarts: [Instant] = []
    /// Methods but the bounce that did not help in the current outage.
    private(set) var inVain: Set<Method> = []
    /// The bounces of the current outage.
    private(set) var bouncesInOutage = 0
    private(set) var earliest: Instant?
    private(set) var healthySince: Instant?
    private(set) var random: SplitMix64
    /// Bounces in a row that changed nothing.
    private(set) var useless = 0
    /// The network in which they changed nothing.
    private(set) var uselessNetwork: Network?

    init(seed: UInt64) { random = SplitMix64(state: seed) }

    /// The part of the state that is saved for later runs.
    var saved: Saved {
        let isOutage = bouncesInOutage > 0 || earliest != nil
        return Saved(
            bounces: recent, bouncesInOutage: bouncesInOutage, earliest: earliest,
            healthySince: isOutage ? healthySince : nil, useless: useless, network: uselessNetwork,
            restarts: restarts, inVain: inVain.sorted())
    }

    private var helps: Bool { useless < Self.mostUseless }

    /// Restores the state of earlier runs. Instants in the future are ignored, and the delay of the next
    /// bounce is limited by the current settings: neither a wrong clock nor other settings of an earlier run
    /// may cause a longer wait.
    mutating func recall(_ saved: Saved, at now: Instant, settings: Settings) {
        recent = saved.bounces.filter { $0 <= now && now - $0 < Saved.lifetime }
        restarts = saved.restarts.filter { $0 <= now && now - $0 < Saved.lifetime }
        (useless, uselessNetwork, inVain) = (saved.useless, saved.network, Set(saved.inVain))
        guard let last = recent.last else { return }
        bouncesInOutage = saved.bouncesInOutage
        healthySince = saved.healthySince.flatMap { (last...max(last, now)).contains($0) ? $0 : nil }
        let wait =
            helps ? wait(after: max(0, bouncesInOutage - 1), settings: settings) : settings.backoffMaximum
        earliest = saved.earliest.map { min($0, last + wait + wait * Self.jitterPercent / 100) }
    }

    /// What delays a bounce at `now`; nil: nothing does.
    func noBounceReason(at now: Instant, _ settings: Settings) -> NoBounceReason? {
        if let earliest, now < earliest {
            return helps ? .backingOff(until: earliest) : .useless(bounces: useless, until: earliest)
        }
        return Self.budgetSpent(recent, settings.budget, per: Self.hour, at: now)
            ?? Self.budgetSpent(recent, settings.dailyBudget, per: Self.day, at: now)
    }

    /// What delays a restart of an owner; nil: nothing does.
    func noRestartReason(at now: Instant) -> NoBounceReason? {
        Self.budgetSpent(restarts, Self.mostRestarts, per: Self.day, at: now)
    }

    private static func budgetSpent(
        _ spent: [Instant], _ budget: Int, per window: Duration, at now: Instant
    ) -> NoBounceReason? {
        let inWindow = spent.filter { now - $0 < window }
        guard inWindow.count >= budget else { return nil }
        return .budgetSpent(until: inWindow[inWindow.count - budget] + window)
    }

    mutating func spend(at now: Instant, settings: Settings) {
        recent = recent.filter { now - $0 < Self.day } + [now]
        earliest = now + jittered(wait(after: bouncesInOutage, settings: settings))
        bouncesInOutage += 1
        healthySince = nil
    }

    mutating func spendRestart(at now: Instant) {
        restarts = restarts.filter { now - $0 < Self.day } + [now]
    }

    /// The last bounce has ended with the verdict `after`. If the fault moved to another layer, or the verdict
    /// is unknown, it does not count as useless.
    mutating func judge(
        _ after: Verdict, cause: Verdict, _ methods: [Method], in network: Network, settings: Settings
    ) {
        switch after.conclusion {
        case .healthy: (useless, uselessNetwork) = (0, nil)
        case .sick:
            if after.layer == cause.layer { (useless, uselessNetwork) = (useless + 1, network) }
            inVain.formUnion(methods.filter { $0 != .bounce })
        case .unknown: break
        }
        guard !helps, let last = recent.last else { return }
        earliest = max(earliest ?? last, last + jittered(settings.backoffMaximum))
    }

    /// Sets the current network: useless bounces in another network do not count here, and the outage is a
    /// new one.
    mutating func note(_ network: Network, settings: Settings) {
        guard let uselessNetwork, uselessNetwork.isOther(than: network) else { return }
        let helped = helps
        (useless, self.uselessNetwork, inVain) = (0, nil, [])
        guard !helped, let last = recent.last else { return }
        bouncesInOutage = 1
        earliest = min(earliest ?? last, last + jittered(settings.backoff))
    }

    /// Sets the condition of the link at `now`; called after every verdict.
    mutating func note(isHealthy: Bool, at now: Instant) {
        healthySince = isHealthy ? healthySince ?? now : nil
        guard let healthySince, now - healthySince >= Self.calm else { return }
        (bouncesInOutage, earliest, inVain) = (0, nil, [])
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

extension BounceLimiter {
    /// The state of the bounce limiter that is saved from one run to the next. Without it, a run from cron
    /// would not know of earlier bounces, and a restart of the service would reset all limits.
    public struct Saved: Codable, Hashable, Sendable {
        /// The bounces of the last day, the oldest first.
        public let bounces: [Instant]
        /// The number of bounces in the current outage; 0: there is none.
        public let bouncesInOutage: Int
        /// No bounce before this instant; nil: no limit.
        public let earliest: Instant?
        /// Since when the link is healthy again in the current outage; nil: it is not.
        public let healthySince: Instant?
        /// Bounces in a row that changed nothing.
        public let useless: Int
        /// The network in which they changed nothing.
        public let network: Network?
        /// The restarts of owners of the last day, the oldest first.
        public let restarts: [Instant]
        /// Methods but the bounce that did not help in the current outage.
        public let inVain: [Method]

        /// The largest budget.
        public static let most = 3600
        /// If the last bounce is older than this, the outage counts as over.
        public static let lifetime: Duration = .seconds(86400)
        /// A longer row has no further effect.
        private static let longestRow = 1000

        public init(
            bounces: [Instant] = [], bouncesInOutage: Int = 0, earliest: Instant? = nil,
            healthySince: Instant? = nil, useless: Int = 0, network: Network? = nil, restarts: [Instant] = [],
            inVain: [Method] = []
        ) {
            self.bounces = Array(bounces.sorted().suffix(Self.most))
            self.bouncesInOutage = min(max(0, bouncesInOutage), Self.longestRow)
            self.earliest = earliest
            self.healthySince = healthySince
            self.useless = network == nil ? 0 : min(max(0, useless), Self.longestRow)
            self.network = self.useless == 0 ? nil : network
            self.restarts = Array(restarts.sorted().suffix(BounceLimiter.mostRestarts))
            self.inVain = inVain
        }

        public var isEmpty: Bool { self == Saved() }
    }
}

/// Saves the state of the bounce limiter for later runs.
extension Toggler {
    /// Whether the state is saved. The plain timer ignores all limits, and would write at each tick.
    private var keepsLimiter: Bool { runMode != .probe && !(runMode == .watch && settings.isForced) }

    /// Called when the health has taken a verdict into account.
    mutating func noteLimiter(_ kernelState: KernelState?, _ effects: inout Effects) {
        let isHealthy = health.condition == .healthy
        limit(&effects) { limiter, now, settings in
            limiter.note(isHealthy: isHealthy, at: now)
            if let kernelState { limiter.note(Network(kernelState), settings: settings) }
        }
    }

    /// Changes the limiter, and saves it if the change matters to later runs.
    mutating func limit(
        _ effects: inout Effects, _ change: (inout BounceLimiter, Instant, Settings) -> Void
    ) {
        let before = limiter.saved
        change(&limiter, effects.now, settings)
        guard keepsLimiter, limiter.saved != before else { return }
        effects.emit(.rememberBounces(limiter.saved))
    }
}
