import Testing

@testable import Model
@testable import Toggling

/// Random walks with every kind of event, judged by the referee. If a walk breaks a rule, its seed is
/// printed, with which it can be repeated.
@Suite("Random walks through the state machine") struct RandomWalkTests {
    @Test("the invariants hold over 200,000 random events", arguments: RunMode.allCases)
    func walk(runMode: RunMode) async {
        let walks = 125
        let steps = 400
        for number in 0..<walks {
            var walk = RandomWalk(runMode: runMode, seed: UInt64(number) &* 7919 &+ 17)
            walk.run(steps: steps)
            await Task.yield()  // tests that depend on time run at the same time
            #expect(
                walk.violations.isEmpty,
                "\(runMode), seed \(walk.seed): \(walk.violations.joined(separator: "; "))\n\(walk.trace)"
            )
            if !walk.violations.isEmpty { return }
        }
    }

    @Test("the walks reach every state", arguments: [RunMode.watch])
    func coverage(runMode: RunMode) async {
        var seen: Set<String> = []
        for number in 0..<100 {
            var walk = RandomWalk(runMode: runMode, seed: UInt64(number))
            walk.run(steps: 400)
            seen.formUnion(walk.states)
            await Task.yield()
        }
        let all: Set = [
            "absent", "waiting", "checking", "preparing", "performing", "arming", "lowering", "keeping down",
            "raising",
            "awaiting link", "awaiting owner", "restoring", "verifying", "pausing", "comparing", "finished",
        ]
        #expect(seen == all)
    }
}

/// One random walk with its referee.
struct RandomWalk {
    let seed: UInt64
    private(set) var violations: [String] = []
    private(set) var states: Set<String> = []
    private(set) var edges: Set<Edge> = []
    private var log: [(at: Instant, event: Event, state: String, effects: [Effect])] = []
    private var random: SplitMix64
    private var world: RefereedWorld
    private let settings: Settings

    /// The last forty events, one line each.
    var trace: String {
        log.suffix(40).map { instant in
            let effects = instant.effects.map { Self.short($0) }.joined(separator: ", ")
            return
                "\(instant.at.nanoseconds / 1_000_000) \(Self.short(instant.event)) → \(instant.state): \(effects)"
        }.joined(separator: "\n")
    }

    private static func short(_ value: Any) -> String { String("\(value)".prefix(90)) }

    init(runMode: RunMode, seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(state: seed)
        var settings = Settings()
        settings.isForced = random.number(below: 5) == 0
        settings.delay = [.zero, .seconds(3), .seconds(60)][Int(random.number(below: 3))]
        settings.settle = [.zero, .seconds(5), .seconds(30)][Int(random.number(below: 3))]
        settings.fall = Int(random.number(below: 3)) + 1
        settings.rise = Int(random.number(below: 2)) + 1
        settings.isDryRun = random.number(below: 10) == 0
        settings.budget = Int(random.number(below: 4)) + 1
        settings.dailyBudget = Int(random.number(below: 8)) + 1
        settings.probes =
            [
                [ProbeSpec(.auto)], [ProbeSpec(.none)],
                [ProbeSpec(.icmp(nil), isRequired: true), ProbeSpec(.neighbour(nil))],
                [ProbeSpec(.tcp(.name("example.net"), port: 80))],
                [ProbeSpec(.auto), ProbeSpec(.icmp(.address(.v4(1))), isRequired: true)],
                [
                    ProbeSpec(.dns(name: "example.net", server: nil)),
                    ProbeSpec(.http(HTTPQuestion(url: "http://example.net/")), isRequired: true),
                    ProbeSpec(.command(path: "/check")),
                ],
                [ProbeSpec(.auto), ProbeSpec(.neighbour(.v4(1))), ProbeSpec(.command(path: "/check"))],
                [ProbeSpec(.auto), ProbeSpec(.dns(name: "example.net", server: .v4(0x7f00_0035)))],
            ][Int(random.number(below: 8))]
        settings.powerSave = [PowerSave.off, .auto, .leave, .leave][Int(random.number(below: 4))]
        settings.announces = random.number(below: 3) == 0
        settings.fastReconnects = random.number(below: 4) > 0
        settings.quorum = Int(random.number(below: 3)) + 1
        if random.number(below: 2) == 0 {
            settings.methods = Method.allCases.filter { _ in random.number(below: 2) == 0 }
            if settings.methods.isEmpty { settings.methods = [.bounce] }
        } else if random.number(below: 2) == 0 {
            settings.methods = [.bounce]
        } else if random.number(below: 2) == 0 {
            settings.methodsBesideAuto = [.rfkill, .reset, .hook, .reboot].filter { _ in
                random.number(below: 2) == 0
            }
        }
        if seed % 5 == 2 { settings.bouncedLayers = [.association, .address, .gateway, .dns] }
        settings.rebootAfter = [.seconds(60), .seconds(900)][Int(random.number(below: 2))]
        if Self.isDead(seed) {
            if !settings.methods.isEmpty { settings.methods = [.bounce, .reboot] }
            (settings.methodsBesideAuto, settings.rebootAfter) = ([.reboot], .seconds(60))
            (settings.isForced, settings.isDryRun) = (false, false)
        }
        settings.degradedLoss = [0, 20, 90][Int(random.number(below: 3))]
        settings.degradedLatency = [.zero, .milliseconds(500)][Int(random.number(below: 2))]
        self.settings = settings
        let limiter = Self.limiter(&random, backoff: settings.backoff)
        self.random = random
        world = RefereedWorld(
            runMode: runMode, settings: settings, seed: seed, limiter: limiter,
            hasEchoed: runMode == .watch && seed % 3 == 0, isSilent: runMode == .watch && seed % 3 < 2)
    }

