import Model
import Platform
import Reporting
import Service
import Toggling

/// A client's request that this service carries out.
struct PendingRequest {
    let request: ControlRequest
    /// Of the interface, which may be renamed meanwhile.
    let id: Int
    var formatter: ControlRequestFormatter
}

extension WatchService {
    /// An existing interface.
    func interfaceRef(named name: String) -> InterfaceRef? {
        watched.values.first { $0.isPresent && $0.interfaceRef.name == name }?.interfaceRef
    }

    func begin(_ request: ControlRequest, for client: Int) {
        guard let interfaceRef = interfaceRef(named: request.interface) else {
            control?.end([], .unavailable, nil, to: client)
            return
        }
        printer.note(
            .notice, "\(interfaceRef.name): \(request.word) asked for, by the control socket",
            about: interfaceRef.name)
        requests[client] = PendingRequest(
            request: request, id: interfaceRef.id,
            formatter: ControlRequestFormatter(settings: settings(of: interfaceRef)))
        showProgress(of: interfaceRef)
        switch request.wish {
        case .toggle(let delay): interpreter.post(.bounceRequested(delay: delay), to: interfaceRef.id)
        case .reconnect: interpreter.post(.cycleRequested, to: interfaceRef.id)
        }
    }

    func tellRequests(_ report: Report, _ interfaceRef: InterfaceRef) {
        for (client, pending) in requests where pending.id == interfaceRef.id {
            switch report {
            case .watching: break
            case .step(let step):
                let lines = lines(for: report, interfaceRef, client)
                control?.tell(lines, to: client)
                if case .absent = step { end(client, [], .refused(.absent), nil) }
            case .cycle(let cycle):
                guard pending.request.isDone(by: cycle) else {
                    control?.tell(lines(for: report, interfaceRef, client), to: client)
                    continue
                }
                let lines = lines(for: .cycle(cycle.last), interfaceRef, client)
                end(client, lines, pending.request.outcome(of: cycle), event(cycle.last, interfaceRef))
            }
        }
    }

    /// To the clients that wait for it.
    func showProgress(of interfaceRef: InterfaceRef) {
        guard requests.values.contains(where: { $0.id == interfaceRef.id }),
            let state = interpreter.state(of: interfaceRef.id)
        else { return }
        let now = Instant(nanoseconds: BootClock.now())
        guard let progress = Progress(state, under: settings(of: interfaceRef), at: now) else { return }
        for (client, pending) in requests where pending.id == interfaceRef.id {
            control?.tell([], progress, to: client)
        }
    }

    /// The interface is not watched any more.
    func endRequests(of interfaceRef: InterfaceRef, _ outcome: RunOutcome) {
        for (client, pending) in requests where pending.id == interfaceRef.id {
            end(client, [], outcome, nil)
        }
    }

    private func lines(for report: Report, _ interfaceRef: InterfaceRef, _ client: Int) -> [Line] {
        let now = Instant(nanoseconds: BootClock.now())
        return requests[client]?.formatter.lines(for: report, interface: interfaceRef.name, at: now) ?? []
    }

    private func event(_ cycle: CycleReport, _ interfaceRef: InterfaceRef) -> JSONText {
        CycleJSON.json(
            cycle, interface: interfaceRef.name, time: WallClock.rfc3339(),
            now: Instant(nanoseconds: BootClock.now()), wallTime: { WallClock.rfc3339(in: $0) })
    }

    private func end(_ client: Int, _ lines: [Line], _ outcome: RunOutcome, _ event: JSONText?) {
        requests[client] = nil
        control?.end(lines, ExitStatus(outcome), event, to: client)
    }
}
