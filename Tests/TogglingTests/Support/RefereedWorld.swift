@testable import Model
@testable import Toggling

/// One toggler, its pending answers, and its referee, as a value.
///
/// The kernel answers in the order of the requests, as netlink does; probes and the guard answer in any
/// order. A cancelled probe, a stopped method and a dismissed guard give no answer.
struct RefereedWorld: Hashable {
    private(set) var toggler: Toggler
    private(set) var now = Instant(nanoseconds: 100_000_000_000)
    private(set) var deadlines: [Deadline: Instant] = [:]
    /// Requests and orders without an answer yet, the oldest first.
    private(set) var open: [Effect] = []
    private(set) var referee: Referee

    /// - Parameters:
    ///   - window: The results of earlier probes.
    ///   - limiter: The limiter's state that earlier runs saved.
    ///   - hasEchoed: Whether the gateway has answered an ICMP echo before.
    ///   - isSilent: Whether nothing but answers of neighbours has come back for long.
    init(
        runMode: RunMode, settings: Settings, seed: UInt64, window: QualityWindow = QualityWindow(),
        limiter: BounceLimiter.Saved = BounceLimiter.Saved(), hasEchoed: Bool = false,
        isSilent: Bool = false
    ) {
        toggler = Toggler(
            runMode: runMode, settings: settings, seed: seed,
            knownTargets: hasEchoed ? Sample.echoed : KnownTargets(), limiter: limiter)
        toggler.qualityWindow = window
        if isSilent { toggler.silence = Silence(due: now) }
        referee = Referee(runMode: runMode, bounces: limiter.bounces, hasEchoed: hasEchoed)
    }

    /// Something that can happen next.
    enum Move: Hashable {
        /// The pending request at this position is answered.
        case answer(Int, Event, after: Duration)
        /// Time advances to a deadline. This and all deadlines due by then are reported, in this order.
        case reach([Deadline], at: Instant)
        case announce(Event, after: Duration = .zero)
        /// An answer to a step that was abandoned long ago. The toggler must ignore it.
        case unasked(Event)
    }

    /// The result of a move: events with their effects, and the rules that these break.
    struct Consequence {
        var told: [(event: Event, effects: [Effect])] = []
        var violations: [String] = []
    }

    /// The requests that may be answered next.
    var answerable: [Int] {
        let nextOfKernel = open.firstIndex { $0.isAskedOfKernel }
        return open.indices.filter { $0 == nextOfKernel || !open[$0].isAskedOfKernel }
    }

    mutating func make(_ move: Move) -> Consequence {
        var consequence = Consequence()
        switch move {
        case .answer(let position, let event, let duration):
            open.remove(at: position)
            now = now + duration
            deliver(event, &consequence)
        case .reach(let due, let at):
            now = max(now, at)
            for deadline in due { deadlines[deadline] = nil }
            for (told, deadline) in due.enumerated() {
                deliver(.deadlineReached(deadline), due: due.dropFirst(told + 1), &consequence)
            }
        case .announce(let event, let duration):
            now = now + duration
            deliver(event, &consequence)
        case .unasked(let event): deliverUnasked(event, &consequence)
        }
        return consequence
    }

    /// The moves to the next deadline and to every later one, as after a suspend. Deadlines at the same time
    /// are reported in either order.
    var reachableDeadlines: [Move] {
        let instants = Set(deadlines.values).sorted()
        return instants.flatMap { instant in
            let due = deadlines.filter { $0.value <= instant }.sorted {
                ($0.value, $0.key.rank) < ($1.value, $1.key.rank)
            }
            let other = due.sorted { ($0.value, -$0.key.rank) < ($1.value, -$1.key.rank) }
            let orders = due.map(\.key) == other.map(\.key) ? [due] : [due, other]
            return orders.map { Move.reach($0.map(\.key), at: instant) }
        }
    }

    // MARK: One event

    private mutating func deliver(
        _ event: Event, due: ArraySlice<Deadline> = [], _ consequence: inout Consequence
    ) {
        referee.note(event, at: now, under: toggler.settings)
        let wasFinished = referee.termination.isFinished
        let effects = toggler.handle(event, at: now)
        consequence.told.append((event, effects))
        if wasFinished, !effects.isEmpty {
            consequence.violations.append("effects after the end: \(effects)")
        }
        for effect in effects {
            consequence.violations += referee.judge(effect, at: now, under: toggler.settings, open: open)
            carryOut(effect)
        }
        consequence.violations += referee.judge(
            toggler.state, open: open, deadlines: deadlines, due: due)
    }

    private mutating func deliverUnasked(_ event: Event, _ consequence: inout Consequence) {
        var other = toggler
        let effects = other.handle(event, at: now)
        consequence.told.append((event, effects))
        if !effects.isEmpty || other != toggler {
            consequence.violations.append("an answer that nobody waits for has effects: \(effects)")
        }
    }

    private mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .kernelState, .startProbe, .takeSnapshot,
            .takeBaseline, .directedScan, .abortScan, .armGuard,
            .lowerLink, .raiseLink, .perform, .restore:
            open.append(effect)
        case .stopPerforming: open.removeAll(where: \.isPerforming)
        case .cancelProbe(let id): open.removeAll { $0.probe == id }
        case .disarmGuard: open.removeAll(where: \.isGuardOrder)
        case .arm(let deadline, let at): deadlines[deadline] = at
        case .disarm(let deadline): deadlines[deadline] = nil
        case .finish:
            open = []
            deadlines = [:]
        case .tellGuard, .resolveNeighbours, .switchPowerSaveOff, .announce, .remember, .rememberBounces,
            .report:
            break
        }
    }
}

extension Effect {
    /// Whether the kernel answers this request, in the order of the requests.
    fileprivate var isAskedOfKernel: Bool {
        switch self {
        case .kernelState, .takeSnapshot, .takeBaseline,
            .lowerLink, .raiseLink, .abortScan,
            .restore:
            true
        // The kernel reports at once that the scan has begun; the answer comes after the scan.
        case .directedScan: false
        case .startProbe, .cancelProbe, .armGuard, .tellGuard, .disarmGuard, .resolveNeighbours,
            .switchPowerSaveOff, .announce, .perform,
            .stopPerforming, .arm,
            .disarm, .remember, .rememberBounces, .report, .finish:
            false
        }
    }
}

extension Deadline {
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
