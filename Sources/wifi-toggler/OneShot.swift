import Glibc
import Invocation
import Netlink
import Platform
import Service
import Toggling

/// `toggle`, `reconnect` and `probe`: one interface, one mission, one exit status.
final class OneShot {
    private let mission: Mission
    private let request: Request
    private let configuration: ConfigurationSource
    private let console: Console
    private let desk: Desk
    /// Of locks and of records of bounces.
    private let runFolder: Folder
    private let world: World
    private var interpreter: Interpreter?
    private var signals: SignalSources?
    private var guards: GuardKeeper?
    /// A second one where the interface was renamed: by its old name nobody shall come near it either.
    private var locks: [InstanceLock] = []
    private var subject: Subject?
    private var isStation = false
    /// For the interface at hand.
    private var wanted = Settings()
    private var recorder: TraceRecorder?
    /// nil: no service is asked.
    private var errand: ServiceErrand?
    /// nil: nothing is done, and nothing is told.
    private var history: HistoryKeeper?

    init(
        _ mission: Mission, _ request: Request, _ configuration: ConfigurationSource, _ console: Console,
        _ environment: [String: String]
    ) {
        var console = console
        if mission.changesLink { console.progress = ProgressDisplay(request, environment) }
        self.mission = mission
        self.request = request
        self.configuration = configuration
        self.console = console
        runFolder = Folder(request.runDirectory, isKept: true)
        desk = Desk(console, request, isOneShot: true)
        world = World.open(console)
        world.commandUser = request.commandUser
        world.methods.directory = request.runDirectory
        world.methods.moved = { [unowned self] in follow($0) }
        if mission == .reconnect {
            world.holds = HoldKeeper(request)
            world.quiet = QuietKeeper { [unowned self] in settings(for: $0).quietHours }
        }
    }

    /// Ends the process when the mission is over.
    func start() {
        recorder = request.trace.map { TraceRecorder($0, desk, console) }
        let search = InterfaceSearch(netlink: world.netlink)
        search.one(request, settings) { [unowned self] result in
            switch result {
            case .success(let candidate): begin(candidate)
            case .failure(let problem): console.fail(problem.sentence, problem.status)
            }
        }
    }

    private func settings(for link: Link) -> Settings {
        request.settings(for: link, file: configuration.file)
    }

    private func begin(_ candidate: Candidate) {
        let link = candidate.link
        isStation = candidate.isStation
        let settings = settings(for: link)
        let subject = Subject(id: 1, index: link.index, name: link.name)
        self.subject = subject
        desk.know(settings, of: subject)
        wanted = settings
        guard let wish, !settings.isDryRun else { return act(on: subject, settings) }
        let errand = ServiceErrand(wish, link.name, request, console, desk) { [unowned self] in
            act(on: subject, settings)
        }
        self.errand = errand
        errand.start()
    }

    /// What a service can do in place of this process; nil: nothing.
    private var wish: ControlErrand.Wish? {
        switch mission {
        case .toggle: .toggle(delay: request.ownDelay)
        case .reconnect: .reconnect
        case .watch, .probe: nil
        }
    }

    /// By itself.
    private func act(on subject: Subject, _ settings: Settings) {
        if mission.changesLink, !settings.isDryRun {
            Permission.require(console, for: subject.name)
            locks = [takeLock(subject.name)]
            RepairCommand(request, console, in: runFolder).finishFirst(subject.name)
        }
        if mission.changesLink {
            signals = console.signals([SIGTERM, SIGINT, SIGHUP], atOnce: false) { [unowned self] _ in
                self.interpreter?.post(.terminationRequested, to: subject.id)
            }
        }
        let guards = makeGuards()
        self.guards = guards
        // Whatever is found, it ends in a bounce.
        if mission == .toggle, !settings.isDryRun {
            guards.prepare(subject) { [unowned self] in pursue(subject, settings, guards) }
        } else {
            pursue(subject, settings, guards)
        }
    }

    /// What is said of a wait stays until it is over: nothing else happens meanwhile.
    private func takeLock(_ name: String) -> InstanceLock {
        let keeper = LockKeeper(request, in: runFolder)
        guard let progress = console.progress, request.wait > .zero else {
            return keeper.take(name, wait: request.wait, console)
        }
        if case .success(let lock) = keeper.tryToTake(name, wait: .zero) { return lock }
        progress.show(Progress("waiting for another run to let go", most: request.wait), of: name)
        defer { progress.end() }
        return keeper.take(name, wait: request.wait, console)
    }

