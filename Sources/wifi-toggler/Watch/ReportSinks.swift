import Model
import Platform
import Reporting
import Service
import Toggling

/// Passes the reports of a service on to the history, the metrics file, the hooks, and the clients of the
/// control socket. A dry run has none of these.
final class ReportSinks {
    let history: HistoryWriter
    private let configuration: ServiceConfiguration
    private let printer: ReportPrinter
    private let handler: ControlRequestHandler
    private let control: ControlServer
    private let requests: PendingRequests
    private let hooks: HookRunner
    /// Writes the metrics file; nil if none is configured.
    private var metrics: MetricsExporter?

    init(
        _ configuration: ServiceConfiguration, _ interfaces: WatchedInterfaces, _ interpreter: Interpreter,
        _ history: HistoryWriter, _ holds: HoldReporter, _ printer: ReportPrinter
    ) {
        self.configuration = configuration
        self.history = history
        self.printer = printer
        handler = ControlRequestHandler(configuration, interfaces, interpreter, history, holds)
        control = ControlServer(handler.service, printer)
        requests = PendingRequests(configuration, interfaces, interpreter, control, printer)
        hooks = HookRunner(printer, protected: configuration.request.ownDirectories)
        control.onRequest = { [unowned self] in requests.begin($0, for: $1) }
    }

    /// Opens the control socket, and begins to use the configured metrics file and hooks.
    func open() {
        control.open(configuration.request)
        useConfiguration()
    }

    /// Applies the paths in the present configuration.
    func useConfiguration() {
        hooks.use(configuration.request.hooksDirectory)
        guard metrics?.place != configuration.request.metricsFile else { return }
        metrics?.end()
        metrics = configuration.request.metricsFile.map {
            MetricsExporter($0, printer) { [unowned self] in handler.metricsText }
        }
        metrics?.note(isNews: true)
    }

    func take(_ record: Record, _ interfaceRef: InterfaceRef) {
        history.take(record, interfaceRef)
        hooks.take(record, interfaceRef)
        tell(record)
        requests.take(record, interfaceRef)
    }

    /// Passes a record, also one that does not come from a toggler, to the metrics file and to the clients that
    /// monitor events.
    func tell(_ record: Record) {
        metrics?.note(record)
        if record.isTold { control.tell { record.json(wallTime: ReportPrinter.wallTime) } }
    }

    func showProgress(of watched: WatchedInterface) { requests.showProgress(of: watched) }

    /// Handles the end of watching an interface.
    func finish(_ interfaceRef: InterfaceRef, _ outcome: RunOutcome) {
        history.end(interfaceRef)
        requests.end(of: interfaceRef, outcome)
    }

    /// Stops answering calls on the control socket.
    func stopAnswering() { control.answers = false }

    /// Removes the socket and the metrics file. Call it before the process ends.
    func end() {
        control.end()
        metrics?.end()
    }
}
