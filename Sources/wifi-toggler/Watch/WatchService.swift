import Glibc
import Invocation
import Model
import Netlink
import Platform
import Reporting
import Service
import Toggling

/// `run`: watches interfaces until it is told to end. It identifies an interface by its index, and recognises
/// one that comes back by its hardware address, or by the name on the command line.
final class WatchService {
    /// A class, because a dictionary of values keeps room for as many again.
    final class Watched {
        var interfaceRef: InterfaceRef
        /// Sections of the configuration may name it by these.
        var addresses: [MACAddress]
        /// Its current settings.
        var settings: Settings
        /// See `Link.identity`: as it was when the interface appeared.
        var identity: MACAddress?
        var isPresent: Bool
        var lock: InterfaceLock?
        /// Its state so far, for queries.
        var interfaceStatus: InterfaceStatus
        /// The first check is over, or there is nothing to check.
        var isSeen = false
        var isOwnerTold = false

        init(
            _ link: Link, _ interfaceRef: InterfaceRef, _ settings: Settings, lock: InterfaceLock?,
            isPresent: Bool
        ) {
            self.interfaceRef = interfaceRef
            addresses = Request.addresses(of: link)
            self.settings = settings
            identity = link.identity
            self.isPresent = isPresent
            self.lock = lock
            interfaceStatus = InterfaceStatus(at: Instant(nanoseconds: BootClock.now()))
        }

        /// Whether it is the same hardware.
        func isMadeOf(_ link: Link) -> Bool { identity != nil && identity == link.identity }
    }

    var request: Request
    var configuration: ConfigurationSource
    let console: Console
    let printer: ReportPrinter
    let notifier: ServiceNotifier
    var live: LiveEnvironment!
    var interpreter: Interpreter!
    private var guards: GuardPool!
    private(set) var store: StateStore!
    /// nil: a dry run records nothing.
    private(set) var history: HistoryWriter?
    private var signals: SignalSources?
    private var watchdog: TimerSource?
    /// nil: no trace is recorded.
    private(set) var recorder: TraceRecorder?
    var watched: [Int: Watched] = [:]
    private(set) var control: ControlServer?
    /// The requests of clients of the control socket, by client number.
    var requests: [Int: PendingRequest] = [:]
    /// nil: no metrics file is configured.
    var metrics: MetricsExporter?
    /// nil: a dry run reports nothing.
    var holds: HoldMonitor?
    /// nil: a dry run reports nothing.
    private(set) var hooks: HookRunner?
    /// `--dry-run`, or `dry-run = yes` in the section `[default]`, as it was at the start. A dry run has no
    /// locks, no privileges and no files: no reload can turn it into a real run, not even for one interface.
    let isDryRun: Bool
    let started = Instant(nanoseconds: BootClock.now())
    var nextID = 1
    /// Interfaces, with their names, that were found not to be Wi-Fi: they are not examined again while they
    /// exist under these names.
    var foreign: [InterfaceIndex: String] = [:]
    /// Interfaces to be examined next, as last announced.
    var candidates: [InterfaceIndex: Link] = [:]
    var isConsidering = false
    var sleepMeter = SuspendDetector()
    var inventory: LinkInventory!
    /// The interfaces that existed at the start are watched; earlier announcements are covered by reading
    /// them again.
    var hasBegun = false
    private var isReady = false
    /// The last verdict that was reported to the service manager.
    private var shownStatus = ""
    private var isEnding = false
    private var endStatus = ExitStatus.healthy

    init(
        _ request: Request, _ configuration: ConfigurationSource, _ console: Console,
        _ environment: [String: String]
    ) {
        self.request = request
        self.configuration = configuration
        self.console = console
        isDryRun = configuration.wantsDryRun(of: request)
        printer = ReportPrinter(console, request, isOneShot: false)
        notifier = ServiceNotifier(environment: environment)
    }

    // MARK: Start

    func start() {
        live = LiveEnvironment.open(console) { [unowned self] in radiosChanged($0) }
        live.holds = HoldStore(request)
        let complaint = WarnOnce(printer)
        let directory = TrustedDirectory(request.stateDirectory)
        store = StateStore(directory, complaint)
        if !isDryRun {
            live.store = store
            history = HistoryWriter(.run, in: directory, complaint)
        }
        live.commandUser = request.commandUser
        live.methods.directory = request.runDirectory
        live.methods.moved = { [unowned self] in moved($0) }
        live.quiet = QuietHoursClock { [unowned self] in quietHours(of: $0) }
        guards = GuardPool(
            live.netlink, live.methods, in: TrustedDirectory(request.runDirectory), console, .eventLoop
        ) { [unowned self] in watched[$0.id]?.lock.map { [$0] } ?? [] }
        interpreter = Interpreter(
            environment: live.environment(guards: guards, reporter: reporter, survivesSuspend: true) {
                [unowned self] in
                noticeSleep()
                interpreter.timeCame()
            })
        recorder = request.trace.map { TraceRecorder($0, printer, console) }
        if let recorder { interpreter.recorder = { recorder.take($0, $3, $1, at: $2) } }
        live.directedScan([.links, .addresses, .routes, .neighbours, .wireless], console) { [unowned self] in
            notice($0)
        }
        InterfaceResolver(netlink: live.netlink).all { [unowned self] result in
            switch result {
            case .success(let candidates): begin(candidates)
            case .failure(let problem): console.fail(problem.sentence, problem.status)
            }
        }
    }

