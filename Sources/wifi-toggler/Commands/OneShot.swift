import Glibc
import Invocation
import Model
import Netlink
import Platform
import Reporting
import Service
import Toggling

/// The commands `toggle`, `reconnect` and `probe`, which run on one interface and end with an exit status.
final class OneShot {
    private let runMode: RunMode
    private let request: Request
    private let configuration: ConfigurationFiles
    private let console: Console
    private let printer: ReportPrinter
    /// The directory of the locks and of the records of bounces.
    private let runDirectory: TrustedDirectory
    private let live: LiveEnvironment
    private var interpreter: Interpreter?
    private var signals: SignalSources?
    private var guards: GuardPool?
    /// The locks that this run has taken. There are two if the interface was renamed: no other run may act on
    /// it under its old name either.
    private var locks: [InterfaceLock] = []
    private var interfaceRef: InterfaceRef?
    private var isStation = false
    /// The settings of the current interface.
    private var wanted = Settings()
    private var recorder: TraceRecorder?
    /// The run that a service performs for this process; nil if none does.
    private var delegatedRun: DelegatedRun?
    /// The history; nil if the run changes and records nothing.
    private var history: HistoryWriter?
    private var status = InterfaceStatus(at: .now)
    /// The time at which the wait of --wait ends, in nanoseconds of CLOCK_BOOTTIME.
    private let deadline: Int64

    init(
        _ runMode: RunMode, _ request: Request, _ configuration: ConfigurationFiles, _ console: Console,
        _ environment: [String: String]
    ) {
        var console = console
        if runMode.changesLink { console.progress = ProgressDisplay(request, environment) }
        self.runMode = runMode
        self.request = request
        self.configuration = configuration
        self.console = console
        deadline = BootClock.now() + request.wait.nanoseconds
        runDirectory = TrustedDirectory(request.runDirectory, isKept: true)
        printer = ReportPrinter(console, request, isOneShot: true)
        live = LiveEnvironment.open(console)
        live.commandUser = request.commandUser
        live.ownDirectories = request.ownDirectories
        live.methods.directory = request.runDirectory
        live.methods.drivers = configuration.drivers
        live.methods.moved = { [unowned self] in follow($0) }
        if runMode == .reconnect {
            live.kernelState.holds = HoldStore(request)
            live.kernelState.quiet = QuietHoursClock { [unowned self] in settings(for: $0).quietHours }
        }
    }

    /// Runs the command and ends the process.
    func start() {
        recorder = request.trace.map { TraceRecorder($0, printer, console) }
        let search = InterfaceResolver(netlink: live.netlink)
        search.one(request, settings) { [unowned self] result in
            switch result {
            case .success(let candidate): begin(candidate)
            case .failure(let problem) where problem.status == .unavailable: seekDevice(problem)
            case .failure(let problem): console.fail(problem.description, problem.status)
            }
        }
    }

    /// Goes on without the interface if a service has ordered this process to reset the device that has lost
    /// it.
    private func seekDevice(_ problem: CommandError) {
        let settings = request.settings(
            for: request.interfaces.first?.text ?? "", file: configuration.file)
        switch LostDevice.find(request, settings, configuration.drivers) {
        case .success(let device?):
            live.kernelState.lostDevice = device
            begin(device.candidate)
        case .success(nil): console.fail(problem.description, problem.status)
        case .failure(let refusal): console.fail(refusal.description, refusal.status)
        }
    }

    private func settings(for link: Link) -> Settings {
        request.settings(for: link, file: configuration.file)
    }

    private func begin(_ candidate: Candidate) {
        let link = candidate.link
        isStation = candidate.isStation
        let settings = settings(for: link)
        let interfaceRef = InterfaceRef(id: 1, index: link.index, name: link.name)
        self.interfaceRef = interfaceRef
        printer.know(settings, of: interfaceRef)
        wanted = settings
        if request.namesReboot, runMode.changesLink {
            let words = "reboot is not tried: only 'wifi-toggler run' reboots the machine"
            printer.note(.notice, "\(link.name): \(words)", about: link.name)
        }
        if LostDevice.isOrdered(request, settings, for: link) { live.kernelState.orderedReset = link.index }
        guard let requestKind, !settings.isDryRun else { return act(on: interfaceRef, settings) }
        let delegatedRun = DelegatedRun(
            requestKind, link.name, request, console, printer, before: deadline,
            isTaken: { [unowned self] in
                if case .failure(let problem) = locker.tryToTake(link.name, wait: .zero) {
                    return problem.status == .heldByOther
                }
                return false
            },
            withoutService: { [unowned self] in act(on: interfaceRef, settings) })
        self.delegatedRun = delegatedRun
        delegatedRun.start()
    }

