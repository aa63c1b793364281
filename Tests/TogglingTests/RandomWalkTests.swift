import Testing

@testable import Toggling

/// Random lives over the whole alphabet of events, judged by the invariants. The seed of a life that breaks
/// one is printed, and makes it again.
@Suite("Random walks") struct RandomWalkTests {
    @Test("the invariants hold over 200,000 random events", arguments: Mission.allCases)
    func walk(mission: Mission) async {
        let lives = 125
        let steps = 400
        for life in 0..<lives {
            var walk = RandomWalk(mission: mission, seed: UInt64(life) &* 7919 &+ 17)
            walk.run(steps: steps)
            await Task.yield()  // tests that watch the clock run beside this one
            #expect(
                walk.violations.isEmpty,
                "mission \(mission), seed \(walk.seed): \(walk.violations.joined(separator: "; "))\n\(walk.trace)"
            )
            if !walk.violations.isEmpty { return }
        }
    }

    @Test("the walks reach every state", arguments: [Mission.watch])
    func coverage(mission: Mission) async {
        var seen: Set<String> = []
        for life in 0..<100 {
            var walk = RandomWalk(mission: mission, seed: UInt64(life))
            walk.run(steps: 400)
            seen.formUnion(walk.states)
            await Task.yield()
        }
        let all: Set = [
            "absent", "waiting", "inquiring", "preparing", "arming", "lowering", "holding", "raising",
            "awaiting link", "restoring", "verifying", "pausing", "comparing", "finished",
        ]
        #expect(seen == all)
    }
}

/// One random life and its referee.
struct RandomWalk {
    let seed: UInt64
    private(set) var violations: [String] = []
    private(set) var states: Set<String> = []
    private var log: [(at: Instant, event: Event, state: String, effects: [Effect])] = []
    private var random: SplitMix64
    private var toggler: Toggler
    private let settings: Settings
    private let mission: Mission
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var deadlines: [Deadline: Instant] = [:]
    /// Effects that wait for their answer.
    private var open: [Effect] = []

    // The referee's own book-keeping.
    private var isLowered = false
    private var isGuarded = false
    /// Raised, and what was lost is still to be put back.
    private var isOwed = false
    private var commandsInFlight = 0
    private var mayLower = false
    private var lowerings: [Instant] = []
    private var failedRaises = 0
    private var newestSurvey = 0
    private var isFinished = false

    /// The last moments, a line an event.
    var trace: String {
        log.suffix(40).map { moment in
            let effects = moment.effects.map { Self.short($0) }.joined(separator: ", ")
            return
                "\(moment.at.nanoseconds / 1_000_000) \(Self.short(moment.event)) → \(moment.state): \(effects)"
        }.joined(separator: "\n")
    }

    private static func short(_ value: Any) -> String { String("\(value)".prefix(90)) }

    init(mission: Mission, seed: UInt64) {
        self.seed = seed
        self.mission = mission
        var random = SplitMix64(state: seed)
        var settings = Settings()
        settings.isForced = random.number(below: 5) == 0
        settings.delay = [.zero, .seconds(3), .seconds(60)][Int(random.number(below: 3))]
        settings.settle = [.zero, .seconds(5), .seconds(30)][Int(random.number(below: 3))]
        settings.fall = Int(random.number(below: 3)) + 1
        settings.rise = Int(random.number(below: 2)) + 1
        settings.isDryRun = random.number(below: 10) == 0
        settings.budget = Int(random.number(below: 4)) + 1
        settings.probes =
            [
                [ProbeSpec(.auto)], [ProbeSpec(.none)],
                [ProbeSpec(.icmp(nil), isRequired: true), ProbeSpec(.neighbour(nil))],
                [ProbeSpec(.tcp(.name("example.net"), port: 80))],
                [ProbeSpec(.auto), ProbeSpec(.icmp(.address(.v4(1))), isRequired: true)],
            ][Int(random.number(below: 5))]
        self.settings = settings
        self.random = random
        toggler = Toggler(mission: mission, settings: settings, seed: seed)
    }

    mutating func run(steps: Int) {
        deliver(.started(isPresent: random.number(below: 10) > 0))
        for _ in 0..<steps where violations.isEmpty { step() }
        if violations.isEmpty { windDown() }
    }