    private func begin(_ candidates: [Candidate]) {
        refuseWhatIsNamedAndNotOurs(candidates)
        let meant = candidates.filter(isMeant)
        for stranger in candidates where stranger.wireless == nil && !isMeant(stranger) {
            foreign[stranger.link.index] = stranger.link.name
        }
        if !isDryRun { Permission.require(console, for: meant.first?.link.name ?? "run") }
        let locks = meant.map { takeLock($0.link.name, wait: request.wait) }
        listenToSignals()
        // A dry run does not take over the files of a service.
        if !isDryRun, let history {
            control = ControlServer(controlService(history), printer)
            control?.onRequest = { [unowned self] in begin($0, for: $1) }
            control?.open(request)
            listenToHolds()
            keepMetrics()
            hooks = HookRunner(printer)
            hooks?.use(request.hooksDirectory)
        }
        for (candidate, lock) in zip(meant, locks) { watch(candidate.link, lock: lock, isPresent: true) }
        for name in absentNames(candidates) { watchAbsent(name) }
        if watched.isEmpty { printer.note(.notice, "no Wi-Fi interface yet; waiting for one to appear") }
        hasBegun = true
        inventory = LinkInventory(live.netlink) { [unowned self] in reconcile($0) }
        inventory.ask()
        startWatchdog()
        becomeReady()
    }

    private func refuseWhatIsNamedAndNotOurs(_ candidates: [Candidate]) {
        for pattern in request.interfaces where !pattern.isGlob {
            guard let candidate = candidates.first(where: { $0.link.name == pattern.text }) else { continue }
            if case .failure(let problem) = InterfaceResolver.permitted(
                candidate, settings(for: candidate.link))
            {
                console.fail(problem.sentence, problem.status)
            }
        }
    }

    private func absentNames(_ candidates: [Candidate]) -> [String] {
        let present = Set(candidates.map(\.link.name))
        return request.interfaces.filter { !$0.isGlob && !present.contains($0.text) }.map(\.text)
    }

    func isMeant(_ candidate: Candidate) -> Bool {
        guard isNamed(candidate.link.name) else { return false }
        let isWanted = !request.interfaces.isEmpty && settings(for: candidate.link).allowsAnyInterface
        return candidate.isStation || isWanted
    }

    func isNamed(_ name: String) -> Bool {
        request.interfaces.isEmpty || request.interfaces.contains { $0.matches(name) }
    }

    func settings(for link: Link) -> Settings {
        permitted(request.settings(for: link, file: configuration.file))
    }

    /// Every check calls this: if no quiet hours are configured, the options need not be evaluated.
    private func quietHours(of link: Link) -> [QuietWindow] {
        request.mayBeQuiet(file: configuration.file) ? settings(for: link).quietHours : []
    }

    /// For watched interfaces.
    func settings(of interfaceRef: InterfaceRef) -> Settings {
        permitted(
            request.settings(
                for: interfaceRef.name, addresses: watched[interfaceRef.id]?.addresses ?? [],
                file: configuration.file))
    }

    /// Without a lock nothing may be changed, even if a more specific section allows it.
    private func permitted(_ settings: Settings) -> Settings {
        var settings = settings
        settings.isDryRun = settings.isDryRun || isDryRun
        return settings
    }

    func takeLock(_ name: String, wait: Duration) -> InterfaceLock? {
        if isDryRun { return nil }
        let lock = LockTaker(request).take(name, wait: wait, console)
        RepairCommand(request, console).finishFirst(name)
        return lock
    }

    // MARK: Reporting

    private var reporter: Environment.Reporter {
        Environment.Reporter(
            report: { [unowned self] in report($1, $0) },
            transition: { [unowned self] in
                printer.stateChanged($0, $1, $2)
                showProgress(of: $0)
            },
            finished: { [unowned self] in finished($0, $1) })
    }

