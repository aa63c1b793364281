@testable import Model
@testable import Toggling

/// Visits every world of a model that a given number of moves can reach, each once, the nearest first.
struct Exploration {
    /// The result of one more move from the worlds of the previous layer.
    struct Layer {
        var depth: Int
        /// The number of worlds that no shorter path reaches.
        var states: Int
        /// The number of moves tried from the worlds of the previous layer.
        var transitions: Int
    }

    /// An event that was handled in a state.
    struct Meeting: Hashable {
        var state: String
        var event: String
    }

    let model: ExploredModel
    private(set) var layers: [Layer] = []
    private(set) var meetings: Set<Meeting> = []
    private(set) var edges: Set<Edge> = []
    /// The first broken rule, with the shortest path to it; nil: no rule was broken.
    private(set) var violation: String?
    /// Whether every state has been reached: a greater depth finds nothing new.
    private(set) var isComplete = false

    private var known: Set<WorldKey> = []
    private var frontier: [(node: Int, world: RefereedWorld)] = []
    /// For each world, the world and the move from which it was reached first, to print the path to it.
    private var parents: [(node: Int32, move: UInt16)] = []

    var states: Int { known.count }
    var transitions: Int { layers.reduce(0) { $0 + $1.transitions } }

    init(_ model: ExploredModel, seed: UInt64 = 1) {
        self.model = model
        let root = model.world(seed: seed)
        parents.append((-1, 0))
        frontier = [(0, root)]
        known.insert(WorldKey(root, variant: 0))
    }

    /// After this many worlds, other tests may run. So many worlds take only some milliseconds.
    private static let stride = 25

    /// Explores one move further, until a rule is broken.
    mutating func deepen() async {
        let from = frontier
        frontier = []
        var transitions = 0
        for (count, (node, world)) in from.enumerated() where violation == nil {
            if count % Self.stride == 0 { await Task.yield() }
            let moves = moves(of: world, node)
            transitions += moves.count
            for (number, move) in moves.enumerated() where violation == nil {
                follow(move, number, from: world, node)
            }
        }
        layers.append(Layer(depth: layers.count + 1, states: frontier.count, transitions: transitions))
        isComplete = frontier.isEmpty && violation == nil
    }

    private func moves(of world: RefereedWorld, _ node: Int) -> [RefereedWorld.Move] {
        node == 0 ? model.beginnings : model.moves(of: world)
    }

    private mutating func follow(
        _ move: RefereedWorld.Move, _ number: Int, from world: RefereedWorld, _ node: Int
    ) {
        var next = world
        let consequence = next.make(move)
        for (event, _) in consequence.told {
            meetings.insert(Meeting(state: world.toggler.state.name, event: event.kind))
        }
        if consequence.told.count == 1 {
            let edge = Edge(from: world.toggler.state.name, to: next.toggler.state.name)
            if edge.from != edge.to { edges.insert(edge) }
        }
        if !consequence.violations.isEmpty {
            violation =
                consequence.violations.joined(separator: "; ") + "\n" + path(to: node, then: number)
            return
        }
        guard next != world, known.insert(WorldKey(next, variant: model.variant(of: next))).inserted else {
            return
        }
        parents.append((Int32(node), UInt16(number)))
        frontier.append((parents.count - 1, next))
    }

    /// The path to a world and one move further, with one line per event.
    private func path(to node: Int, then last: Int) -> String {
        var numbers = [last]
        var node = node
        while node != 0 {
            numbers.append(Int(parents[node].move))
            node = Int(parents[node].node)
        }
        var world = model.world(seed: 1)
        var lines: [String] = []
        for (step, number) in numbers.reversed().enumerated() {
            let move = moves(of: world, step)[number]
            let told = world.make(move).told
            lines += told.map { "\(world.clock) \(Self.line($0.event, $0.effects, world.toggler.state))" }
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ event: Event, _ effects: [Effect], _ state: TogglerState) -> String {
        let orders = effects.map { String("\($0)".prefix(60)) }.joined(separator: ", ")
        return "\("\(event)".prefix(120)) → \(state.name): \(orders)"
    }
}

extension RefereedWorld {
    /// The time in milliseconds, for the lines of a path.
    fileprivate var clock: String { "\(now.nanoseconds / 1_000_000) ms" }
}

extension Event {
    /// The name of the case.
    var kind: String {
        switch self {
        case .started: "started"
        case .deadlineReached(let deadline): "\(deadline) reached"
        case .kernelStateRead: "kernel state read"
        case .kernelStateFailed: "kernel state failed"
        case .probeFinished: "probe finished"
        case .snapshotTaken: "snapshot taken"
        case .snapshotFailed: "snapshot failed"
        case .baselineTaken: "baseline taken"
        case .guardArmed: "guard armed"
        case .guardFailed: "guard failed"
        case .guardLost: "guard lost"
        case .linkLowered: "link lowered"
        case .linkLoweringFailed: "link lowering failed"
        case .linkRaised: "link raised"
        case .linkRaisingFailed: "link raising failed"
        case .performed: "performed"
        case .performingFailed: "performing failed"
        case .restored: "restored"
        case .linkChanged: "link changed"
        case .linkAppeared: "link appeared"
        case .linkRemoved: "link removed"
        case .radioChanged: "radio changed"
        case .disconnected: "disconnected"
        case .joinAttempted: "join attempted"
        case .resumed: "resumed"
        case .addressingChanged: "addressing changed"
        case .addressingLost: "addressing lost"
        case .scanBegun: "scan begun"
        case .scanFinished: "scan finished"
        case .scanAborted: "scan aborted"
        case .directedScanDone: "directed scan done"
        case .monitorOverran: "monitor overran"
        case .cycleRequested: "cycle requested"
        case .bounceRequested: "bounce requested"
        case .reconfigured: "reconfigured"
        case .terminationRequested: "termination requested"
        }
    }
}