    private func pursue(_ subject: Subject, _ settings: Settings, _ guards: GuardKeeper) {
        let interpreter = Interpreter(environment: environment(guards))
        self.interpreter = interpreter
        let scans = scans(settings)
        world.asksForScanner = !scans.isEmpty
        let topics = Self.topics(mission, settings).union(scans)
        if !topics.isEmpty {
            world.listen(topics, console) { [unowned self] notification in
                guard let index = self.subject?.index else { return }
                for event in notification.events(for: index) {
                    if case .linkChanged(let link) = event { follow(link) }
                    interpreter.post(event, to: subject.id)
                }
            }
        }
        let complaint = StateComplaint(desk)
        let folder = Folder(request.stateDirectory, isKept: true)
        let memory = MemoryKeeper(folder, complaint)
        if mission.changesLink, !settings.isDryRun {
            world.memory = memory
            history = HistoryKeeper(mission == .toggle ? .toggle : .reconnect, in: folder, complaint)
            history?.begin(subject)
        }
        let beginning = Trace.Beginning(
            mission: mission, settings: settings, seed: .random(in: .min ... .max),
            acquaintances: settings.asksTargets ? memory.acquaintances(of: subject.name) : Acquaintances(),
            memory: mission.changesLink ? memory.bounces(of: subject.name) : RestraintMemory())
        if let recorder {
            recorder.begin(beginning, subject, at: Instant(nanoseconds: BootClock.now()))
            interpreter.recorder = { recorder.take($0, $3, $1, at: $2) }
        }
        interpreter.add(beginning.toggler, for: subject, isPresent: true)
    }

    /// The interface may be renamed while it is in our hands; under its new name, too, it is ours alone.
    private func follow(_ link: Link) {
        guard let subject else { return }
        follow(Subject(id: subject.id, index: subject.index, name: link.name))
    }

    private func follow(_ current: Subject) {
        guard let old = subject, old != current else { return }
        subject = current
        interpreter?.rebind(current)
        guard old.name != current.name else { return }
        desk.note(.notice, "\(old.name): is called \(current.name) now", about: old.name)
        guard !locks.isEmpty else { return }
        switch LockKeeper(request, in: runFolder).tryToTake(current.name, wait: .zero) {
        case .success(let lock): locks.append(lock)
        case .failure(let problem): desk.note(.warning, problem.sentence, about: current.name)
        }
    }

    /// What there is to hear: nothing, if nobody waits for anything.
    private static func topics(_ mission: Mission, _ settings: Settings) -> NetlinkMonitor.Topics {
        let probesNothing = settings.probes.allSatisfy { $0.method == .none }
        let neighbours: NetlinkMonitor.Topics = probesNothing ? [] : .neighbours
        if !mission.changesLink { return neighbours }
        if settings.settle == .zero, settings.delay == .zero { return mission == .toggle ? [] : neighbours }
        return neighbours.union([.links, .addresses, .routes])
    }

    /// Only for a shortcut.
    private func scans(_ settings: Settings) -> NetlinkMonitor.Topics {
        isStation && mission.changesLink && settings.mayTakeShortcut ? .scans : []
    }

    private func makeGuards() -> GuardKeeper {
        GuardKeeper(
            world.netlink, world.methods, in: runFolder, console, .callingThread
        ) { [unowned self] _ in locks }
    }

    private func environment(_ guards: GuardKeeper) -> Environment {
        var environment = world.environment(guards: guards, reporter: reporter, survivesSuspend: false) {
            [unowned self] in interpreter?.timeCame()
        }
        // Signals are listened to as soon as there is something to wait for.
        let (schedule, wake) = (environment.clock.schedule, environment.clock.wake)
        environment.clock.schedule = { [unowned self] moment in
            if moment != nil { listenToSignals() }
            schedule(moment)
        }
        environment.clock.wake = { [unowned self] moment in
            if moment != nil { listenToSignals() }
            wake(moment)
        }
        return environment
    }

    private func listenToSignals() {
        do throws(SystemError) { try signals?.listen() } catch { console.failToListen(error) }
    }

    private func show(_ subject: Subject) {
        guard let progress = console.progress, let state = interpreter?.state(of: subject.id) else { return }
        let now = Instant(nanoseconds: BootClock.now())
        progress.take(Progress(state, under: wanted, at: now), of: subject.name)
    }

    private var reporter: Environment.Reporter {
        Environment.Reporter(
            report: { [desk, unowned self] in
                // Before the link is touched, and not where it is healthy.
                if case .step(.beginning) = $1, desk.mayWarn(of: $0) {
                    desk.warn(OwnerKeeper().ownership(of: $0), of: $0)
                }
                desk.take($1, $0)
                history?.take($1, $0)
            },
            transition: { [unowned self] in
                desk.stateChanged($0, $1, $2)
                show($0)
            },
            finished: { [unowned self] subject, outcome in
                if outcome == .refused(.absent) {
                    let sentence = "\(subject.name): no such interface (run 'wifi-toggler list')"
                    console.say(Line(.error, sentence), about: subject.name)
                }
                guards?.reap()
                console.progress?.end()
                // As the service does.
                EventLoop.soon { exit(ExitStatus(outcome).rawValue) }
            })
    }
}
