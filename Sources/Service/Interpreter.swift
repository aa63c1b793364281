import Model
import Toggling

/// Runs togglers: it takes events in order, and carries out the effects of each before it takes the next.
public final class Interpreter {
    /// A class, because a toggler is large, and a dictionary reserves room for more values than it has.
    private final class Unit {
        var interfaceRef: InterfaceRef
        var toggler: Toggler
        var deadlines: [Deadline: Instant] = [:]

        init(interfaceRef: InterfaceRef, toggler: Toggler) {
            self.interfaceRef = interfaceRef
            self.toggler = toggler
        }
    }

    /// A closure for the trace. It is called with each event and the decided effects before they are carried
    /// out.
    public var recorder: ((Event, InterfaceRef, Instant, [Effect]) -> Void)?

    private static let roomForPostponed = 64
    /// If the queue held more events than this, its memory is freed. The queue gets so long only if many
    /// togglers get events at once.
    private static let roomForEvents = 16

    private let environment: Environment
    private var units: [Int: Unit] = [:]
    private var deadlines = DeadlineQueue()
    private var queue: [(id: Int, event: Event)] = []
    private var isDraining = false
    /// The instant to which the timer is set; nil: it is not set.
    private var wakeAt: Instant?

    public init(environment: Environment) { self.environment = environment }

    /// Adds a toggler and starts it.
    public func add(_ toggler: Toggler, for interfaceRef: InterfaceRef, isPresent: Bool) {
        units[interfaceRef.id] = Unit(interfaceRef: interfaceRef, toggler: toggler)
        post(.started(isPresent: isPresent), to: interfaceRef.id)
    }

    /// Changes the name or the index of a toggler's interface, after the interface was renamed or came back.
    public func update(_ interfaceRef: InterfaceRef) { units[interfaceRef.id]?.interfaceRef = interfaceRef }

    /// The state of a toggler; nil: it has ended.
    public func state(of id: Int) -> TogglerState? { units[id]?.toggler.state }

    /// A copy of the toggler; nil: it has ended.
    public func toggler(_ id: Int) -> Toggler? { units[id]?.toggler }

    /// How long until the next deadline of a toggler; nil: there is none.
    public func untilNextDeadline(of id: Int) -> Duration? {
        units[id]?.deadlines.values.min().map { $0 - environment.clock.now() }
    }

    /// Queues an event for one toggler. A toggler that has ended ignores it.
    public func post(_ event: Event, to id: Int) {
        queue.append((id, event))
        drain()
    }

    /// Queues an event for every toggler.
    public func postToAll(_ event: Event) {
        for id in units.keys.sorted() { queue.append((id, event)) }
        drain()
    }

    /// Call this when the timer fires: all due deadlines become events, in the order of time.
    public func timeCame() {
        wakeAt = nil
        let now = environment.clock.now()
        while let entry = deadlines.nearest(holds), entry.at <= now {
            deadlines.removeFirst()
            units[entry.id]?.deadlines[entry.deadline] = nil
            queue.append((entry.id, .deadlineReached(entry.deadline)))
        }
        drain()
    }

    private func holds(_ entry: DeadlineQueue.Entry) -> Bool {
        units[entry.id]?.deadlines[entry.deadline] == entry.at
    }

