import Glibc
import Testing

@testable import Model
@testable import Toggling

/// Explores all sequences of events up to a number of moves. The referee judges each move. `contrib/model`
/// explores further.
@Suite("Exhaustive model of the state machine") struct ModelTests {
    /// The number of moves for every model; nil: each model's default.
    private static let depth = number("WIFI_TOGGLER_MODEL_DEPTH")

    static let models: [ExploredModel] = [
        ExploredModel("watch", .watch, depth: 6) {
            $0.makeShort()
        } reconfigured: {
            $0.isDryRun = true
        },
        ExploredModel("watch, at once", .watch, depth: 7, isPlain: true) {
            $0.makeRepeated()
        } reconfigured: {
            $0.interval = .seconds(90)
        },
        ExploredModel("watch, budget", .watch, depth: 7, isPlain: true) {
            $0.makeRepeated()
            $0.budget = 1
        },
        ExploredModel("watch, asked for", .watch, depth: 6, isPlain: true, isAsked: true) {
            $0.makeRepeated()
        },
        ExploredModel("watch, second verdict", .watch, depth: 6, isPlain: true) {
            $0.makeShort()
            $0.fall = 2
        },
        ExploredModel("watch, degraded", .watch, depth: 6, isPlain: true, window: Sample.degradedWindow) {
            $0.makeShort()
            $0.degradedLoss = 20
            $0.degradedLatency = .milliseconds(500)
        },
        ExploredModel("watch, silence", .watch, depth: 7, isPlain: true, hasEchoed: true) {
            $0.makeShort()
            $0.delay = .zero
        },
        ExploredModel("watch, silence of a stranger", .watch, depth: 6, isPlain: true, hasEchoed: false) {
            $0.makeShort()
        },
        ExploredModel("watch, forced", .watch, depth: 7) {
            $0.makeShort()
            $0.isForced = true
        } reconfigured: {
            $0.isForced = false
            $0.settle = .zero
        },
        ExploredModel("watch, dry run", .watch, depth: 6) {
            $0.makeShort()
            $0.isDryRun = true
        },
        ExploredModel("toggle", .toggle, depth: 11) { $0.settle = .seconds(5) },
        ExploredModel("toggle, address owner", .toggle, depth: 10, isKept: true) {
            $0.probes = [ProbeSpec(.none)]
            $0.delay = .zero
            $0.settle = .seconds(5)
        },
        ExploredModel("toggle, fast reconnect", .toggle, depth: 10, isScanned: true) {
            $0.probes = [ProbeSpec(.none)]
            $0.delay = .zero
            $0.settle = .seconds(5)
        },
        ExploredModel("toggle, restore no", .toggle, depth: 12) {
            $0.delay = .zero
            $0.settle = .zero
            $0.restores = false
        },
        ExploredModel("watch, ladder", .watch, depth: 7, isPlain: true) {
            $0.makeRepeated()
            $0.methods = [.reassociate, .rfkill]
        },
        ExploredModel("toggle, ladder", .toggle, depth: 11, isPlain: true) {
            $0.probes = [ProbeSpec(.none)]
            $0.delay = .zero
            $0.settle = .seconds(5)
            $0.methods = [.reassociate, .bounce, .hook]
        },
        ExploredModel("toggle, owner", .toggle, depth: 8) {
            $0.probes = [ProbeSpec(.none)]
            $0.delay = .zero
            $0.settle = .seconds(5)
            $0.methods = [.owner, .bounce]
        },
        ExploredModel("toggle, reset", .toggle, depth: 9) {
            $0.delay = .zero
            $0.settle = .zero
            $0.methods = [.reset]
        },
        ExploredModel("reconnect", .reconnect, depth: 11) {
            $0.settle = .seconds(5)
            $0.fall = 2
        },
        ExploredModel("probe", .probe, depth: 20) { $0.fall = 1 },
    ]

    @Test("no sequence of this many events breaks an invariant", arguments: models)
    func exploration(model: ExploredModel) async {
        var exploration = Exploration(model)
        let begun = ContinuousClock.now
        var seconds: Int { Int((ContinuousClock.now - begun).components.seconds) }
        while exploration.layers.count < Self.depth ?? model.depth, exploration.violation == nil,
            !exploration.isComplete
        {
            await exploration.deepen()
            if Self.depth != nil, let layer = exploration.layers.last {
                print(
                    "\(model.name): depth \(layer.depth): \(layer.states) new states,",
                    "\(layer.transitions) transitions, \(seconds) s so far")
            }
        }
        let end = exploration.isComplete ? "all there are" : "depth \(exploration.layers.count)"
        print(
            "\(model.name): \(exploration.states) states (\(end)), \(exploration.transitions) transitions,",
            "\(seconds) s")
        #expect(exploration.violation == nil, "\(model.name): \(exploration.violation ?? "")")
        let undrawn = exploration.edges.subtracting((try? Edge.drawn()) ?? [])
        #expect(undrawn.isEmpty, "\(model.name): not in the diagram of TogglerState: \(undrawn)")
    }

