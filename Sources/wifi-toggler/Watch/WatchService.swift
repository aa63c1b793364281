import Glibc
import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// The command `run`: watches interfaces until it is told to end. Creates the parts of the service, connects
/// them, and ends the process.
final class WatchService {
    private let configuration: ServiceConfiguration
    private let console: Console
    private let printer: ReportPrinter
    private let serviceManager: ServiceManagerReporter
    private let interfaces = WatchedInterfaces()
    private var live: LiveEnvironment!
    private var interpreter: Interpreter!
    private var guards: GuardPool!
    private var rebooter: Rebooter!
    private var watcher: InterfaceWatcher!
    /// Reports holds; nil in a dry run.
    private var holds: HoldReporter?
    /// The receivers of reports; nil in a dry run.
    private var sinks: ReportSinks?
    private var signals: SignalSources?
    private var isEnding = false
    private var endStatus = ExitStatus.healthy

    init(
        _ request: Request, _ source: ConfigurationFiles, _ console: Console,
        _ environment: [String: String]
    ) {
        configuration = ServiceConfiguration(request, source)
        self.console = console
        printer = ReportPrinter(console, request, isOneShot: false)
        serviceManager = ServiceManagerReporter(environment: environment)
    }

    // MARK: Start

    func start() {
        let request = configuration.request
        let warnOnce = WarnOnce(printer)
        let directory = TrustedDirectory(request.stateDirectory)
        let store = StateStore(directory, orIn: TrustedDirectory(request.runDirectory), warnOnce)
        openEnvironment(request, store)
        rebooter = Rebooter(directory, warnOnce)
        live.methods.rebooter = rebooter
        let history = configuration.isDryRun ? nil : HistoryWriter(.run, in: directory, warnOnce)
        guards = GuardPool(
            live.netlink, live.methods, in: TrustedDirectory(request.runDirectory), console, .eventLoop
        ) { [unowned self] in interfaces[$0]?.lock.map { [$0] } ?? [] }
        interpreter = Interpreter(
            environment: live.environment(guards: guards, reporter: reporter, survivesSuspend: true) {
                [unowned self] in
                watcher.noticeSuspend()
                interpreter.timeCame()
            })
        let recorder = request.trace.map { TraceRecorder($0, printer, console) }
        if let recorder { interpreter.recorder = { recorder.take($0, $3, $1, at: $2) } }
        watcher = InterfaceWatcher(configuration, interfaces, live, interpreter, store, console, printer)
        watcher.history = history
        watcher.recorder = recorder
        watcher.tell = { [unowned self] in tell($0, $1) }
        watcher.monitorFailed = { [unowned self] in endWithoutMonitor($0) }
        // A dry run must not replace the files of a running service.
        if let history {
            let holds = HoldReporter(configuration, interfaces) { [unowned self] in tell($0, $1) }
            self.holds = holds
            sinks = ReportSinks(configuration, interfaces, interpreter, history, holds, printer)
        }
        for warning in configuration.warnings { printer.note(.warning, warning) }
        live.startMonitor([.links, .addresses, .routes, .neighbours, .wireless], console) { [unowned self] in
            watcher.notice($0)
        }
        InterfaceResolver(netlink: live.netlink).all { [unowned self] result in
            switch result {
            case .success(let candidates):
                replaceAlternativeNames(configuration.absentNames(candidates)[...]) { [unowned self] in
                    begin(candidates)
                }
            case .failure(let problem): console.fail(problem.description, problem.status)
            }
        }
    }

    private func openEnvironment(_ request: Request, _ store: StateStore) {
        live = LiveEnvironment.open(console) { [unowned self] in watcher.radiosChanged($0) }
        live.kernelState.holds = HoldStore(request)
        if !configuration.isDryRun { live.store = store }
        live.commandUser = request.commandUser
        live.ownDirectories = request.ownDirectories
        if UserAccount.ofProcess != 0 { StrayProcesses.adopt() }
        live.methods.directory = request.runDirectory
        live.methods.drivers = configuration.drivers
        live.methods.moved = { [unowned self] in watcher.moved($0) }
        live.kernelState.quiet = QuietHoursClock { [configuration] in configuration.quietHours(of: $0) }
    }

