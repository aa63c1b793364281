@testable import Toggling

/// A link on a virtual clock: carries out the effects of one toggler and tells it what follows. Stories set
/// its properties and let time pass.
struct VirtualWorld {
    /// How long the kernel and the air take.
    private static let kernelLatency: Duration = .milliseconds(1)
    private static let associationLatency: Duration = .milliseconds(200)

    var isUp = true
    var radio = RadioBlock.none
    var isInTheAir = true
    var gatewayAnswers = true
    /// Whoever else is asked.
    var targetAnswers = true
    var hasAddress = true
    var gateways = [Sample.gateway]
    var ssid = Sample.association.ssid
    /// MHz.
    var frequency = Sample.association.frequency
    /// What the kernel tells of the age of the association; nil: nothing.
    var connected: Duration?
    var mayProbe = true
    var roundTrip: Duration = .milliseconds(3)
    /// Whether a probe is lost on its way; asked for each one.
    var isLost: () -> Bool = { false }
    /// nil: the driver does not tell.
    var savesPower: Bool?
    private(set) var questionsForPowerSave = 0
    var quietUntil: Instant?
    /// Who is logged in over the link.
    var logins: [Login] = []
    private(set) var questionsForLogins = 0
    /// Who sends all the time, whatever becomes of the gateway.
    var life: [SignOfLife] = []
    /// When somebody on the link was heard who sent once.
    var heardAt: Instant?
    private(set) var questionsForLife = 0
    /// What is heard whenever the station is not associated; nobody scans at first.
    var heard: [HeardNetwork] = []
    var inhibition: Inhibition?
    var loweringFailure: Failure?
    var raisingFailure: Failure?
    /// Methods that are refused, or not there.
    var refused: [Toggling.Method: Failure] = [:]
    /// What was tried, in its order, done or not.
    private(set) var tried: [Toggling.Method] = []
    /// What a method mends once it is done.
    var onMethod: (inout VirtualWorld, Toggling.Method) -> Void = { _, _ in }
    private(set) var stopped = 0
    /// What a fresh association mends.
    var onRaise: (inout VirtualWorld) -> Void = { _ in }
    /// dBm; nil: the driver does not tell.
    var signal: Int8? = Sample.association.station.signal
    /// What its owner scans as soon as the link is up; nil: nothing, it knows where to look.
    var scan: Scan?
    /// How long a whole scan takes; the owner connects when it is over.
    static let sweep: Duration = .seconds(4)
    /// What is answered to `listen` after a tenth of a second; nil: nothing.
    var hearing: Event? = .listened(nil)
    /// So long ago the kernel has heard the access point when a scan is to be cut short; nil: it has forgotten it.
    var heardAgo: Duration? = .seconds(3)
    private(set) var listened: [AccessPoint] = []
    private(set) var cut: [AccessPoint] = []
    /// For whom the kernel was made to ask again.
    private(set) var askedAgain: [[IPAddress]] = []
    var snapshot = Snapshot()
    var restoration = Restoration()
    /// What is missing so long after the raise; nil: it is as `restoration` says.
    var missing: ((Duration) -> [String])?
    /// Whether its name servers are away so long after the raise.
    var lacksNameServers: (Duration) -> Bool = { _ in false }
    /// When what the link bears was kept, since the beginning.
    private(set) var keepsakes: [Duration] = []
    var tellsOfBelongings = true
    /// What it was compared with, each time.
    private(set) var owed: [Snapshot] = []
    /// When the link was compared with the snapshot, and when anything was put back, since the beginning.
    private(set) var compared: [Duration] = []
    private(set) var putBack: [Duration] = []

