import HelperProtocol
import Model
import Platform

/// Runs a DNS or HTTP probe in the helper process.
@MainActor struct HelperProbe {
    let supervisor: HelperSupervisor
    var files = DNSServerFiles()

    /// Asks for the addresses of a name.
    /// - Parameter server: the name server to ask; nil for those of the link. A loopback address is asked
    ///   over the loopback interface.
    func ask(name: String, server: IPAddress?, on device: Device, _ pending: PendingProbe) {
        let device = server?.isLoopback == true ? .loopback : device
        let servers = server.map { [$0] } ?? files.servers(of: device)
        guard !servers.isEmpty else { return pending.end(.unknown(Self.noServers(device))) }
        // A private server that the administrator has configured may give private addresses for names that
        // look public.
        ask(.dns(name: name, expectsPrivate: server?.isPrivate ?? false), servers, device, pending)
    }

    func ask(_ question: HTTPQuestion, on device: Device, _ pending: PendingProbe) {
        let expectation: HelperRequest.Expectation =
            switch question.expectation {
            case .status(let status): .status(status)
            case .body(let text): .body(text)
            }
        ask(.http(url: question.url, expectation), files.servers(of: device), device, pending)
    }

    private func ask(
        _ question: HelperRequest.Question, _ servers: [IPAddress], _ device: Device, _ pending: PendingProbe
    ) {
        pending.begin()
        let supervisor = supervisor
        let make = { (id: UInt32) in
            HelperRequest(
                id: id, question: question, interface: device.name, index: device.index, servers: servers,
                timeout: .milliseconds(max(1, Int64(pending.remaining / .milliseconds(1)))))
        }
        // Set this before asking: the call may end the probe, and a closure that was set afterwards would
        // never be cleared, and would keep the probe alive.
        pending.timeIsOver = {
            // The helper has the same deadline, and reports by itself what it knows by then. Wait for its
            // report.
            pending.timeIsOver = { pending.end(.unknown(Self.noAnswer)) }
            pending.extend(by: Self.grace)
        }
        let id = supervisor.ask(make) { result in
            switch result {
            case .success(let outcome):
                pending.end(Self.result(outcome, of: question, within: pending.elapsed))
            case .failure(let failure): pending.end(.unknown(failure))
            }
        }
        pending.atEnd { supervisor.forget(id) }
    }

    /// Converts the helper's answer. Accepts only a result that the question can have.
    static func result(
        _ outcome: HelperAnswer.Outcome, of question: HelperRequest.Question, within elapsed: Duration
    ) -> ProbeResult {
        switch outcome {
        case .answered(let roundTrip, let detail):
            return .answered(roundTrip: min(roundTrip, elapsed), detail: detail)
        case .unanswered(let detail): return .unanswered(detail: detail)
        case .refuted(let fault, let roundTrip, let detail):
            guard let layer = layer(fault, of: question) else { return .unknown(nonsense) }
            return .refuted(layer: layer, roundTrip: min(roundTrip, elapsed), detail: detail)
        case .unknown(let code, let words):
            return .unknown(Failure(kind: .other, code: code, description: words))
        }
    }

    private static func layer(_ fault: HelperAnswer.Fault, of question: HelperRequest.Question) -> Layer? {
        switch (question, fault) {
        case (.dns, .dns), (.http, .dns), (.dns, .nameServer), (.http, .nameServer): .dns
        case (.http, .internet): .internet
        case (.http, .portal): .portal
        case (.dns, .internet), (.dns, .portal): nil
        }
    }

    /// How long to wait after the deadline for the helper's own answer. The helper may have started late.
    private static let grace: Duration = .seconds(1)
    private static let noAnswer = Failure(
        kind: .timedOut, description: "\(HelperSupervisor.name) did not answer")
    private static let nonsense = Failure(
        kind: .lost, description: "\(HelperSupervisor.name) sent an answer that does not fit the question")

    static func noServers(_ device: Device) -> Failure {
        Failure(
            kind: .other, description: "no name server of \(device.name) is known (name one: dns:NAME@SERVER)"
        )
    }
}
