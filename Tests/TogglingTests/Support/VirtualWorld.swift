@testable import Model
@testable import Toggling

/// A simulated link on a virtual clock, which carries out the effects of one toggler and reports the results.
/// Stories set the world's properties and let time pass. "Since the beginning" means since the call of
/// `start`.
struct VirtualWorld {
    /// How long the kernel takes to answer, and the radio to associate.
    private static let kernelLatency: Duration = .milliseconds(1)
    private static let associationLatency: Duration = .milliseconds(200)

    private static let gone = Failure(kind: .noSuchDevice, description: "no such device")

    var isUp = true
    var radio = RadioBlock.none
    var isInRange = true
    var isWireless = true
    /// The link as a port of a master; nil: the link is no port.
    var port: Port?
    /// Whether there was an association since the interface appeared; nil: the kernel does not report that.
    var hadCarrier: Bool?
    var gatewayAnswers = true
    /// The results of ICMP echoes to gateways, while `gatewayAnswers`. A gateway without an entry answers.
    var echoes: [IPAddress: ProbeResult] = [:]
    /// Whether other probed hosts answer.
    var targetAnswers = true
    var hasAddress = true
    var gateways = [Sample.gateway]
    var ssid = Sample.association.ssid
    /// In MHz.
    var frequency = Sample.association.frequency
    /// The age of the association that the kernel reports; nil: it reports none.
    var connected: Duration?
    var mayProbe = true
    var roundTrip: Duration = .milliseconds(3)
    /// Called for each probe that would be answered, unless `echoes` decides: whether it is lost on its way.
    var isLost: () -> Bool = { false }
    /// Whether power saving is on; nil: the driver does not report it.
    var savesPower: Bool?
    private(set) var questionsForPowerSave = 0
    /// When power saving was compared with the setting, since the beginning, and how often it was switched
    /// off.
    private(set) var powerSaveCompared: [Duration] = []
    private(set) var powerSaveSwitchedOff = 0
    /// When the link's addresses were announced, since the beginning.
    private(set) var announced: [Duration] = []
    var ownerCondition: OwnerCondition?
    var radioCondition: RadioCondition?
    /// Whether the kernel itself has set the link down, after a crash.
    var isClosed = false
    /// The state of the device that has lost the interface; nil: it was unplugged.
    var loss: LossOfInterface?
    /// When the toggler asked for the device's state, since the beginning.
    private(set) var deviceQuestions: [Duration] = []
    private var isThere = true
    private var lastState: KernelState?
    private(set) var questionsForOwner = 0
    var rebootState = RebootState()
    private(set) var questionsForReboot = 0
    /// Called when the state that decides about a reboot is queried.
    var onRebootQuestion: (inout VirtualWorld) -> Void = { _ in }
    /// Called when the owner is queried for its condition.
    var onOwnerQuestion: (inout VirtualWorld) -> Void = { _ in }
    var quietUntil: Instant?
    /// Logins over the link.
    var logins: [Login] = []
    private(set) var questionsForLogins = 0
    /// Hosts that send all the time, whatever happens to the gateway.
    var liveness: [Liveness] = []
    /// When a host on the link sent once.
    var heardAt: Instant?
    private(set) var questionsForLiveness = 0
    /// The networks that scans find while the station is not associated; empty: there are no scans.
    var heard: [HeardNetwork] = []
    var administrativeHold: AdministrativeHold?
    var loweringFailure: Failure?
    var raisingFailure: Failure?
    /// The failures of methods that are refused or not available.
    var refused: [Model.Method: Failure] = [:]
    /// The methods that were tried, in order, successful or not.
    private(set) var tried: [Model.Method] = []
    var reboots: Int { tried.count { $0 == .reboot } }
    /// Called after each method that succeeds, for example to end a fault.
    var onMethod: (inout VirtualWorld, Model.Method) -> Void = { _, _ in }
    private(set) var stopped = 0
    /// Called at each raise, for example to end a fault.
    var onRaise: (inout VirtualWorld) -> Void = { _ in }
    /// The signal in dBm; nil: the driver does not report it.
    var signal: Int8? = Sample.association.station.signal
    /// The scan that the owner begins as soon as the link is up; nil: the owner knows the frequency and does
    /// not scan.
    var scan: Scan?
    /// How long a whole scan takes; the owner connects when it is over.
    static let sweep: Duration = .seconds(4)
    /// The answer to `directedScan`, after a tenth of a second; nil: no answer comes.
    var directedScanAnswer: Event? = .directedScanDone(nil)
    /// How long ago the kernel heard the access point, at the time when a scan is to be aborted; nil: the
    /// kernel has forgotten the access point.
    var heardAgo: Duration? = .seconds(3)
    private(set) var directedScans: [AccessPoint] = []
    private(set) var abortedScans: [AccessPoint] = []
    /// The neighbours that the kernel was made to resolve again.
    private(set) var resolvedNeighbours: [[IPAddress]] = []
    var snapshot = Snapshot()
    var restoration = Restoration()
    /// The items that are missing this long after the raise; nil: those in `restoration`.
    var missing: ((Duration) -> [String])?
    /// Whether the link's name servers are missing this long after the raise.
    var lacksNameServers: (Duration) -> Bool = { _ in false }
    /// When the baseline was taken, since the beginning.
    private(set) var baselines: [Duration] = []
    var tellsOfBelongings = true
    /// The snapshots with which the link was compared, in order.
    private(set) var owed: [Snapshot] = []
    /// When a comparison alone was ordered, and when one with a restore, since the beginning.
    private(set) var compared: [Duration] = []
    private(set) var putBack: [Duration] = []