    private(set) var now: Instant
    private(set) var begun: Instant
    private(set) var toggler: Toggler
    private(set) var deadlines: [Deadline: Instant] = [:]
    private var pending: [(at: Instant, event: Event)] = []
    private var associatedSince: Instant?
    /// A guard stands.
    private(set) var isGuarded = false
    /// When the link was lowered and raised, since the beginning.
    private(set) var lowered: [Duration] = []
    private(set) var raised: [Duration] = []
    private(set) var looks: [Duration] = []
    private(set) var questions: [ProbeRequest.Question] = []
    private(set) var cycles: [CycleReport] = []
    private(set) var steps: [Report.Step] = []
    private(set) var remembered: [Acquaintances] = []
    /// What was kept for later runs, and when, since the beginning.
    private(set) var kept: [(at: Duration, memory: RestraintMemory)] = []
    private(set) var outcome: Outcome?
    /// Is told of every event and what was decided upon it.
    var recorder: (Event, Instant, [Effect]) -> Void = { _, _, _ in }

    init(
        _ mission: Mission, _ settings: Settings = Settings(), sinceBoot: Duration = .seconds(1000),
        seed: UInt64 = 1, acquaintances: Acquaintances = Acquaintances(),
        memory: RestraintMemory = RestraintMemory()
    ) {
        now = .boot + sinceBoot
        toggler = Toggler(
            mission: mission, settings: settings, seed: seed, acquaintances: acquaintances, memory: memory)
        begun = now
        associatedSince = now
    }

    mutating func start(isPresent: Bool = true) {
        begun = now
        tell(.started(isPresent: isPresent))
    }

    /// Tells the toggler at once.
    mutating func tell(_ event: Event) {
        let effects = toggler.handle(event, at: now)
        recorder(event, now, effects)
        for effect in effects { perform(effect) }
    }

    /// Lets time pass, every event and deadline at its moment.
    mutating func run(for span: Duration) {
        let end = now + span
        while let next = nextMoment, next <= end {
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

    /// The machine sleeps: time passes, nothing happens.
    mutating func sleep(for span: Duration) { now = now + span }

    mutating func advance(to settings: Settings) { tell(.reconfigured(settings)) }

    private var nextMoment: Instant? {
        [pending.map(\.at).min(), deadlines.values.min()].compactMap(\.self).min()
    }

    private var isAssociated: Bool {
        guard let associatedSince else { return false }
        return isUp && isInTheAir && now >= associatedSince
    }

    /// A survey is answered with the state at the moment of the answer.
    private func settled(_ event: Event) -> Event {
        guard case .surveyed(let number, let asked) = event else { return event }
        var survey = survey
        survey.logins = asked.logins.map { _ in logins }
        survey.life = asked.life
        survey.savesPower = asked.savesPower
        return .surveyed(number, survey)
    }

    /// The first question without an answer.
    var firstOutstanding: Int {
        if case .inquiring(let inquiry) = toggler.state { inquiry.outstanding.first ?? -1 } else { -1 }
    }

    var survey: Survey {
        Sample.survey(
            radio: radio,
            link: Sample.link(isUp: isUp, state: isAssociated ? .up : .down, carrier: isAssociated),
            association: isAssociated ? association : nil,
            addresses: hasAddress
                ? [InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)]
                : [],
            gateways: gateways.map { Gateway(address: $0, neighbour: Neighbour(state: .stale)) },
            heard: isUp && !isAssociated ? heard : [], inhibition: inhibition, quietUntil: quietUntil)
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
        case .survey(let number):
            looks.append(now - begun)
            later(.surveyed(number, survey))
        case .surveyWithLogins(let number):
            looks.append(now - begun)
            questionsForLogins += 1
            var survey = survey
            survey.logins = []
            later(.surveyed(number, survey))
        case .surveyWithLife(let number, let span):
            looks.append(now - begun)
            questionsForLogins += 1
            questionsForLife += 1
            var survey = survey
            survey.logins = []
            let once = heardAt.map {
                SignOfLife(peer: Sample.neighbour, manner: .connection, heard: now - $0)
            }
            survey.life = (life + [once].compactMap(\.self)).filter { $0.heard <= span }
            later(.surveyed(number, survey))
        case .surveyWithPowerSave(let number):
            looks.append(now - begun)
            questionsForPowerSave += 1
            var survey = survey
            survey.savesPower = savesPower
            later(.surveyed(number, survey))
        case .startProbe(let request): ask(request)
        case .cancelProbe(let id):
            pending.removeAll { if case .probeFinished(id, _) = $0.event { true } else { false } }
        case .takeSnapshot: later(.snapshotTaken(snapshot))
        case .takeKeepsake:
            keepsakes.append(now - begun)
            later(.keepsakeTaken(tellsOfBelongings ? snapshot : nil))
        case .listen(let accessPoint):
            listened.append(accessPoint)
            if let hearing { later(hearing, after: .milliseconds(100)) }
        case .cutScanShort(let accessPoint, let since):
            cut.append(accessPoint)
            let ago = heardAgo.flatMap { now + (.zero - $0) >= since ? $0 : nil }
            if ago != nil { connect(after: Self.associationLatency) }
            later(.scanCutShort(heard: ago))
        case .armGuard:
            isGuarded = true
            later(.guardArmed)
        case .tellGuard: break
        case .askAgain(let addresses): askedAgain.append(addresses)
        case .disarmGuard: isGuarded = false
        case .lowerLink(let method): lower(method)
        case .raiseLink(let method): raise(method)
        case .perform(let method): perform(method)
        case .stopPerforming:
            stopped += 1
            pending.removeAll { [.performed].contains($0.event) }
        case .restore(let snapshot, let puttingBack):
            owed.append(snapshot)
            restore(puttingBack: puttingBack)
        case .arm(let deadline, let at): deadlines[deadline] = at
        case .disarm(let deadline): deadlines[deadline] = nil
        case .remember(let acquaintances): remembered.append(acquaintances)
        case .rememberBounces(let memory): kept.append((now - begun, memory))
        case .report(.cycle(let cycle)): cycles.append(cycle)
        case .report(.step(let step)): steps.append(step)
        case .report(.watching): break
        case .finish(let outcome): self.outcome = outcome
        }
    }

