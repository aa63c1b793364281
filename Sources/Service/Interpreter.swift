import Toggling

/// Runs togglers: takes events in, in the order in which they came, and carries out the effects, each event
/// to its end before the next.
public final class Interpreter {
    /// An object: a dictionary of values keeps room for as many again, and a toggler is large.
    private final class Unit {
        var subject: Subject
        var toggler: Toggler
        var deadlines: [Deadline: Instant] = [:]

        init(subject: Subject, toggler: Toggler) {
            self.subject = subject
            self.toggler = toggler
        }
    }

    /// Is told of each event and what was decided upon it, before that is done.
    public var recorder: ((Event, Subject, Instant, [Effect]) -> Void)?

    private static let roomForPutOff = 64
    /// What is kept for the next events, in their number; more are told to many togglers at once.
    private static let roomForEvents = 16

    private let environment: Environment
    private var units: [Int: Unit] = [:]
    /// The looks, for which there is a clock of their own, and all other deadlines.
    private var looks = Agenda()
    private var others = Agenda()
    private var queue: [(id: Int, event: Event)] = []
    private var isDraining = false
    /// What the two timers of the clock stand at.
    private var scheduledAt: Instant?
    private var wakeAt: Instant?

    public init(environment: Environment) { self.environment = environment }

    /// Takes a toggler in and starts it.
    public func add(_ toggler: Toggler, for subject: Subject, isPresent: Bool) {
        units[subject.id] = Unit(subject: subject, toggler: toggler)
        post(.started(isPresent: isPresent), to: subject.id)
    }

    /// The interface of a toggler has another name, or came back under another index.
    public func rebind(_ subject: Subject) { units[subject.id]?.subject = subject }

    /// Where a toggler stands; nil: it has ended.
    public func state(of id: Int) -> TogglerState? { units[id]?.toggler.state }

    /// Where a toggler stands, for people; nil: it has ended.
    public func describe(_ id: Int) -> String? {
        guard let unit = units[id] else { return nil }
        let now = environment.clock.now()
        let next = unit.deadlines.values.min().map { ", next deadline in \(($0 - now).text)" } ?? ""
        let last = unit.toggler.lastVerdict.map { "; last verdict: \($0.headline)" } ?? ""
        return "\(unit.toggler.state.name), \(unit.toggler.health.condition.rawValue)\(next)\(last)"
    }

    /// Takes an event in for one toggler; one that has ended takes none.
    public func post(_ event: Event, to id: Int) {
        queue.append((id, event))
        drain()
    }

    /// Takes an event in for every toggler.
    public func postToAll(_ event: Event) {
        for id in units.keys.sorted() { queue.append((id, event)) }
        drain()
    }

    /// The timer fired: everything that is due becomes an event, in the order of its time.
    public func timeCame() {
        (scheduledAt, wakeAt) = (nil, nil)
        let now = environment.clock.now()
        for entry in (takeDue(of: &looks, at: now) + takeDue(of: &others, at: now)).sorted() {
            queue.append((entry.id, .deadlineReached(entry.deadline)))
        }
        drain()
    }

    private func takeDue(of agenda: inout Agenda, at now: Instant) -> [Agenda.Entry] {
        var due: [Agenda.Entry] = []
        while let entry = agenda.nearest(holds), entry.at <= now {
            due.append(entry)
            agenda.removeFirst()
            units[entry.id]?.deadlines[entry.deadline] = nil
        }
        return due
    }

    private func holds(_ entry: Agenda.Entry) -> Bool {
        units[entry.id]?.deadlines[entry.deadline] == entry.at
    }

    private func arm(_ deadline: Deadline, at: Instant, for id: Int) {
        units[id]?.deadlines[deadline] = at
        let entry = Agenda.Entry(at: at, id: id, deadline: deadline)
        if deadline == .look { add(entry, to: &looks) } else { add(entry, to: &others) }
    }