    private(set) var now: Instant
    private(set) var begun: Instant
    private(set) var toggler: Toggler
    private(set) var deadlines: [Deadline: Instant] = [:]
    private var pending: [(at: Instant, event: Event)] = []
    private var associatedSince: Instant?
    /// How long a guard takes to start; nil: for ever.
    var guardLatency: Duration? = kernelLatency
    /// Why the next guards do not start; nil: they do.
    var guardFailure: Failure?
    /// Whether a guard is ready.
    private(set) var isGuarded = false
    /// When the link was lowered and raised, since the beginning.
    private(set) var lowered: [Duration] = []
    private(set) var raised: [Duration] = []
    private(set) var checks: [Duration] = []
    private(set) var questions: [ProbeRequest.Question] = []
    /// The interfaces to which probes were bound; nil: the link itself.
    private(set) var devices: Set<Port.Device?> = []
    private(set) var cycles: [CycleReport] = []
    private(set) var steps: [Report.Step] = []
    private(set) var remembered: [KnownTargets] = []
    /// The limiter's states that were saved for later runs, and when, since the beginning.
    private(set) var kept: [(at: Duration, limiter: BounceLimiter.Saved)] = []
    private(set) var outcome: RunOutcome?
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
        associatedSince = now
    }

    mutating func start(isPresent: Bool = true) {
        begun = now
        tell(.started(isPresent: isPresent))
    }

    /// Tells the toggler at once.
    mutating func tell(_ event: Event) {
        switch event {
        case .linkRemoved: isThere = false
        case .linkAppeared: isThere = true
        case .guardArmed: isGuarded = true
        default: break
        }
        let effects = toggler.handle(event, at: now)
        recorder(event, now, effects)
        for effect in effects { perform(effect) }
    }

    /// Lets time pass, and reports every event and deadline at its time.
    mutating func run(for duration: Duration) {
        let end = now + duration
        while let next = nextInstant, next <= end {
            now = max(now, next)
            if let position = pending.indices.min(by: { pending[$0].at < pending[$1].at }),
                pending[position].at <= now
            {
                let event = pending.remove(at: position).event
                tell(settled(event))
            } else if let (deadline, _) = deadlines.first(where: { $0.value <= now }) {
                deadlines[deadline] = nil
                tell(.deadlineReached(deadline))
            }
        }
        now = end
    }

    /// Lets time pass until the toggler is in this state; at most a minute.
    mutating func run(until state: String) {
        let end = now + .seconds(60)
        while toggler.state.name != state, now < end { run(for: .microseconds(500)) }
    }

    /// Sets the link down: as the kernel does after a crash of the device, or as a user does.
    mutating func goDown(isClosed: Bool) {
        (isUp, self.isClosed) = (false, isClosed)
        tell(.linkChanged(link))
    }

    /// Lets the kernel set the link down, and then the interface disappear.
    mutating func disappear(_ loss: LossOfInterface?) {
        lastState = kernelState
        isUp = false
        tell(.linkChanged(link))
        tell(.addressingLost)
        self.loss = loss
        tell(.linkRemoved)
    }

    /// Starts the toggler after the interface has disappeared.
    mutating func start(after loss: LossOfInterface?) {
        (lastState, isUp, isThere, self.loss) = (kernelState, false, false, loss)
        start(isPresent: false)
    }

    /// Lets the interface appear again by itself.
    mutating func appear() {
        (isUp, loss) = (true, nil)
        tell(.linkAppeared(link))
    }

    /// Suspends the machine: time passes, and nothing else happens.
    mutating func sleep(for duration: Duration) { now = now + duration }

    mutating func advance(to settings: Settings) { tell(.reconfigured(settings)) }

    private var nextInstant: Instant? {
        [pending.map(\.at).min(), deadlines.values.min()].compactMap(\.self).min()
    }

    private var isAssociated: Bool {
        guard let associatedSince else { return false }
        return isUp && isInRange && now >= associatedSince
    }

    /// The event as it is reported: a kernel state is the one at the time of the answer, not of the request.
    private func settled(_ event: Event) -> Event {
        guard case .kernelStateRead(let number, let asked) = event else { return event }
        guard isThere else {
            return asked.radioCondition?.isLoss == true ? event : .kernelStateFailed(number, Self.gone)
        }
        var kernelState = kernelState
        kernelState.logins = asked.logins.map { _ in logins }
        kernelState.liveness = asked.liveness
        kernelState.savesPower = asked.savesPower
        kernelState.ownerCondition = asked.ownerCondition
        kernelState.radioCondition = kernelState.radioCondition ?? asked.radioCondition
        kernelState.rebootState = asked.rebootState
        return .kernelStateRead(number, kernelState)
    }

    /// The id of the oldest probe without an answer, of a check outside a bounce; -1: there is none.
    var firstOutstanding: Int {
        if case .checking(let check) = toggler.state { check.rounds.outstanding.first ?? -1 } else { -1 }
    }

    var kernelState: KernelState {
        var kernelState = stateWithoutConditions
        if isClosed, !isUp { kernelState.radioCondition = .closed }
        return kernelState
    }

    private var stateWithoutConditions: KernelState {
        Sample.kernelState(
            radio: radio,
            link: link,
            association: isAssociated ? association : nil,
            addresses: hasAddress && link.hasUpperLayers
                ? [InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)]
                : [],
            gateways: (link.hasUpperLayers ? gateways : []).map {
                Gateway(address: $0, neighbour: Neighbour(state: .stale))
            },
            heard: isUp && !isAssociated ? heard : [], isWireless: isWireless,
            administrativeHold: administrativeHold, quietUntil: quietUntil)
    }

    private var link: Link {
        Sample.link(
            isUp: isUp, state: isAssociated ? .up : .down, carrier: isAssociated, port: port,
            hadCarrier: hadCarrier)
    }

    private var association: Association {
        var association = Sample.association
        association.ssid = ssid
        association.frequency = frequency
        association.station.connected = connected
        association.station.signal = signal
        return association
    }

    private mutating func later(_ event: Event, after latency: Duration = kernelLatency) {
        pending.append((now + latency, event))
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .kernelState(let number, let details) where !details.lossOfInterface:
            checks.append(now - begun)
            if details.ownerCondition {
                questionsForOwner += 1
                onOwnerQuestion(&self)
            }
            var kernelState = kernelState
            if details.ownerCondition {
                kernelState.ownerCondition = ownerCondition
                kernelState.radioCondition = kernelState.radioCondition ?? radioCondition
            }
            if details.logins {
                questionsForLogins += 1
                kernelState.logins = []
            }
            if let duration = details.livenessWithin {
                questionsForLiveness += 1
                let once = heardAt.map {
                    Liveness(peer: Sample.neighbour, manner: .connection, heard: now - $0)
                }
                kernelState.liveness = (liveness + [once].compactMap(\.self)).filter {
                    $0.heard <= duration
                }
            }
            if details.powerSave {
                questionsForPowerSave += 1
                kernelState.savesPower = savesPower
            }
            if details.rebootState {
                questionsForReboot += 1
                onRebootQuestion(&self)
                kernelState.rebootState = rebootState
            }
            later(.kernelStateRead(number, kernelState))
        case .kernelState(let number, let details):
            deviceQuestions.append(now - begun)
            guard !isThere else { return later(.kernelStateRead(number, kernelState)) }
            guard let loss, var state = lastState else {
                return later(.kernelStateFailed(number, Self.gone))
            }
            state.radioCondition = .lostInterface(loss)
            (state.administrativeHold, state.quietUntil) = (administrativeHold, quietUntil)
            if details.rebootState {
                questionsForReboot += 1
                state.rebootState = rebootState
            }
            pending.append((now + Self.kernelLatency, .kernelStateRead(number, state)))
        case .startProbe(let request): ask(request)
        case .cancelProbe(let id):
            pending.removeAll { if case .probeFinished(id, _) = $0.event { true } else { false } }
        case .takeSnapshot: later(.snapshotTaken(snapshot))
        case .takeBaseline:
            baselines.append(now - begun)
            later(.baselineTaken(tellsOfBelongings ? snapshot : nil))
        case .directedScan(let accessPoint):
            directedScans.append(accessPoint)
            if let directedScanAnswer { later(directedScanAnswer, after: .milliseconds(100)) }
        case .abortScan(let accessPoint, let since):
            abortedScans.append(accessPoint)
            let ago = heardAgo.flatMap { now + (.zero - $0) >= since ? $0 : nil }
            if ago != nil { connect(after: Self.associationLatency) }
            later(.scanAborted(heard: ago))
        case .armGuard:
            guard let guardLatency else { return }
            later(guardFailure.map { .guardFailed($0) } ?? .guardArmed, after: guardLatency)
        case .tellGuard: break
        case .resolveNeighbours(let addresses): resolvedNeighbours.append(addresses)
        case .switchPowerSaveOff(let isDryRun):
            powerSaveCompared.append(now - begun)
            guard savesPower == true, !isDryRun else { return }
            savesPower = false
            powerSaveSwitchedOff += 1
        case .announce: announced.append(now - begun)
        case .disarmGuard:
            isGuarded = false
            pending.removeAll { $0.event == .guardArmed }
        case .lowerLink(let method): lower(method)
        case .raiseLink(let method): raise(method)
        case .perform(let method): perform(method)
        case .stopPerforming:
            stopped += 1
            pending.removeAll(where: \.event.answersPerform)
        case .restore(let snapshot, let puttingBack):
            owed.append(snapshot)
            restore(puttingBack: puttingBack)
        case .arm(let deadline, let at): deadlines[deadline] = at
        case .disarm(let deadline): deadlines[deadline] = nil
        case .remember(let knownTargets): remembered.append(knownTargets)
        case .rememberBounces(let limiter): kept.append((now - begun, limiter))
        case .report(.cycle(let cycle)): cycles.append(cycle)
        case .report(.step(let step)): steps.append(step)
        case .report(.watching): break
        case .finish(let outcome): self.outcome = outcome
        }
    }

    private mutating func restore(puttingBack: Bool) {
        if puttingBack { putBack.append(now - begun) } else { compared.append(now - begun) }
        guard let missing else { return later(.restored(restoration)) }
        let duration = now - begun - (raised.last ?? .zero)
        later(.restored(Restoration(lost: missing(duration), lacksNameServers: lacksNameServers(duration))))
    }

    private mutating func ask(_ request: ProbeRequest) {
        questions.append(request.question)
        devices.insert(request.device)
        guard mayProbe else { return later(.probeFinished(request.id, Sample.blocked)) }
        if gatewayAnswers, let gateway = gateways.first(where: { request.question == .icmp(.address($0)) }),
            let echo = echoes[gateway]
        {
            let duration = echo == Sample.silent ? request.timeout : Self.kernelLatency
            return later(.probeFinished(request.id, echo), after: duration)
        }
        let isGateways = gateways.contains { request.question.isAsked(of: $0) }
        gatewayAnswers && (isGateways || targetAnswers) && !isLost()
            ? later(
                .probeFinished(request.id, .answered(roundTrip: roundTrip, detail: "reachable")),
                after: roundTrip)
            : later(.probeFinished(request.id, Sample.silent), after: request.timeout)
    }

    private mutating func perform(_ method: Model.Method) {
        tried.append(method)
        if let failure = refused[method] { return later(.performingFailed(failure)) }
        // The machine goes down, so no answer comes.
        if method == .reboot { return }
        associatedSince = now + Self.associationLatency
        onMethod(&self, method)
        later(.performed)
    }

    private mutating func lower(_ method: Model.Method) {
        tried.append(method)
        if let failure = refused[method] ?? loweringFailure { return later(.linkLoweringFailed(failure)) }
        isUp = false
        lowered.append(now - begun)
        later(.linkLowered)
    }

    private mutating func connect(after duration: Duration) {
        associatedSince = now + duration
        later(.linkChanged(Sample.link(port: port)), after: duration)
    }

    private mutating func raise(_ method: Model.Method) {
        if let raisingFailure { return later(.linkRaisingFailed(raisingFailure)) }
        (isUp, isThere, loss) = (true, true, nil)
        raised.append(now - begun)
        onRaise(&self)
        onMethod(&self, method)
        later(.linkRaised)
        guard isUp else { return later(.linkChanged(link), after: Self.associationLatency) }
        connect(after: scan == nil ? Self.associationLatency : Self.sweep)
        if let scan { later(.scanBegun(scan), after: Self.kernelLatency * 2) }
    }
}

extension Duration {
    /// Rounded to the nearest second.
    var wholeSeconds: Int { Int((milliseconds / 1000).rounded()) }
}

extension ProbeRequest.Question {
    fileprivate func isAsked(of gateway: IPAddress) -> Bool {
        self == .neighbour(gateway) || self == .icmp(.address(gateway))
    }
}