    /// However the life went, a termination ends it, with the link up.
    private mutating func windDown() {
        deliver(.terminationRequested)
        for _ in 0..<200 where !isFinished && violations.isEmpty {
            if open.isEmpty { fireNearestDeadline() } else { answer(open.removeFirst(), kindly: true) }
        }
        if !isFinished { violations.append("a termination did not end it: \(toggler.state.name)") }
    }

    private mutating func step() {
        switch random.number(below: 10) {
        case 0..<5 where !open.isEmpty:
            answer(open.remove(at: Int(random.number(below: UInt64(open.count)))), kindly: false)
        case 5..<8 where !deadlines.isEmpty: fireNearestDeadline()
        default: announce()
        }
    }

    private mutating func fireNearestDeadline() {
        guard let nearest = deadlines.min(by: { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }) else {
            return
        }
        now = max(now, nearest.value)
        deadlines[nearest.key] = nil
        deliver(.deadlineReached(nearest.key))
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int(random.number(below: UInt64(values.count)))]
    }

    private mutating func randomSurvey() -> Survey {
        let isUp = random.number(below: 8) > 0
        let state: OperationalState = pick([.up, .up, .up, .down, .dormant])
        return Sample.survey(
            radio: random.number(below: 12) == 0 ? .soft : .none,
            link: Sample.link(isUp: isUp, state: state, carrier: state != .down),
            association: state == .down ? nil : Sample.association,
            gateways: random.number(below: 5) == 0
                ? [] : [Gateway(address: Sample.gateway, neighbour: Neighbour(state: .stale))])
    }

    private mutating func announce() {
        now = now + .milliseconds(Int64(random.number(below: 3000)))
        let link = Sample.link(isUp: random.number(below: 2) == 0)
        let failure = Failure(kind: pick(Failure.Kind.allCases), words: "stale")
        deliver(
            pick([
                .linkChanged(link), .linkChanged(link), .linkAppeared(link), .linkAppeared(link),
                .linkRemoved,
                .radioChanged(pick(RadioBlock.allCases)), .disconnected, .surroundingsChanged,
                .monitorOverran,
                .cycleRequested, .reconfigured(settings), .guardLost, .linkAppeared(link),
                // Answers that nobody waits for.
                .surveyed(-1, randomSurvey()), .surveyFailed(-1, failure),
                .probeFinished(-1, Sample.answered),
                .deadlineReached(pick(Deadline.allCases)),
            ]))
    }

    private mutating func answer(_ effect: Effect, kindly: Bool) {
        now = now + .milliseconds(Int64(random.number(below: 50)))
        let fails = !kindly && random.number(below: 6) == 0
        let failure = Failure(kind: pick(Failure.Kind.allCases), words: "on purpose")
        switch effect {
        case .survey(let number):
            let survey = randomSurvey()
            deliver(fails ? .surveyFailed(number, failure) : .surveyed(number, survey))
        case .startProbe(let request):
            deliver(
                .probeFinished(
                    request.id,
                    pick([Sample.answered, Sample.silent, Sample.silent, Sample.silent, Sample.blocked])))
        case .takeSnapshot: deliver(fails ? .snapshotFailed(failure) : .snapshotTaken(Snapshot()))
        case .armGuard: deliver(fails ? .guardFailed(failure) : .guardArmed)
        case .lowerLink: deliver(fails ? .linkLoweringFailed(failure) : .linkLowered)
        case .raiseLink: deliver(fails ? .linkRaisingFailed(failure) : .linkRaised)
        case .restore:
            isOwed = false
            let lost = random.number(below: 3) == 0 ? ["default"] : []
            deliver(.restored(Restoration(lost: lost)))
        case .cancelProbe, .tellGuard, .disarmGuard, .arm, .disarm, .report, .finish: break
        }
    }

    // MARK: The referee

    private mutating func deliver(_ event: Event) {
        noteBefore(event)
        let effects = toggler.handle(event, at: now)
        states.insert(toggler.state.name)
        log.append((now, event, toggler.state.name, effects))
        if isFinished, !effects.isEmpty { violations.append("effects after the end: \(effects)") }
        for effect in effects { judge(effect) }
        judgeState()
    }

    private mutating func noteBefore(_ event: Event) {
        switch event {
        case .surveyed(let number, let survey) where number == newestSurvey:
            mayLower = survey.refusal(under: settings) == nil
        case .linkChanged(let link): if !link.isUp { mayLower = false }
        case .radioChanged(let block): if block != .none { mayLower = false }
        case .linkRemoved:
            mayLower = false
            isOwed = false
            isLowered = false
        case .guardArmed: isGuarded = true
        case .linkLowered: commandsInFlight -= 1
        case .linkLoweringFailed(let failure):
            commandsInFlight -= 1
            if [.notPermitted, .noSuchDevice].contains(failure.kind) { isLowered = false }
        case .linkRaised:
            commandsInFlight -= 1
            isOwed = isLowered
            isLowered = false
            failedRaises = 0
        case .linkRaisingFailed(let failure):
            commandsInFlight -= 1
            failedRaises += 1
            if failure.kind == .noSuchDevice {
                isLowered = false
                isOwed = false
            }
        case .surveyFailed(let number, let failure) where number >= 0 && failure.kind == .noSuchDevice:
            isLowered = false
            isOwed = false
        default: break
        }
    }

    private mutating func judge(_ effect: Effect) {
        switch effect {
        case .lowerLink: judgeLowering()
        case .raiseLink:
            commandsInFlight += 1
            open.append(effect)
        case .disarmGuard:
            isGuarded = false
            if isLowered { violations.append("the guard is disarmed while the link is down") }
            if isOwed { violations.append("the guard is disarmed before all was compared") }
        case .survey(let number):
            newestSurvey = number
            open.append(effect)
        case .startProbe, .takeSnapshot, .armGuard, .restore: open.append(effect)
        case .cancelProbe(let id):
            open.removeAll { if case .startProbe(let request) = $0 { request.id == id } else { false } }
        case .arm(let deadline, let at): deadlines[deadline] = at
        case .disarm(let deadline): deadlines[deadline] = nil
        case .report(.step(.bouncing(let verdict))):
            if let verdict, !verdict.canBounceHelp { violations.append("a bounce for \(verdict)") }
            if verdict == nil, mission != .toggle, !settings.isForced {
                violations.append("a bounce that nothing called for")
            }
        case .report(.step(.loweredByOther)): isOwed = false  // nothing can be put back on it
        case .report, .tellGuard: break
        case .finish:
            isFinished = true
            if isLowered, failedRaises == 0 { violations.append("ended with the link down") }
        }
    }

    private mutating func judgeLowering() {
        commandsInFlight += 1
        open.append(.lowerLink)
        if isLowered { violations.append("two bounces at once") }
        if !isGuarded { violations.append("lowered without a guard") }
        if !mayLower { violations.append("lowered what is blocked, down, or not ours") }
        if mission == .probe || settings.isDryRun { violations.append("lowered by what changes nothing") }
        if !settings.isForced, mission == .watch {
            if let last = lowerings.last, now - last < settings.backoff * 9 / 10 {
                violations.append("two bounces within the back-off: \(now - last)")
            }
            let recent = lowerings.filter { now - $0 < .seconds(3600) }
            if recent.count >= settings.budget { violations.append("more bounces than the budget") }
        }
        lowerings.append(now)
        isLowered = true
    }

    private var isSurveyOpen: Bool {
        open.contains { if case .survey = $0 { true } else { false } }
    }

    private mutating func judgeState() {
        if isLowered, !isFinished, commandsInFlight == 0 {
            let hasDeadline = deadlines[.hold] != nil || deadlines[.retry] != nil
            if !hasDeadline { violations.append("down without a deadline to raise: \(toggler.state.name)") }
            if !isGuarded { violations.append("down without a guard: \(toggler.state.name)") }
        }
        switch toggler.state {
        case .waiting where deadlines[.look] == nil: violations.append("waits for nothing")
        case .inquiring where deadlines[.inquiry] == nil && !isSurveyOpen:
            violations.append("an inquiry without an end")
        case .absent where !deadlines.isEmpty: violations.append("wakes for an absent interface")
        default: break
        }
    }
}