    private func replaceAlternativeNames(_ absent: ArraySlice<String>, _ done: @escaping () -> Void) {
        guard let name = absent.first else { return done() }
        live.netlink.link(named: name) { [unowned self] result in
            if case .success(let link) = result { configuration.use(link.name, insteadOf: name) }
            replaceAlternativeNames(absent.dropFirst(), done)
        }
    }

    private func begin(_ candidates: [Candidate]) {
        let meant = watcher.choose(from: candidates)
        if !configuration.isDryRun { Permission.require(console, for: meant.first?.link.name ?? "run") }
        let chosen = meant.map { ($0, watcher.locks.take($0.link.name)) }
        listenToSignals()
        sinks?.open()
        if let holds {
            holds.listen()
            watcher.holds = holds
            live.kernelState.mayBeHeld = { holds.mayHold($0) }
        }
        if configuration.request.interfaces.isEmpty {
            let selection = SelectionText(candidates.map { ($0.link, $0.wireless) })
            printer.note(.notice, selection.description)
        }
        watcher.begin(chosen, absent: configuration.absentNames(candidates))
        if watcher.isIdle { printer.note(.notice, "no Wi-Fi interface yet; waiting for one to appear") }
        serviceManager.startWatchdog()
        becomeReady()
    }

    /// Reports that the service is ready if the first check of every interface is over.
    private func becomeReady() {
        guard !serviceManager.isReady, !isEnding, signals != nil, interfaces.all.allSatisfy(\.isSeen) else {
            return
        }
        serviceManager.becomeReady(watching: interfaces.byName.map(\.name))
    }

    // MARK: Reports

    private var reporter: Environment.Reporter {
        Environment.Reporter(
            report: { [unowned self] in report($1, $0) },
            transition: { [unowned self] in
                printer.stateChanged($0, $1, $2)
                if let watched = interfaces[$0] { sinks?.showProgress(of: watched) }
            },
            finished: { [unowned self] in finished($0, $1) })
    }

    private func report(_ report: Report, _ interfaceRef: InterfaceRef) {
        let now = Instant.now
        let watched = interfaces[interfaceRef]
        let record =
            watched?.interfaceStatus.take(report, about: interfaceRef.name, at: now)
            ?? Record(report, about: interfaceRef.name, at: now)
        printer.take(record, interfaceRef)
        noteReboot(report, interfaceRef, at: now)
        sinks?.take(record, interfaceRef)
        switch report {
        case .cycle(let cycle):
            if let watched { firstChecked(watched) }
            live.checkSockets()
            if let watched { holds?.checkUnlessMonitored(watched) }
            serviceManager.show(cycle.verdict, of: interfaceRef)
        // A bounce may take longer than the service manager waits for the start, so do not wait for its end.
        case .step(.absent), .step(.beginning): watched?.isSeen = true
        case .step, .watching: break
        }
        becomeReady()
    }

    /// Logs and records that the machine was rebooted for a link, and the result.
    private func noteReboot(_ report: Report, _ interfaceRef: InterfaceRef, at now: Instant) {
        let name = interfaceRef.name
        switch report {
        case .step(.beginning(.reboot, let verdict?)): rebooter.announce(name, RecordedVerdict(verdict))
        case .watching(let settings, _):
            guard settings.mayReboot, !configuration.isDryRun,
                let cause = rebooter.cause(of: name)
            else { return }
            interfaces[interfaceRef]?.rebootCause = cause
            printer.note(
                .notice, "\(name): the machine was rebooted because of this link: \(cause.headline)",
                about: name)
        // If another method begins before the health is known, the reboot has not helped.
        case .step(.beginning(_, let verdict?)): judgeReboot(interfaceRef, verdict, .sick, at: now)
        case .cycle(let cycle):
            if cycle.change.after != .undetermined {
                judgeReboot(interfaceRef, cycle.verdict, cycle.change.after, at: now)
            }
        case .step: break
        }
    }

