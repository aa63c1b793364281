import HelperProtocol
import Toggling

/// What follows from the replies of name servers; pure.
enum NameJudgement {
    /// What one server said, all in all.
    struct Testimony: Hashable {
        var server: IPAddress
        var replies: [NameReply]

        var addresses: [IPAddress] {
            replies.flatMap { reply in
                if case .addresses(let addresses) = reply { addresses } else { [IPAddress]() }
            }
        }
    }

    /// Which addresses of a name can be believed.
    enum Credulity: Hashable {
        /// The name is public, so a private address is a lie.
        case publicAlone
        /// Anything that a host can have.
        case anyHost

        func accepts(_ address: IPAddress) -> Bool {
            switch self {
            case .publicAlone: address.reach == .public
            case .anyHost: address.reach != .nowhere
            }
        }
    }

    /// The addresses that can be believed, in the order of the servers; empty: there are none.
    static func believed(_ testimonies: [Testimony], _ credulity: Credulity) -> [IPAddress] {
        testimonies.flatMap { $0.addresses.filter(credulity.accepts) }
    }

    /// One good answer is enough. Otherwise an answer counts more than silence, and silence more than a question
    /// that could not be asked.
    static func outcome(
        of name: String, _ testimonies: [Testimony], _ credulity: Credulity, roundTrip: Duration
    ) -> HelperAnswer.Outcome {
        for testimony in testimonies {
            guard let address = testimony.addresses.first(where: credulity.accepts) else { continue }
            return .answered(
                roundTrip: roundTrip, detail: "\(testimony.server) says \(name) is at \(address)")
        }
        let findings = testimonies.flatMap { testimony in
            testimony.replies.compactMap { finding(name, testimony, $0) }
        }
        for rank in [Finding.Rank.refuted, .silent, .unknown] {
            guard let finding = findings.first(where: { $0.rank == rank }) else { continue }
            switch rank {
            case .refuted: return .refuted(.dns, roundTrip: roundTrip, detail: finding.words)
            case .silent: return .unanswered(detail: finding.words)
            case .unknown: return .unknown(code: finding.code, words: finding.words)
            }
        }
        return .unknown(code: 0, words: "no name server was asked")
    }

    private struct Finding {
        enum Rank { case refuted, silent, unknown }

        var rank: Rank
        var words: String
        var code: Int32 = 0
    }

    private static func finding(_ name: String, _ testimony: Testimony, _ reply: NameReply) -> Finding? {
        let server = testimony.server
        switch reply {
        case .addresses:
            // None of them was believed.
            let shown = testimony.addresses.prefix(mostShown).map(\.description).joined(separator: ", ")
            return Finding(rank: .refuted, words: "\(server) lies: it says \(name) is at \(shown)")
        case .refused(let words): return Finding(rank: .refuted, words: "\(name): \(server) \(words)")
        case .silent: return Finding(rank: .silent, words: "\(server) did not answer")
        case .fault(let fault): return finding(server, fault)
        case .failed(let words):
            return Finding(rank: .unknown, words: "the question could not be asked: \(words)")
        }
    }

    private static func finding(_ server: IPAddress, _ fault: SocketFault) -> Finding {
        switch fault.origin {
        case .target: Finding(rank: .refuted, words: "\(server) does not serve names: \(fault.words)")
        case .stranger(let who): Finding(rank: .silent, words: "\(who) says of \(server): \(fault.words)")
        case .silentNeighbour:
            Finding(rank: .silent, words: "\(server): no neighbour answered: \(fault.words)")
        case .ours: Finding(rank: .unknown, words: "\(server): \(fault.words)", code: fault.code)
        }
    }

    private static let mostShown = 3
}