    private func add(_ entry: Agenda.Entry, to agenda: inout Agenda) {
        agenda.add(entry)
        // What is put off again and again must not fill it.
        if agenda.count > Self.roomForPutOff + 2 * Deadline.allCases.count * units.count {
            agenda.tidy(holds)
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
        setTimers()
    }

    private func run(_ event: Event, for id: Int) {
        guard let unit = units[id] else { return }
        let now = environment.clock.now()
        let before = unit.toggler.state.name
        let effects = unit.toggler.handle(event, at: now)
        recorder?(event, unit.subject, now, effects)
        let after = unit.toggler.state.name
        if before != after { environment.reporter.transition(unit.subject, before, after) }
        for effect in effects { perform(effect, for: id) }
    }

    private func perform(_ effect: Effect, for id: Int) {
        guard let subject = units[id]?.subject else { return }
        let links = environment.links
        switch effect {
        case .survey(let number): links.survey(subject.index, surveyed(number, id))
        case .surveyWithLogins(let number): links.surveyWithLogins(subject.index, surveyed(number, id))
        case .surveyWithLife(let number, let span):
            links.surveyWithLife(subject.index, span, surveyed(number, id))
        case .surveyWithPowerSave(let number):
            links.surveyWithPowerSave(subject.index, surveyed(number, id))
        case .startProbe(let request):
            environment.probes.start(request, subject) { [weak self] in
                self?.post(.probeFinished(request.id, $0), to: id)
            }
        case .cancelProbe(let probe): environment.probes.cancel(probe, subject)
        case .takeSnapshot:
            links.takeSnapshot(subject) { [weak self] result in
                self?.post(result.event({ .snapshotTaken($0) }, else: { .snapshotFailed($0) }), to: id)
            }
        case .takeKeepsake:
            links.takeKeepsake(subject) { [weak self] in
                self?.post(.keepsakeTaken(try? $0.get()), to: id)
            }
        case .listen(let accessPoint):
            links.listen(subject, accessPoint) { [weak self] result in
                self?.post(result.event({ .listened(nil) }, else: { .listened($0) }), to: id)
            }
        case .cutScanShort(let accessPoint, let since):
            links.cutScanShort(subject, accessPoint, since) { [weak self] result in
                self?.post(.scanCutShort(heard: try? result.get()), to: id)
            }
        case .armGuard(let order):
            let lost: @MainActor () -> Void = { [weak self] in self?.post(.guardLost, to: id) }
            environment.guard.arm(subject, order, lost) { [weak self] result in
                self?.post(result.event({ .guardArmed }, else: { .guardFailed($0) }), to: id)
            }
        case .tellGuard(let stage): environment.guard.tell(subject, stage)
        case .disarmGuard: environment.guard.disarm(subject)
        case .lowerLink(let method):
            environment.methods.lower(subject, method) { [weak self] result in
                self?.post(result.event({ .linkLowered }, else: { .linkLoweringFailed($0) }), to: id)
            }
        case .raiseLink(let method):
            environment.methods.raise(subject, method) { [weak self] result in
                self?.post(result.event({ .linkRaised }, else: { .linkRaisingFailed($0) }), to: id)
            }
        case .perform(let method): perform(method, for: id)
        case .stopPerforming: environment.methods.stop(subject)
        case .askAgain(let addresses): links.askAgain(subject, addresses)
        case .restore(let snapshot, let puttingBack):
            links.restore(subject, snapshot, puttingBack) { [weak self] in
                self?.post(.restored($0), to: id)
            }
        case .arm(let deadline, let at): arm(deadline, at: at, for: id)
        case .disarm(let deadline): units[id]?.deadlines[deadline] = nil
        case .remember(let acquaintances): environment.memory.remember(subject, acquaintances)
        case .rememberBounces(let memory): environment.memory.rememberBounces(subject, memory)
        case .report(let report): environment.reporter.report(subject, report)
        case .finish(let outcome):
            units[id] = nil
            environment.reporter.finished(subject, outcome)
        }
    }

    private func perform(_ method: Method, for id: Int) {
        guard let unit = units[id] else { return }
        environment.methods.perform(unit.subject, method, unit.toggler.settings) { [weak self] result in
            self?.post(result.event({ .performed }, else: { .performingFailed($0) }), to: id)
        }
    }

    private func surveyed(_ number: Int, _ id: Int) -> Environment.Done<Survey> {
        { [weak self] result in
            self?.post(result.event({ .surveyed(number, $0) }, else: { .surveyFailed(number, $0) }), to: id)
        }
    }

    private func setTimers() {
        let (look, other) = (looks.nearest(holds)?.at, others.nearest(holds)?.at)
        if look != scheduledAt {
            scheduledAt = look
            environment.clock.schedule(look)
        }
        if other != wakeAt {
            wakeAt = other
            environment.clock.wake(other)
        }
    }
}

extension Result where Failure == Toggling.Failure {
    fileprivate func event(_ event: (Success) -> Event, else failed: (Failure) -> Event) -> Event {
        switch self {
        case .success(let value): event(value)
        case .failure(let failure): failed(failure)
        }
    }
}