    /// Logs and records whether a reboot has helped, once.
    private func judgeReboot(
        _ interfaceRef: InterfaceRef, _ verdict: Verdict, _ condition: Health.Condition, at now: Instant
    ) {
        guard let cause = interfaces[interfaceRef]?.rebootCause else { return }
        interfaces[interfaceRef]?.rebootCause = nil
        interfaces[interfaceRef]?.interfaceStatus.rebooted(at: now)
        let (name, isUseful) = (interfaceRef.name, condition == .healthy)
        printer.note(
            isUseful ? .notice : .error,
            "\(name): the reboot \(isUseful ? "has helped" : "has not helped"): \(verdict.headline)",
            about: name)
        sinks?.history.rebooted(interfaceRef, because: cause, verdict, condition)
        rebooter.told()
    }

    /// Logs the owners of an interface once, after the first check. The first check must not wait until every
    /// process was read.
    private func firstChecked(_ watched: WatchedInterface) {
        watched.isSeen = true
        guard !watched.isOwnerTold else { return }
        watched.isOwnerTold = true
        let ownership = OwnerLookup().ownership(of: watched.interfaceRef)
        printer.note(.info, "\(watched.name): \(ownership.text)", about: watched.name)
        printer.warn(ownership, of: watched.interfaceRef)
    }

    /// Logs a record that does not come from a toggler, and sends it to clients that monitor events.
    private func tell(_ record: Record, _ interfaceRef: InterfaceRef) {
        printer.take(record, interfaceRef)
        sinks?.tell(record)
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

    private func reload() {
        serviceManager.reloading()
        do {
            if let remark = try configuration.readAgain() { printer.note(.warning, remark) }
            for warning in configuration.warnings { printer.note(.warning, warning) }
            live.commandUser = configuration.request.commandUser
            live.methods.drivers = configuration.drivers
            sinks?.useConfiguration()
            watcher.reconfigureAll()
            printer.note(.notice, "configuration read again", about: nil, .reloaded)
        } catch {
            let words = "\(error.description); the old configuration stays"
            printer.note(.error, words, about: nil, .reloadRefused)
        }
        serviceManager.reloaded()
    }

    /// Logs the state of every toggler (SIGUSR2).
    private func describe() {
        for watched in interfaces.byName {
            console.say(Line(.notice, "\(watched.name): \(state(of: watched.id))"), about: watched.name)
        }
        if interfaces.isEmpty { console.say(Line(.notice, "no interface to watch")) }
    }

    private func state(of id: Int) -> String {
        guard let toggler = interpreter.toggler(id) else { return "ended" }
        let next = interpreter.untilNextDeadline(of: id).map { ", next deadline in \($0.text)" } ?? ""
        let last = toggler.lastVerdict.map { "; last verdict: \($0.headline)" } ?? ""
        let state = Progress.description(ofState: toggler.state.name) ?? toggler.state.name
        return "\(toggler.health.condition.rawValue); now: \(state)\(next)\(last)"
    }

    // MARK: End

    private func end() {
        guard !isEnding else { return }
        isEnding = true
        printer.note(.notice, "ending because of a signal")
        finishAll()
    }

    /// The monitor cannot be opened again. Exit, so that the service manager restarts the service.
    private func endWithoutMonitor(_ failure: Failure) {
        guard !isEnding else { return }
        isEnding = true
        endStatus = .systemRefused
        console.say(
            Line(
                .error,
                failure.description(after: "could not subscribe to the events of the kernel (netlink) again")
                    + "; ending"))
        finishAll()
    }

    private func finishAll() {
        watcher.isEnding = true
        serviceManager.stopping()
        if interfaces.isEmpty { return leave() }
        interpreter.postToAll(.terminationRequested)
    }

    /// Handles the end of a toggler. A link that could not be set up determines the exit status of the
    /// service. The end of the process would interrupt a hook or the restart of an owner, so it comes later.
    private func finished(_ interfaceRef: InterfaceRef, _ outcome: RunOutcome) {
        live.methods.whenDone(with: interfaceRef) { [self] in
            interfaces.remove(interfaceRef)
            sinks?.finish(interfaceRef, outcome)
            if outcome != .interrupted { endStatus = ExitStatus(outcome) }
            if interfaces.isEmpty, isEnding { leave() }
        }
    }

    /// Ends the process after the present call. Ending it inside the call would leave values that
    /// LeakSanitizer reports as lost.
    private func leave() {
        sinks?.stopAnswering()
        EventLoop.soon { [self] in
            sinks?.end()
            if !configuration.isDryRun { rebooter.end() }
            exit(endStatus.rawValue)
        }
    }
}