    private func report(_ report: Report, _ interfaceRef: InterfaceRef) {
        printer.take(report, interfaceRef)
        history?.take(report, interfaceRef)
        let now = Instant(nanoseconds: BootClock.now())
        let interfaceEvent = watched[interfaceRef.id]?.interfaceStatus.take(report, at: now) ?? nil
        metrics?.note(isNews: report.isNewsForMetrics)
        hooks?.take(report, interfaceRef)
        if case .cycle = report { control?.tell { [unowned self] in lastEvent(of: interfaceRef) } }
        if let interfaceEvent { tell(interfaceEvent, about: interfaceRef.name) }
        tellRequests(report, interfaceRef)
        switch report {
        case .cycle(let cycle):
            if watched[interfaceRef.id]?.isOwnerTold == false { tellOwner(of: interfaceRef) }
            watched[interfaceRef.id]?.isOwnerTold = true
            watched[interfaceRef.id]?.isSeen = true
            live.checkSockets()
            checkForHoldUntold(of: interfaceRef.id)
            if isReady { show(cycle.verdict, of: interfaceRef) }
        // A bounce may take longer than a service manager waits for a start.
        case .step(.absent), .step(.beginning): watched[interfaceRef.id]?.isSeen = true
        case .step, .watching: break
        }
        becomeReady()
    }

    /// Reports it to the service manager, unless it was the last report.
    private func show(_ verdict: Verdict, of interfaceRef: InterfaceRef) {
        guard notifier.isHeard else { return }
        let status = "\(interfaceRef.name): \(verdict.headline)"
        if status == shownStatus { return }
        shownStatus = status
        notifier.status(status)
    }

    /// The first check of every interface is over.
    private func becomeReady() {
        guard !isReady, !isEnding, signals != nil, watched.values.allSatisfy(\.isSeen) else { return }
        isReady = true
        let names = watched.values.map(\.interfaceRef.name).sorted().joined(separator: ", ")
        notifier.ready(status: names.isEmpty ? "waiting for a Wi-Fi interface" : "watching \(names)")
    }

    private func startWatchdog() {
        guard let interval = notifier.watchdogInterval else { return }
        let period = interval.nanoseconds / 2
        watchdog = TimerSource { [unowned self] in
            notifier.watchdog()
            watchdog?.schedule(atBootNanoseconds: BootClock.now() + period)
        }
        watchdog?.schedule(atBootNanoseconds: BootClock.now() + period)
    }

    // MARK: Signals

    private func listenToSignals() {
        signals = console.signals(SignalSources.all) { [unowned self] number in
            switch number {
            case SIGHUP: reload()
            case SIGUSR1: interpreter.postToAll(.cycleRequested)
            case SIGUSR2: describe()
            default: end()
            }
        }
    }

    /// Logs the state of every toggler, on a user's request.
    private func describe() {
        for watched in watched.values.sorted(by: { $0.interfaceRef.name < $1.interfaceRef.name }) {
            let name = watched.interfaceRef.name
            let state = description(of: watched.interfaceRef.id)
            console.say(Line(.notice, "\(name): \(state)"), about: name)
        }
        if watched.isEmpty { console.say(Line(.notice, "no interface to watch")) }
    }

    private func description(of id: Int) -> String {
        guard let toggler = interpreter.toggler(id) else { return "ended" }
        let next = interpreter.untilNextDeadline(of: id).map { ", next deadline in \($0.text)" } ?? ""
        let last = toggler.lastVerdict.map { "; last verdict: \($0.headline)" } ?? ""
        return "\(toggler.state.name), \(toggler.health.condition.rawValue)\(next)\(last)"
    }

    private func end() {
        guard !isEnding else { return }
        isEnding = true
        printer.note(.notice, "told to end")
        finishAll()
    }

    /// The monitor cannot be reopened; exit so that the service manager restarts us.
    func endWithoutMonitor(_ failure: Failure) {
        guard !isEnding else { return }
        isEnding = true
        endStatus = .systemRefused
        console.say(Line(.error, failure.sentence("could not listen to netlink again") + "; ending"))
        finishAll()
    }

    private func finishAll() {
        notifier.stopping()
        if watched.isEmpty { return leave() }
        interpreter.postToAll(.terminationRequested)
    }

    /// The worst outcome of any interface is the outcome of the service: a link that could not be raised is
    /// no success.
    private func finished(_ interfaceRef: InterfaceRef, _ outcome: RunOutcome) {
        watched[interfaceRef.id] = nil
        history?.end(interfaceRef)
        endRequests(of: interfaceRef, outcome)
        if outcome != .interrupted { endStatus = ExitStatus(outcome) }
        if watched.isEmpty, isEnding { leave() }
    }

    /// After the current work: ending the process within it would leave values half made, which LeakSanitizer
    /// reports as lost.
    private func leave() {
        EventLoop.soon { [self] in
            control?.end()
            metrics?.end()
            exit(endStatus.rawValue)
        }
    }
}