    @Test("every state is tested with every notification, and with every answer that it awaits")
    func coverage() async {
        var met: Set<Exploration.Meeting> = []
        let models = [
            ExploredModel("watch, at once", .watch, depth: 6) { $0.probes = [ProbeSpec(.none)] },
            ExploredModel("toggle, held", .toggle, depth: 7) { _ in },
            ExploredModel("toggle, settling", .toggle, depth: 11) {
                $0.delay = .zero
                $0.settle = .seconds(5)
            },
            ExploredModel("toggle, address owner", .toggle, depth: 9, isKept: true) {
                $0.delay = .zero
                $0.settle = .seconds(5)
            },
            ExploredModel("toggle, fast reconnect", .toggle, depth: 9, isScanned: true) {
                $0.probes = [ProbeSpec(.none)]
                $0.delay = .zero
                $0.settle = .seconds(5)
            },
            ExploredModel("reconnect", .reconnect, depth: 8) { $0.fall = 2 },
            ExploredModel("toggle, hook", .toggle, depth: 7) { $0.methods = [.hook] },
        ]
        for model in models {
            var exploration = Exploration(model)
            for _ in 0..<model.depth { await exploration.deepen() }
            met.formUnion(exploration.meetings)
        }
        let announced = Self.states.flatMap { state in
            ExploredModel.announcements.map { Exploration.Meeting(state: state, event: $0.kind) }
        }
        let missing = Set(announced + Self.answers).subtracting(met)
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test("the transitions are exactly those of the diagram of TogglerState")
    func diagram() async throws {
        var walked: Set<Edge> = []
        for runMode in RunMode.allCases {
            for life in 0..<4000 {
                var walk = RandomWalk(runMode: runMode, seed: UInt64(life) &* 7919 &+ 17)
                walk.run(steps: 400)
                #expect(walk.violations.isEmpty, "seed \(walk.seed): \(walk.violations)")
                walked.formUnion(walk.edges)
                await Task.yield()
            }
        }
        let drawn = try Edge.drawn()
        #expect(walked.subtracting(drawn).isEmpty, "not drawn: \(walked.subtracting(drawn))")
        #expect(drawn.subtracting(walked).isEmpty, "drawn, and never walked: \(drawn.subtracting(walked))")
    }

    private static let states = [
        "absent", "waiting", "checking", "preparing", "performing", "arming", "lowering", "keeping down",
        "raising", "awaiting link", "awaiting owner", "restoring", "verifying", "pausing", "comparing",
        "finished",
    ]

    private static let answers: [Exploration.Meeting] = [
        ("waiting", ["nextCheck reached"]),
        ("checking", ["kernel state read", "kernel state failed", "probe finished", "probes reached"]),
        ("preparing", ["snapshot taken", "snapshot failed", "directed scan done", "retry reached"]),
        ("performing", ["performed", "performing failed"]),
        ("arming", ["guard armed", "guard failed"]),
        ("lowering", ["link lowered", "link lowering failed"]),
        ("keeping down", ["keepDown reached", "kernel state read", "kernel state failed"]),
        ("raising", ["link raised", "link raising failed", "retry reached"]),
        (
            "awaiting link",
            ["kernel state read", "kernel state failed", "retry reached", "settle reached", "scan aborted"]
        ),
        ("awaiting owner", ["restored", "retry reached", "settle reached"]),
        ("restoring", ["restored", "settle reached"]),
        (
            "verifying",
            [
                "kernel state read", "kernel state failed", "probe finished", "probes reached",
                "settle reached",
            ]
        ),
        ("pausing", ["retry reached", "settle reached"]),
        ("comparing", ["restored", "retry reached"]),
    ].flatMap { state, events in events.map { Exploration.Meeting(state: state, event: $0) } }

    private static func number(_ variable: String) -> Int? {
        getenv(variable).flatMap { Int(String(cString: $0)) }
    }
}

extension Settings {
    /// Reduces repetitions, so that a whole outage takes few moves.
    fileprivate mutating func makeShort() {
        fall = 1
        rise = 1
        settle = .seconds(5)
        budget = 2
        // Otherwise the recorded results of probes would distinguish worlds that are equal in all else.
        degradedLoss = 0
        degradedLatency = .zero
    }

    /// Makes a bounce take few moves, and lets the next bounce follow at the next tick.
    fileprivate mutating func makeRepeated() {
        makeShort()
        delay = .zero
        settle = .zero
        probes = [ProbeSpec(.none)]
        backoff = .seconds(30)
    }
}
