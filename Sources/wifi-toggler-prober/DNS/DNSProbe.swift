import Glibc
import HelperProtocol
import Model
import Platform

/// Asks several name servers for a name at the same time. One good answer is enough.
final class DNSProbe {
    /// Whether to stop after the first good address, or to wait for IPv4 and IPv6 addresses.
    enum Thoroughness { case oneAddress, bothFamilies }

    let name: String
    private let queries: [DNSQuery]
    private let credulity: DNSJudgement.Credulity
    private let thoroughness: Thoroughness
    private let asked: Instant
    private let deadline: Instant
    /// When the first good answer came; nil before that.
    private(set) var answered: Instant?
    /// When to stop waiting for more addresses; nil before the first good answer.
    private var timeout: Instant? { answered.map { $0 + Self.longestTimeout } }

    private static let longestTimeout: Duration = .milliseconds(300)

    init(
        _ name: String, servers: [IPAddress], device: Device, _ credulity: DNSJudgement.Credulity,
        _ thoroughness: Thoroughness, asked: Instant, deadline: Instant
    ) {
        self.name = name
        self.credulity = credulity
        self.thoroughness = thoroughness
        self.asked = asked
        self.deadline = deadline
        queries = servers.map { DNSQuery(name, server: $0, device: device, timeout: deadline - asked) }
    }

    var polls: [pollfd] { queries.flatMap(\.polls) }
    /// The time until something must be done even if no descriptor is ready.
    var wait: Duration {
        let own = (timeout.map { min($0, deadline) } ?? deadline) - Instant.now
        return queries.compactMap(\.wait).reduce(max(.zero, own), min)
    }

    func proceed(_ ready: [pollfd]) {
        for query in queries {
            let mine = Set(query.polls.map(\.fd))
            for poll in ready where mine.contains(poll.fd) { query.proceed(poll) }
            query.proceed()
        }
        if answered == nil, !addresses.isEmpty { answered = Instant.now }
    }

    private var outcomes: [DNSJudgement.ServerOutcome] { queries.map(\.outcome) }
    /// The addresses that are accepted so far.
    var addresses: [IPAddress] { DNSJudgement.believed(outcomes, credulity) }

    var isOver: Bool {
        if queries.allSatisfy(\.isOver) || Instant.now >= deadline { return true }
        switch thoroughness {
        case .oneAddress: return !addresses.isEmpty
        case .bothFamilies: return timeout.map { Instant.now >= $0 } ?? false
        }
    }

    /// The final result. A server without replies counts as silent.
    var outcome: HelperAnswer.Outcome {
        let final = outcomes.map { outcome in
            var outcome = outcome
            if outcome.replies.isEmpty { outcome.replies = [.silent] }
            return outcome
        }
        return DNSJudgement.outcome(of: name, final, credulity, roundTrip: Instant.now - asked)
    }
}