    /// Whether the device refuses nearly all raises, so that only a reboot is left.
    private static func isDead(_ seed: UInt64) -> Bool { seed % 16 == 5 }

    /// A limiter's state that an earlier run may have saved, also with times of a wrong clock.
    private static func limiter(_ random: inout SplitMix64, backoff: Duration) -> BounceLimiter.Saved {
        let count = Int(random.number(below: 5))
        let last = Instant.seconds(100 - Double(random.number(below: 7200)))
        let bounces = (0..<count).map { last + .seconds(-300 * Int64($0)) }
        switch random.number(below: 3) {
        case 0: return BounceLimiter.Saved()
        case 1 where last < .seconds(100 - 600): return BounceLimiter.Saved(bounces: bounces)
        default:
            return BounceLimiter.Saved(
                bounces: bounces, bouncesInOutage: count,
                earliest: last + backoff * Int64(1 + random.number(below: 1 << 20)),
                healthySince: random.number(below: 2) == 0 ? last + .seconds(30) : nil,
                useless: Int(random.number(below: 5)), network: Network(Sample.kernelState()))
        }
    }

    mutating func run(steps: Int) {
        make(.announce(.started(isPresent: random.number(below: 10) > 0)))
        for _ in 0..<steps where violations.isEmpty { step() }
        if violations.isEmpty { windDown() }
    }

    /// Ends the walk with a termination, after which the toggler must finish, with the link up.
    private mutating func windDown() {
        make(.announce(.terminationRequested))
        for _ in 0..<200 where !world.referee.termination.isFinished && violations.isEmpty {
            if let next = world.answerable.first { answer(next, kindly: true) } else { fireNearestDeadline() }
        }
        if !world.referee.termination.isFinished {
            violations.append("a termination did not end it: \(world.toggler.state.name)")
        }
    }

    private mutating func step() {
        let answerable = world.answerable
        switch random.number(below: 10) {
        case 0..<5 where !answerable.isEmpty: answer(pick(answerable), kindly: false)
        case 5..<8 where !world.deadlines.isEmpty: fireNearestDeadline()
        default: announce()
        }
    }

