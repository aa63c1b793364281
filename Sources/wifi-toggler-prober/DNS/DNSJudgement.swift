import HelperProtocol
import Model

/// Judges the replies of name servers: a pure function.
enum DNSJudgement {
    /// The replies of one server.
    struct ServerOutcome: Hashable {
        var server: IPAddress
        var replies: [DNSReply]

        var addresses: [IPAddress] {
            replies.flatMap { reply in
                if case .addresses(let addresses) = reply { addresses } else { [IPAddress]() }
            }
        }
    }

    /// Which addresses for a name are accepted.
    enum Credulity: Hashable {
        /// Only public addresses. The name is public, so a private address is a wrong answer.
        case publicAlone
        /// Any public or local address (``IPAddress/Reach``).
        case anyHost

        func accepts(_ address: IPAddress) -> Bool {
            switch self {
            case .publicAlone: address.reach == .public
            case .anyHost: address.reach != .nowhere
            }
        }
    }

    /// The accepted addresses, in the order of the servers.
    static func believed(_ outcomes: [ServerOutcome], _ credulity: Credulity) -> [IPAddress] {
        outcomes.flatMap { $0.addresses.filter(credulity.accepts) }
    }

    /// The outcome of a DNS probe. One accepted address is enough. Otherwise a wrong or negative reply counts
    /// more than silence, and silence counts more than a question that could not be sent.
    static func outcome(
        of name: String, _ outcomes: [ServerOutcome], _ credulity: Credulity, roundTrip: Duration
    ) -> HelperAnswer.Outcome {
        for outcome in outcomes {
            guard let address = outcome.addresses.first(where: credulity.accepts) else { continue }
            return .answered(
                roundTrip: roundTrip, detail: "\(outcome.server) says \(name) is at \(address)")
        }
        let findings = outcomes.flatMap { outcome in
            outcome.replies.compactMap { finding(name, outcome, $0) }
        }
        for rank in [DNSFinding.Rank.refuted, .silent, .unknown] {
            guard let finding = findings.first(where: { $0.rank == rank }) else { continue }
            switch rank {
            case .refuted:
                let isServers = findings.allSatisfy { $0.rank != .refuted || $0.isServers }
                return .refuted(
                    isServers ? .nameServer : .dns, roundTrip: roundTrip, detail: finding.description)
            case .silent: return .unanswered(detail: finding.description)
            case .unknown: return .unknown(code: finding.code, description: finding.description)
            }
        }
        return .unknown(code: 0, description: "no name server was asked")
    }

    private struct DNSFinding {
        enum Rank { case refuted, silent, unknown }

        var rank: Rank
        var description: String
        var code: Int32 = 0
        /// Whether the server itself does not do its work.
        var isServers = false
    }

    private static func finding(_ name: String, _ outcome: ServerOutcome, _ reply: DNSReply) -> DNSFinding? {
        let server = outcome.server
        switch reply {
        case .addresses:
            // None of the addresses was accepted.
            let shown = outcome.addresses.prefix(mostShown).map(\.description).joined(separator: ", ")
            return DNSFinding(
                rank: .refuted, description: "\(server) gives a false answer: \(name) is at \(shown)")
        case .refused(let words):
            return DNSFinding(rank: .refuted, description: "\(name): \(server) \(words)")
        case .serverFailed:
            let description = "\(name): \(server) failed to answer (SERVFAIL)"
            return DNSFinding(rank: .refuted, description: description, isServers: true)
        case .silent: return DNSFinding(rank: .silent, description: "\(server) did not answer")
        case .fault(let fault): return finding(server, fault)
        case .failed(let words):
            return DNSFinding(rank: .unknown, description: "the question could not be asked: \(words)")
        }
    }

    private static func finding(_ server: IPAddress, _ fault: SocketFault) -> DNSFinding {
        switch fault.origin {
        case .target:
            DNSFinding(
                rank: .refuted, description: "\(server) does not serve names: \(fault.description)",
                isServers: true)
        case .stranger(let who):
            DNSFinding(
                rank: .silent,
                description: "\(who) reports that \(server) cannot be reached: \(fault.description)")
        case .silentNeighbour:
            DNSFinding(
                rank: .silent,
                description: "\(server) cannot be reached: the next hop did not answer: \(fault.description)")
        case .silentTarget: DNSFinding(rank: .silent, description: "\(server) did not answer")
        case .ours:
            DNSFinding(
                rank: .unknown, description: "\(server) could not be asked: \(fault.description)",
                code: fault.code)
        }
    }

    private static let mostShown = 3
}
