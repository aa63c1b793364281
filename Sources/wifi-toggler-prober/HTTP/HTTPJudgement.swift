import HelperProtocol
import Model

/// Judges the answer of a web server: a pure function.
///
/// Without TLS, a captive portal may answer in place of the server. With a valid certificate, the answer is
/// from the server itself.
struct HTTPJudgement {
    var target: HTTPTarget
    var expectation: HelperRequest.Expectation
    var roundTrip: Duration

    func outcome(_ facts: HTTPFacts) -> HelperAnswer.Outcome {
        switch facts.ending {
        case .whole: judge(facts)
        case .late where facts.status == nil: .unanswered(detail: "\(target.text) did not answer")
        case .late: .unanswered(detail: "\(target.text) began to answer, but did not finish in time")
        case .unconnected(let faults): judge(faults)
        case .endlessHeader: refuted(.internet, "\(target.text) sent a header of more than 16 KiB")
        case .unproven: refuted(.portal, "the certificate does not prove the identity of \(target.text)")
        case .untimely:
            .unknown(
                code: 0,
                description:
                    "the certificate of \(target.text) is not valid at this machine's time (check this machine's clock)"
            )
        case .tls(let words): refuted(.internet, "TLS with \(target.text) failed: \(words)")
        case .broken(let words): refuted(.internet, "\(target.text): \(words)")
        case .failed(let words):
            .unknown(code: 0, description: "the request to \(target.text) failed: \(words)")
        }
    }

    private func judge(_ facts: HTTPFacts) -> HelperAnswer.Outcome {
        guard let status = facts.status else {
            return refuted(.internet, "\(target.text) sent an answer that is not HTTP")
        }
        guard !isAsExpected(status, facts.body) else {
            return .answered(roundTrip: roundTrip, detail: "\(target.text) answered with status \(status)")
        }
        let isServerFault = Status.serverFaults.contains(status) && status != Status.needsLogin
        let fault: HelperAnswer.Fault = target.isSecure || isServerFault ? .internet : .portal
        return refuted(fault, description(status, facts))
    }

    private func isAsExpected(_ status: Int, _ body: [UInt8]) -> Bool {
        switch expectation {
        case .status(let wanted): status == wanted
        case .body(let wanted): Status.successes.contains(status) && body.contains(wanted.utf8)
        }
    }

    private func description(_ status: Int, _ facts: HTTPFacts) -> String {
        if let location = facts.location, Status.redirects.contains(status) {
            let shown = Printable.text(location, limit: Self.longestLocation)
            return "\(target.text) redirects (\(status)) to \(shown)"
        }
        return switch expectation {
        case .status(let wanted): "\(target.text) answered with status \(status), not \(wanted)"
        case .body where Status.successes.contains(status):
            "\(target.text) answered with another page than expected"
        case .body: "\(target.text) answered with status \(status)"
        }
    }

    private func judge(_ faults: [SocketFault]) -> HelperAnswer.Outcome {
        if faults.contains(where: { $0.origin == .target }) {
            return refuted(.internet, "\(target.text) refused the connection")
        }
        let others = faults.sorted { $0.origin.rank < $1.origin.rank }
        guard let fault = others.first else {
            return .unknown(code: 0, description: "\(target.text) could not be asked")
        }
        return switch fault.origin {
        case .stranger(let who):
            .unanswered(detail: "\(who) reports that \(target.text) cannot be reached: \(fault.description)")
        case .silentNeighbour, .target:
            .unanswered(
                detail: "\(target.text) cannot be reached: the next hop did not answer: \(fault.description)")
        case .silentTarget: .unanswered(detail: "\(target.text) did not answer")
        case .ours:
            .unknown(code: fault.code, description: "\(target.text) could not be asked: \(fault.description)")
        }
    }

    private func refuted(_ fault: HelperAnswer.Fault, _ detail: String) -> HelperAnswer.Outcome {
        .refuted(fault, roundTrip: roundTrip, detail: detail)
    }

    /// Ranges of HTTP statuses (RFC 9110, section 15), and 511 (RFC 6585, section 6).
    private enum Status {
        static let successes = 200...299
        static let redirects = 300...399
        static let serverFaults = 500...599
        static let needsLogin = 511
    }

    private static let longestLocation = 120
}

extension SocketFault.Origin {
    /// The rank of an error among the errors of several attempts; the lowest rank is the most informative. An
    /// answer from another host counts more than an error of this machine.
    fileprivate var rank: Int {
        switch self {
        case .target: 0
        case .stranger: 1
        case .silentNeighbour: 2
        case .silentTarget: 3
        case .ours: 4
        }
    }
}

extension [UInt8] {
    /// Whether the array contains these bytes one after the other.
    fileprivate func contains(_ wanted: some Collection<UInt8>) -> Bool {
        let wanted = Array(wanted)
        guard let first = wanted.first, count >= wanted.count else { return wanted.isEmpty }
        return (0...count - wanted.count).contains { start in
            self[start] == first && self[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
