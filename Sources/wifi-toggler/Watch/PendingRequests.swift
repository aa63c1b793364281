import Model
import Platform
import Reporting
import Service
import Toggling

/// The requests of clients of the control socket that this service is carrying out.
final class PendingRequests {
    private struct Pending {
        let request: ControlRequest
        /// The ID of the interface, because its name may change meanwhile.
        let id: Int
        var formatter: LogFormatter
    }

    private let configuration: ServiceConfiguration
    private let interfaces: WatchedInterfaces
    private let interpreter: Interpreter
    private let control: ControlServer
    private let printer: ReportPrinter
    /// The requests by the number of the client. A client that waits for a reply makes no further calls.
    private var requests: [Int: Pending] = [:]

    init(
        _ configuration: ServiceConfiguration, _ interfaces: WatchedInterfaces, _ interpreter: Interpreter,
        _ control: ControlServer, _ printer: ReportPrinter
    ) {
        self.configuration = configuration
        self.interfaces = interfaces
        self.interpreter = interpreter
        self.control = control
        self.printer = printer
    }

    func begin(_ request: ControlRequest, for client: Int) {
        guard let watched = interfaces.present(named: request.interface) else {
            control.end([], .unavailable, nil, to: client)
            return
        }
        printer.note(
            .notice, "\(watched.name): \(request.word) requested through the control socket",
            about: watched.name)
        if request.wantsReply {
            requests[client] = Pending(
                request: request, id: watched.id,
                formatter: LogFormatter(verbosity: .verbose, settings: configuration.settings(of: watched)))
            showProgress(of: watched)
        }
        switch request.kind {
        case .toggle(let delay): interpreter.post(.bounceRequested(delay: delay), to: watched.id)
        case .reconnect: interpreter.post(.cycleRequested, to: watched.id)
        }
    }

    func take(_ record: Record, _ interfaceRef: InterfaceRef) {
        for (client, pending) in requests where pending.id == interfaceRef.id {
            guard let cycle = record.cycle else {
                if record.kind != .started { control.tell(lines(for: record, client), to: client) }
                if record.kind == .absent { end(client, [], .refused(.absent), nil) }
                continue
            }
            guard pending.request.isDone(by: cycle) else {
                control.tell(lines(for: record, client), to: client)
                continue
            }
            let last = record.last
            end(
                client, lines(for: last, client), pending.request.outcome(of: cycle),
                last.json(wallTime: ReportPrinter.wallTime))
        }
    }

    /// Sends the progress to the clients that wait for this interface.
    func showProgress(of watched: WatchedInterface) {
        guard requests.values.contains(where: { $0.id == watched.id }),
            let state = interpreter.state(of: watched.id)
        else { return }
        guard let progress = Progress(state, under: configuration.settings(of: watched), at: .now) else {
            return
        }
        for (client, pending) in requests where pending.id == watched.id {
            control.tell([], progress, to: client)
        }
    }

    /// Ends the requests for an interface that is not watched any more.
    func end(of interfaceRef: InterfaceRef, _ outcome: RunOutcome) {
        for (client, pending) in requests where pending.id == interfaceRef.id {
            end(client, [], outcome, nil)
        }
    }

    private func lines(for record: Record, _ client: Int) -> [Line] {
        requests[client]?.formatter.lines(for: record) ?? []
    }

    private func end(_ client: Int, _ lines: [Line], _ outcome: RunOutcome, _ event: JSONText?) {
        requests[client] = nil
        control.end(lines, ExitStatus(outcome), event, to: client)
    }
}
