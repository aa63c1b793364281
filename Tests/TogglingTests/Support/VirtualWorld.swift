@testable import Model
@testable import Toggling

/// A simulated machine on a virtual clock, which carries out the effects of one toggler and reports the
/// results. Stories set the properties of its parts and let time pass.
struct VirtualWorld {
    /// How long the kernel takes to answer.
    private static let kernelLatency: Duration = .milliseconds(1)
    private static let gone = Failure(kind: .noSuchDevice, description: "no such device")

    var link: SimulatedLink
    var hosts = SimulatedHosts()
    var conditions = SimulatedConditions()
    var scans = SimulatedScans()
    var configuration = SimulatedConfiguration()
    private(set) var orders = Orders()
    private(set) var reports = Reports()
    private(set) var queue = EventQueue()
    private(set) var now: Instant
    private(set) var begun: Instant
    private(set) var toggler: Toggler

    // MARK: What stories may change

    var loweringFailure: Failure?
    var raisingFailure: Failure?
    /// The failures of methods that are refused or not available.
    var refused: [Model.Method: Failure] = [:]
    /// How long a guard takes to start; nil: for ever.
    var guardLatency: Duration? = kernelLatency
    /// Why the next guards do not start; nil: they do.
    var guardFailure: Failure?
    /// Whether a guard is ready.
    private(set) var isGuarded = false

    // MARK: What stories may follow

    /// Called when the state that decides about a reboot is queried.
    var onRebootQuestion: (inout VirtualWorld) -> Void = { _ in }
    /// Called when the owner is queried for its condition.
    var onOwnerQuestion: (inout VirtualWorld) -> Void = { _ in }
    /// Called after each method that succeeds, for example to end a fault.
    var onMethod: (inout VirtualWorld, Model.Method) -> Void = { _, _ in }
    /// Called at each raise, for example to end a fault.
    var onRaise: (inout VirtualWorld) -> Void = { _ in }
    /// Called with every event and the decisions on it.
    var recorder: (Event, Instant, [Effect]) -> Void = { _, _, _ in }

    init(
        _ runMode: RunMode, _ settings: Settings = Settings(), sinceBoot: Duration = .seconds(1000),
        seed: UInt64 = 1, knownTargets: KnownTargets = KnownTargets(),
        limiter: BounceLimiter.Saved = BounceLimiter.Saved()
    ) {
        now = .boot + sinceBoot
        toggler = Toggler(
            runMode: runMode, settings: settings, seed: seed, knownTargets: knownTargets, limiter: limiter)
        begun = now
        link = SimulatedLink(associatedSince: now)
    }

    // MARK: Events and time

    mutating func start(isPresent: Bool = true) {
        begun = now
        tell(.started(isPresent: isPresent))
    }

    /// Tells the toggler at once.
    mutating func tell(_ event: Event) {
        link.note(event)
        if event == .guardArmed { isGuarded = true }
        let effects = toggler.handle(event, at: now)
        recorder(event, now, effects)
        for effect in effects { perform(effect) }
    }

    /// Lets time pass, and reports every event and deadline at its time.
    mutating func run(for duration: Duration) {
        let end = now + duration
        while let next = queue.nextInstant, next <= end {
            now = max(now, next)
            if let event = queue.takeDue(at: now) { tell(settled(event)) }
        }
        now = end
    }

    /// Lets time pass until the toggler is in this state; at most a minute.
    mutating func run(until state: String) {
        let end = now + .seconds(60)
        while toggler.state.name != state, now < end { run(for: .microseconds(500)) }
    }

    /// Suspends the machine: time passes, and nothing else happens.
    mutating func sleep(for duration: Duration) { now = now + duration }

    mutating func advance(to settings: Settings) { tell(.reconfigured(settings)) }

    /// The id of the oldest probe without an answer, of a check outside a bounce; -1: there is none.
    var firstOutstanding: Int {
        if case .checking(let check) = toggler.state { check.rounds.outstanding.first ?? -1 } else { -1 }
    }

    // MARK: Changes of the link

    /// Sets the link down: as the kernel does after a crash of the device, or as a user does.
    mutating func goDown(isClosed: Bool) {
        link.goDown(isClosed: isClosed)
        tell(.linkChanged(link.announced(at: now)))
    }

    /// The kernel sets the link down, the addresses and routes are lost, and then the interface disappears.
    mutating func disappear(_ loss: LossOfInterface?) {
        link.beginToDisappear(at: now)
        tell(.linkChanged(link.announced(at: now)))
        tell(.addressingLost)
        link.disappear(loss)
        tell(.linkRemoved)
    }

    /// Starts the toggler after the interface has disappeared.
    mutating func start(after loss: LossOfInterface?) {
        link.beginToDisappear(at: now)
        link.disappear(loss)
        start(isPresent: false)
    }