    /// The request for a service that can act in place of this process; nil if a service cannot.
    private var requestKind: ControlRequest.Kind? {
        switch runMode {
        case .toggle: .toggle(delay: request.ownDelay)
        case .reconnect: .reconnect
        case .watch, .probe: nil
        }
    }

    /// Acts in this process, without a service.
    private func act(on interfaceRef: InterfaceRef, _ settings: Settings) {
        if runMode.changesLink, !settings.isDryRun {
            Permission.require(console, for: interfaceRef.name)
            locks = [takeLock(interfaceRef.name)]
            RepairCommand(request, console, configuration.file, in: runDirectory)
                .finishFirst(interfaceRef.name)
        }
        if runMode.changesLink {
            signals = console.signals(SignalSources.ending, atOnce: false) { [unowned self] _ in
                self.interpreter?.post(.terminationRequested, to: interfaceRef.id)
            }
        }
        let guards = makeGuards()
        self.guards = guards
        // A bounce follows, whatever the check finds, so prepare a guard now.
        if runMode == .toggle, live.kernelState.lostDevice == nil, !settings.isDryRun {
            guards.prepare(interfaceRef) { [unowned self] in pursue(interfaceRef, settings, guards) }
        } else {
            pursue(interfaceRef, settings, guards)
        }
    }

    /// Takes the lock of the interface. A message about the wait stays on the terminal until the wait is
    /// over.
    private func takeLock(_ name: String) -> InterfaceLock {
        let wait = Duration.nanoseconds(max(0, deadline - BootClock.now()))
        guard let progress = console.progress, wait > .zero else {
            return locker.take(name, wait: wait, console)
        }
        if case .success(let lock) = locker.tryToTake(name, wait: .zero) { return lock }
        progress.show(.lock(within: wait), of: name)
        defer { progress.end() }
        return locker.take(name, wait: wait, console)
    }

    private var locker: LockTaker { LockTaker(request, in: runDirectory) }

    private func pursue(_ interfaceRef: InterfaceRef, _ settings: Settings, _ guards: GuardPool) {
        let interpreter = Interpreter(environment: environment(guards))
        self.interpreter = interpreter
        let scans = scans(settings)
        live.asksForScanOwner = !scans.isEmpty
        let topics = Self.topics(runMode, settings).union(scans)
        if !topics.isEmpty {
            live.startMonitor(topics, console) { [unowned self] notification in
                if case .linkChanged(let link) = notification, let interfaceRef = self.interfaceRef {
                    live.methods.replaced(interfaceRef, by: link)
                }
                guard let index = self.interfaceRef?.index else { return }
                for event in notification.events(for: index) {
                    if case .linkChanged(let link) = event { follow(link) }
                    interpreter.post(event, to: interfaceRef.id)
                }
            }
        }
        let warnOnce = WarnOnce(printer)
        let directory = TrustedDirectory(request.stateDirectory, isKept: true)
        let store = StateStore(directory, orIn: runDirectory, warnOnce)
        if runMode.changesLink, !settings.isDryRun {
            live.store = store
            history = HistoryWriter(runMode == .toggle ? .toggle : .reconnect, in: directory, warnOnce)
            history?.begin(interfaceRef)
        }
        let beginning = Trace.Beginning(
            runMode: runMode, settings: settings, seed: .random(in: .min ... .max),
            knownTargets: knownTargets(of: interfaceRef, in: store, under: settings),
            limiter: runMode.changesLink ? store.bounces(of: interfaceRef.name) : BounceLimiter.Saved())
        if let recorder {
            recorder.begin(beginning, interfaceRef, at: .now)
            interpreter.recorder = { recorder.take($0, $3, $1, at: $2) }
        }
        interpreter.add(beginning.toggler, for: interfaceRef, isPresent: live.kernelState.lostDevice == nil)
    }