    private mutating func fireNearestDeadline() {
        if let nearest = world.reachableDeadlines.first { make(nearest) }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int(random.number(below: UInt64(values.count)))]
    }

    private mutating func randomKernelState() -> KernelState {
        let isUp = random.number(below: 8) > 0
        let state: OperationalState = pick([.up, .up, .up, .down, .dormant])
        return Sample.kernelState(
            radio: random.number(below: 12) == 0 ? .soft : .none,
            link: Sample.link(isUp: isUp, state: state, carrier: state != .down),
            association: state == .down ? nil : Sample.association,
            gateways: random.number(below: 5) == 0
                ? [] : [Gateway(address: Sample.gateway, neighbour: Neighbour(state: .stale))],
            heard: state == .down ? pick([[], [Sample.stranger], [Sample.stranger, Sample.own]]) : [],
            administrativeHold: random.number(below: 12) == 0 ? .untilReleased : nil,
            quietUntil: random.number(below: 12) == 0 ? .seconds(1e9) : nil)
    }

    private mutating func announce() {
        let duration = Duration.milliseconds(Int64(random.number(below: 3000)))
        let link = Sample.link(isUp: random.number(below: 2) == 0)
        let failure = Failure(kind: pick(Failure.Kind.allCases), description: "stale")
        let event = pick([
            Event.linkChanged(link), .linkChanged(link), .linkAppeared(link), .linkAppeared(link),
            .linkRemoved, .radioChanged(pick(RadioBlock.allCases)), .disconnected(nil),
            .disconnected(Sample.leave), .joinAttempted,
            .resumed(slept: pick([nil, .seconds(1), .seconds(3600)])), .addressingChanged, .addressingLost,
            .scanFinished, .scanBegun(Sample.sweep), .scanBegun(Scan(frequencies: [2412])),
            .monitorOverran, .cycleRequested, .bounceRequested(delay: pick([nil, .zero, .seconds(60)])),
            .reconfigured(settings), .guardLost, .linkAppeared(link),
            // These answers are not awaited.
            .kernelStateRead(-1, randomKernelState()), .kernelStateFailed(-1, failure),
            .probeFinished(-1, Sample.answered),
        ])
        make(.announce(event, after: duration))
    }

    private mutating func answer(_ position: Int, kindly: Bool) {
        let duration = Duration.milliseconds(Int64(random.number(below: 50)))
        let fails = !kindly && random.number(below: 6) == 0
        let failure = Failure(kind: pick(Failure.Kind.allCases), description: "on purpose")
        guard let event = event(answering: world.open[position], failure: fails ? failure : nil) else {
            return
        }
        make(.answer(position, event, after: duration))
    }

    private mutating func event(answering effect: Effect, failure: Failure?) -> Event? {
        switch effect {
        case .kernelState(let number, let details) where !details.lossOfInterface:
            var kernelState = randomKernelState()
            if details.ownerCondition || random.number(below: 20) == 0 {
                let kinds: [OwnerCondition.Kind?] = [nil, nil, nil, .gaveUp, .toldToDisconnect, .hung, .dead]
                let owner: Owner = details.failedLookup == nil ? .networkManager : .resolved
                kernelState.ownerCondition = kinds[Int(random.number(below: 7))].map {
                    OwnerCondition(owner, owner == .resolved && $0 != .dead ? .hung : $0)
                }
            }
            if details.ownerCondition && details.failedLookup == nil || random.number(below: 20) == 0 {
                kernelState.radioCondition = pick([nil, nil, .crashed, .refusesScans(.badExchange)])
            }
            // The kernel closes a link by setting it down.
            if !kernelState.link.isUp, random.number(below: 2) == 0 { kernelState.radioCondition = .closed }
            if details.logins { kernelState.logins = random.number(below: 4) == 0 ? [Sample.login] : [] }
            if let duration = details.livenessWithin {
                let sign = Liveness(
                    peer: pick([Sample.neighbour, Sample.gateway]), manner: pick(Liveness.Manner.allCases),
                    heard: pick([.zero, duration, duration + .nanoseconds(1)]))
                kernelState.liveness = random.number(below: 2) == 0 ? [sign] : []
            }
            if details.rebootState {
                kernelState.rebootState = RebootState(
                    reboots: pick([[], [world.now + .seconds(-3600)], [world.now + .seconds(-86400)]]),
                    user: pick([nil, nil, "alice"]), isRecordable: random.number(below: 5) > 0)
            }
            if details.powerSave { kernelState.savesPower = random.number(below: 3) > 0 }
            return failure.map { .kernelStateFailed(number, $0) } ?? .kernelStateRead(number, kernelState)
        case .kernelState(let number, let details):
            let gone = Failure(kind: .noSuchDevice, description: "gone")
            if random.number(below: 8) == 0 { return .kernelStateRead(number, randomKernelState()) }
            let isHeld = random.number(below: 8) == 0
            var lost = Sample.lost(administrativeHold: isHeld ? .untilReleased : nil)
            if details.rebootState {
                lost.rebootState = RebootState(isRecordable: random.number(below: 5) > 0)
            }
            return random.number(below: 4) == 0
                ? .kernelStateFailed(number, failure ?? gone) : .kernelStateRead(number, lost)
        case .startProbe(let request):
            let slow = ProbeResult.answered(roundTrip: .milliseconds(900), detail: "late")
            let portal = ProbeResult.refuted(layer: .portal, roundTrip: .milliseconds(3), detail: "log in")
            let results = [
                Sample.answered, slow, Sample.silent, Sample.silent, Sample.silent, Sample.blocked, portal,
            ]
            return .probeFinished(request.id, pick(results))
        case .takeSnapshot:
            let item = Snapshot.Item(
                kind: .route, message: [1], description: "default",
                isAdministrators: random.number(below: 2) == 0,
                configSource: .provided)
            let snapshot = Snapshot(
                items: [item], addressOwner: pick([nil, .networkManager, .iwd, .dhclient] as [Owner?]),
                scanOwner: pick([nil, .supplicant, .networkManager] as [Owner?]))
            return failure.map { .snapshotFailed($0) } ?? .snapshotTaken(snapshot)
        case .takeBaseline:
            let item = Snapshot.Item(
                kind: .route, message: [1], description: "kept", isAdministrators: random.number(below: 4) > 0
            )
            let addressOwner = pick([nil, .iwd] as [Owner?])
            let own = Snapshot.Item(
                kind: .address, message: [2], description: "own", isAdministrators: false,
                configSource: .provided)
            let snapshot = Snapshot(
                items: addressOwner == nil ? [item] : [own, item], addressOwner: addressOwner)
            return .baselineTaken(failure == nil ? snapshot : nil)
        case .directedScan: return .directedScanDone(failure)
        case .abortScan: return .scanAborted(heard: failure == nil ? duration(below: 30) : nil)
        case .armGuard: return failure.map { .guardFailed($0) } ?? .guardArmed
        case .perform: return failure.map { .performingFailed($0) } ?? .performed
        case .lowerLink: return failure.map { .linkLoweringFailed($0) } ?? .linkLowered
        case .raiseLink where Self.isDead(seed) && random.number(below: 32) > 0:
            return .linkRaisingFailed(Failure(kind: .other, code: 5, description: "EIO"))
        // In every fourth walk, a bounce leaves the device dead.
        case .raiseLink(.bounce) where seed % 4 == 1 && random.number(below: 8) > 0:
            return .linkRaisingFailed(Failure(kind: .other, code: 5, description: "EIO"))
        case .raiseLink: return failure.map { .linkRaisingFailed($0) } ?? .linkRaised
        case .restore(let snapshot, _):
            let lost = random.number(below: 3) == 0 ? ["default"] : []
            let refused = snapshot.items.filter {
                lost.contains($0.description) && snapshot.isOurs($0) && random.number(below: 2) == 0
            }
            return .restored(
                Restoration(
                    lost: lost,
                    refused: refused.map {
                        Restoration.Refused(
                            description: $0.description, failure: Failure(kind: .other, description: "no"))
                    }))
        case .cancelProbe, .tellGuard, .disarmGuard, .resolveNeighbours, .switchPowerSaveOff, .announce,
            .stopPerforming,
            .arm,
            .disarm,
            .remember,
            .rememberBounces, .report, .finish:
            return nil
        }
    }

    private mutating func duration(below seconds: UInt64) -> Duration {
        .seconds(Int64(random.number(below: seconds)))
    }

    private mutating func make(_ move: RefereedWorld.Move) {
        let before = world.toggler.state.name
        let consequence = world.make(move)
        violations += consequence.violations
        states.insert(world.toggler.state.name)
        if consequence.told.count == 1, before != world.toggler.state.name {
            edges.insert(Edge(from: before, to: world.toggler.state.name))
        }
        for (event, effects) in consequence.told {
            log.append((world.now, event, world.toggler.state.name, effects))
        }
    }
}