    private func arm(_ deadline: Deadline, at: Instant, for id: Int) {
        units[id]?.deadlines[deadline] = at
        deadlines.add(DeadlineQueue.Entry(at: at, id: id, deadline: deadline))
        // Deadlines that are postponed again and again must not fill the queue.
        if deadlines.count > Self.roomForPostponed + 2 * Deadline.allCases.count * units.count {
            deadlines.tidy(holds)
        }
    }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        var next = 0
        while next < queue.count {
            let (id, event) = queue[next]
            next += 1
            run(event, for: id)
        }
        queue.removeAll(keepingCapacity: next <= Self.roomForEvents)
        isDraining = false
        setTimer()
    }

    private func run(_ event: Event, for id: Int) {
        guard let unit = units[id] else { return }
        let now = environment.clock.now()
        let before = unit.toggler.state.name
        let effects = unit.toggler.handle(event, at: now)
        recorder?(event, unit.interfaceRef, now, effects)
        let after = unit.toggler.state.name
        if before != after { environment.reporter.transition(unit.interfaceRef, before, after) }
        for effect in effects { perform(effect, for: id) }
    }

    private func perform(_ effect: Effect, for id: Int) {
        guard let interfaceRef = units[id]?.interfaceRef else { return }
        let links = environment.links
        switch effect {
        case .kernelState(let number, let details):
            links.kernelState(interfaceRef, details, kernelStateRead(number, id))
        case .startProbe(let request):
            environment.probes.start(request, interfaceRef) { [weak self] in
                self?.post(.probeFinished(request.id, $0), to: id)
            }
        case .cancelProbe(let probe): environment.probes.cancel(probe, interfaceRef)
        case .takeSnapshot:
            links.takeSnapshot(interfaceRef) { [weak self] result in
                self?.post(result.event({ .snapshotTaken($0) }, else: { .snapshotFailed($0) }), to: id)
            }
        case .takeBaseline:
            links.takeBaseline(interfaceRef) { [weak self] in
                self?.post(.baselineTaken(try? $0.get()), to: id)
            }
        case .directedScan(let accessPoint):
            links.directedScan(interfaceRef, accessPoint) { [weak self] result in
                self?.post(result.event({ .directedScanDone(nil) }, else: { .directedScanDone($0) }), to: id)
            }
        case .abortScan(let accessPoint, let since):
            links.abortScan(interfaceRef, accessPoint, since) { [weak self] result in
                self?.post(.scanAborted(heard: try? result.get()), to: id)
            }
        case .armGuard(let order):
            let lost: @MainActor () -> Void = { [weak self] in self?.post(.guardLost, to: id) }
            environment.guard.arm(interfaceRef, order, lost) { [weak self] result in
                self?.post(result.event({ .guardArmed }, else: { .guardFailed($0) }), to: id)
            }
        case .tellGuard(let stage): environment.guard.tell(interfaceRef, stage)
        case .disarmGuard: environment.guard.disarm(interfaceRef)
        case .lowerLink(let method):
            environment.methods.lower(interfaceRef, method) { [weak self] result in
                self?.post(result.event({ .linkLowered }, else: { .linkLoweringFailed($0) }), to: id)
            }
        case .raiseLink(let method):
            environment.methods.raise(interfaceRef, method) { [weak self] result in
                self?.post(result.event({ .linkRaised }, else: { .linkRaisingFailed($0) }), to: id)
            }
        case .perform(let method): perform(method, for: id)
        case .stopPerforming: environment.methods.stop(interfaceRef)
        case .resolveNeighbours(let addresses): links.resolveNeighbours(interfaceRef, addresses)
        case .switchPowerSaveOff(let isDryRun):
            guard let powerSave = units[id]?.toggler.settings.powerSave else { return }
            links.switchPowerSaveOff(interfaceRef, powerSave, isDryRun)
        case .announce: links.announce(interfaceRef)
        case .restore(let snapshot, let puttingBack):
            links.restore(interfaceRef, snapshot, puttingBack) { [weak self] in
                self?.post(.restored($0), to: id)
            }
        case .arm(let deadline, let at): arm(deadline, at: at, for: id)
        case .disarm(let deadline): units[id]?.deadlines[deadline] = nil
        case .remember(let knownTargets): environment.store.remember(interfaceRef, knownTargets)
        case .rememberBounces(let store): environment.store.rememberBounces(interfaceRef, store)
        case .report(let report): environment.reporter.report(interfaceRef, report)
        case .finish(let outcome):
            units[id] = nil
            environment.reporter.finished(interfaceRef, outcome)
        }
    }

    private func perform(_ method: Method, for id: Int) {
        guard let unit = units[id] else { return }
        environment.methods.perform(unit.interfaceRef, method, unit.toggler.settings) { [weak self] result in
            self?.post(result.event({ .performed }, else: { .performingFailed($0) }), to: id)
        }
    }

    private func kernelStateRead(_ number: Int, _ id: Int) -> Environment.Done<KernelState> {
        { [weak self] result in
            self?.post(
                result.event({ .kernelStateRead(number, $0) }, else: { .kernelStateFailed(number, $0) }),
                to: id)
        }
    }

    private func setTimer() {
        let nearest = deadlines.nearest(holds)?.at
        guard nearest != wakeAt else { return }
        wakeAt = nearest
        environment.clock.wake(nearest)
    }
}

extension Result where Failure == Model.Failure {
    fileprivate func event(_ event: (Success) -> Event, else failed: (Failure) -> Event) -> Event {
        switch self {
        case .success(let value): event(value)
        case .failure(let failure): failed(failure)
        }
    }
}