    private mutating func restore(puttingBack: Bool) {
        if puttingBack { putBack.append(now - begun) } else { compared.append(now - begun) }
        guard let missing else { return later(.restored(restoration)) }
        let span = now - begun - (raised.last ?? .zero)
        later(.restored(Restoration(lost: missing(span), lacksNameServers: lacksNameServers(span))))
    }

    private mutating func ask(_ request: ProbeRequest) {
        questions.append(request.question)
        guard mayProbe else { return later(.probeFinished(request.id, Sample.blocked)) }
        let isGateways = gateways.contains { request.question.isAsked(of: $0) }
        gatewayAnswers && (isGateways || targetAnswers) && !isLost()
            ? later(
                .probeFinished(request.id, .answered(roundTrip: roundTrip, detail: "reachable")),
                after: roundTrip)
            : later(.probeFinished(request.id, Sample.silent), after: request.timeout)
    }

    private mutating func perform(_ method: Toggling.Method) {
        tried.append(method)
        if let failure = refused[method] { return later(.performingFailed(failure)) }
        associatedSince = now + Self.associationLatency
        onMethod(&self, method)
        later(.performed)
    }

    private mutating func lower(_ method: Toggling.Method) {
        tried.append(method)
        if let failure = refused[method] ?? loweringFailure { return later(.linkLoweringFailed(failure)) }
        isUp = false
        lowered.append(now - begun)
        later(.linkLowered)
    }

    private mutating func connect(after span: Duration) {
        associatedSince = now + span
        later(.linkChanged(Sample.link()), after: span)
    }

    private mutating func raise(_ method: Toggling.Method) {
        if let raisingFailure { return later(.linkRaisingFailed(raisingFailure)) }
        isUp = true
        raised.append(now - begun)
        onRaise(&self)
        onMethod(&self, method)
        later(.linkRaised)
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
