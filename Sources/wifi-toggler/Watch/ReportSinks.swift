import Model
import Platform
import Reporting
import Service
import Toggling

/// Where the reports of a service go besides the log: the history, the metrics file, the hooks, and the
/// clients of the control socket. A dry run has none of these.
final class ReportSinks {
    let history: HistoryWriter
    private let configuration: ServiceConfiguration
    private let printer: ReportPrinter
    private let queries: StatusQueries
    private let control: ControlServer
    private let requests: PendingRequests
    private let hooks: HookRunner
    /// nil: no metrics file is configured.
    private var metrics: MetricsExporter?

    init(
        _ configuration: ServiceConfiguration, _ interfaces: WatchedInterfaces, _ interpreter: Interpreter,
        _ history: HistoryWriter, _ holds: HoldReporter, _ printer: ReportPrinter
    ) {
        self.configuration = configuration
        self.history = history
        self.printer = printer
        queries = StatusQueries(configuration, interfaces, interpreter, history, holds)
        control = ControlServer(queries.service, printer)
        requests = PendingRequests(configuration, interfaces, interpreter, control, printer)
        hooks = HookRunner(printer)
        control.onRequest = { [unowned self] in requests.begin($0, for: $1) }
    }

    /// Opens the control socket and the files.
    func open() {
        control.open(configuration.request)
        useConfiguration()
    }

    /// Uses the files of the current configuration.
    func useConfiguration() {
        hooks.use(configuration.request.hooksDirectory)
        guard metrics?.place != configuration.request.metricsFile else { return }
        metrics?.end()
        metrics = configuration.request.metricsFile.map {
            MetricsExporter($0, printer) { [unowned self] in queries.metricsText }
        }
        metrics?.note(isNews: true)
    }

    func take(_ report: Report, _ interfaceRef: InterfaceRef) {
        history.take(report, interfaceRef)
        metrics?.note(isNews: report.isNewsForMetrics)
        hooks.take(report, interfaceRef)
        if case .cycle = report { control.tell { [unowned self] in queries.lastEvent(of: interfaceRef) } }
        requests.take(report, interfaceRef)
    }

    /// Reports an event between two checks to clients that monitor.
    func tell(_ event: InterfaceEvent, about interface: String) {
        control.tell { event.json(interface: interface, time: WallClock.rfc3339()) }
    }

    func showProgress(of watched: WatchedInterface) { requests.showProgress(of: watched) }

    /// The interface is not watched any more.
    func finish(_ interfaceRef: InterfaceRef, _ outcome: RunOutcome) {
        history.end(interfaceRef)
        requests.end(of: interfaceRef, outcome)
    }

    /// Removes the socket and the metrics file, before the process ends.
    func end() {
        control.end()
        metrics?.end()
    }
}