    /// The targets that earlier runs have recorded. `probe` reads them only if the verdict depends on them,
    /// or as root: another user may have no permission to read the file, and would get a warning.
    private func knownTargets(
        of interfaceRef: InterfaceRef, in store: StateStore, under settings: Settings
    ) -> KnownTargets {
        let isNeeded = runMode.changesLink || settings.asksTargets || geteuid() == 0
        return isNeeded ? store.knownTargets(of: interfaceRef.name) : KnownTargets()
    }

    /// Handles a change of the interface's name: takes the lock of the new name, too.
    private func follow(_ link: Link) {
        guard let interfaceRef else { return }
        follow(InterfaceRef(id: interfaceRef.id, index: interfaceRef.index, name: link.name))
    }

    private func follow(_ current: InterfaceRef) {
        guard let old = interfaceRef, old != current else { return }
        interfaceRef = current
        interpreter?.update(current)
        guard old.name != current.name else { return }
        printer.note(.notice, "\(old.name): is called \(current.name) now", about: old.name)
        guard !locks.isEmpty else { return }
        switch locker.tryToTake(current.name, wait: .zero) {
        case .success(let lock): locks.append(lock)
        case .failure(let problem): printer.note(.warning, problem.description, about: current.name)
        }
    }

    /// The kinds of changes to monitor; none if this run does not wait for changes.
    private static func topics(_ runMode: RunMode, _ settings: Settings) -> NetlinkMonitor.Topics {
        let probesNothing = settings.probes.allSatisfy { $0.method == .none }
        let neighbours: NetlinkMonitor.Topics = probesNothing ? [] : .neighbours
        if !runMode.changesLink { return neighbours }
        if settings.settle == .zero, settings.delay == .zero { return runMode == .toggle ? [] : neighbours }
        return neighbours.union([.links, .addresses, .routes])
    }

    /// The topic for scans, which only a fast reconnect needs.
    private func scans(_ settings: Settings) -> NetlinkMonitor.Topics {
        isStation && runMode.changesLink && settings.mayFastReconnect ? .scans : []
    }

    private func makeGuards() -> GuardPool {
        GuardPool(
            live.netlink, live.methods, in: runDirectory, console, .callingThread
        ) { [unowned self] _ in locks }
    }

    private func environment(_ guards: GuardPool) -> Environment {
        var environment = live.environment(guards: guards, reporter: reporter, survivesSuspend: false) {
            [unowned self] in interpreter?.timeCame()
        }
        // Signals are handled from the first wait on: for a time, or for a method, which may take long.
        let wake = environment.clock.wake
        environment.clock.wake = { [unowned self] instant in
            if instant != nil { listenToSignals() }
            wake(instant)
        }
        let perform = environment.methods.perform
        environment.methods.perform = { [unowned self] in
            listenToSignals()
            perform($0, $1, $2, $3)
        }
        return environment
    }

    private func listenToSignals() {
        do throws(SystemError) { try signals?.start() } catch { console.failToWait(error) }
    }

    private func show(_ interfaceRef: InterfaceRef) {
        guard let progress = console.progress, let state = interpreter?.state(of: interfaceRef.id) else {
            return
        }
        progress.take(Progress(state, under: wanted, at: .now), of: interfaceRef.name)
    }

    private var reporter: Environment.Reporter {
        Environment.Reporter(
            report: { [printer, unowned self] in
                // The warning must come before the link is touched. A healthy link needs none.
                if case .step(.beginning) = $1, printer.mayWarn(of: $0) {
                    printer.warn(OwnerLookup().ownership(of: $0), of: $0)
                }
                let record = status.take($1, about: $0.name, at: .now)
                printer.take(record, $0)
                history?.take(record, $0)
            },
            transition: { [unowned self] in
                printer.stateChanged($0, $1, $2)
                show($0)
            },
            finished: { [unowned self] interfaceRef, outcome in
                if outcome == .refused(.absent) {
                    let sentence = "\(interfaceRef.name): no such interface (run 'wifi-toggler list')"
                    console.say(Line(.error, sentence), about: interfaceRef.name)
                }
                guards?.reap()
                console.progress?.end()
                // End the process on the event loop, as the service does.
                EventLoop.soon { [live, console] in
                    live.methods.whenDone(with: interfaceRef) { console.end(ExitStatus(outcome)) }
                }
            })
    }
}