    /// Lets the interface appear again by itself.
    mutating func appear() {
        link.raise()
        tell(.linkAppeared(link.announced(at: now)))
    }

    // MARK: Answers

    private mutating func later(_ event: Event, after latency: Duration = kernelLatency) {
        queue.add(event, at: now + latency)
    }

    private var kernelState: KernelState {
        var state = link.kernelState(at: now)
        conditions.addHolds(to: &state)
        return state
    }

    /// The event as it is reported: a kernel state is the one at the time of the answer, not of the request.
    private func settled(_ event: Event) -> Event {
        guard case .kernelStateRead(let number, let asked) = event else { return event }
        guard link.isThere else {
            return asked.radioCondition?.isLoss == true ? event : .kernelStateFailed(number, Self.gone)
        }
        var state = kernelState
        conditions.settle(asked, in: &state)
        return .kernelStateRead(number, state)
    }

    private mutating func read(_ details: KernelState.Details) -> KernelState? {
        guard details.lossOfInterface else {
            if details.ownerCondition { onOwnerQuestion(&self) }
            if details.rebootState { onRebootQuestion(&self) }
            var state = kernelState
            conditions.add(details, to: &state, at: now)
            return state
        }
        guard !link.isThere else { return kernelState }
        guard var state = link.lostState else { return nil }
        conditions.addHolds(to: &state)
        if details.rebootState { state.rebootState = conditions.rebootState }
        return state
    }

    private mutating func perform(_ effect: Effect) {
        orders.note(effect, at: now - begun)
        reports.note(effect, at: now - begun)
        switch effect {
        case .kernelState(let number, let details):
            let state = read(details)
            later(state.map { .kernelStateRead(number, $0) } ?? .kernelStateFailed(number, Self.gone))
        case .startProbe(let request):
            let answer = hosts.answer(to: request, gateways: link.gateways)
            later(.probeFinished(request.id, answer.result), after: answer.after)
        case .cancelProbe(let id):
            queue.removeAll { if case .probeFinished(id, _) = $0 { true } else { false } }
        case .takeSnapshot: later(.snapshotTaken(configuration.snapshot))
        case .takeBaseline: later(.baselineTaken(configuration.baseline))
        case .directedScan:
            if let answer = scans.directedScanAnswer { later(answer, after: .milliseconds(100)) }
        case .abortScan(_, let since):
            let ago = scans.heard(since: since, at: now)
            if ago != nil { connect(after: SimulatedLink.associationLatency) }
            later(.scanAborted(heard: ago))
        case .armGuard:
            guard let guardLatency else { return }
            later(guardFailure.map { .guardFailed($0) } ?? .guardArmed, after: guardLatency)
        case .switchPowerSaveOff(let isDryRun):
            guard conditions.savesPower == true, !isDryRun else { return }
            conditions.savesPower = false
            orders.powerSaveOff()
        case .disarmGuard:
            isGuarded = false
            queue.removeAll { $0 == .guardArmed }
        case .lowerLink(let method): lower(method)
        case .raiseLink(let method): raise(method)
        case .perform(let method): perform(method)
        case .stopPerforming: queue.removeAll(where: \.answersPerform)
        case .restore:
            let duration = now - begun - (orders.raised.last ?? .zero)
            later(.restored(configuration.restoration(after: duration)))
        case .arm(let deadline, let at): queue.arm(deadline, at: at)
        case .disarm(let deadline): queue.disarm(deadline)
        case .tellGuard, .resolveNeighbours, .announce, .remember, .rememberBounces, .report, .finish: break
        }
    }

    // MARK: Methods

    private mutating func perform(_ method: Model.Method) {
        if let failure = refused[method] { return later(.performingFailed(failure)) }
        // The machine goes down, so no answer comes.
        if method == .reboot { return }
        link.associate(at: now + SimulatedLink.associationLatency)
        onMethod(&self, method)
        later(.performed)
    }

    private mutating func lower(_ method: Model.Method) {
        if let failure = refused[method] ?? loweringFailure { return later(.linkLoweringFailed(failure)) }
        link.lower()
        orders.linkLowered(at: now - begun)
        later(.linkLowered)
    }

    private mutating func connect(after duration: Duration) {
        link.associate(at: now + duration)
        later(.linkChanged(Sample.link(port: link.port)), after: duration)
    }

    private mutating func raise(_ method: Model.Method) {
        if let raisingFailure { return later(.linkRaisingFailed(raisingFailure)) }
        link.raise()
        orders.linkRaised(at: now - begun)
        onRaise(&self)
        onMethod(&self, method)
        later(.linkRaised)
        guard link.isUp else {
            return later(.linkChanged(link.announced(at: now)), after: SimulatedLink.associationLatency)
        }
        connect(after: scans.untilAssociation)
        if let scan = scans.afterRaise { later(.scanBegun(scan), after: Self.kernelLatency * 2) }
    }
}
