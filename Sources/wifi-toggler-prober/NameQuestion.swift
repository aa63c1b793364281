import Glibc
import HelperProtocol
import Toggling

/// The addresses of a name, asked of all the servers at once: one good answer is enough.
final class NameQuestion {
    /// Whether the first good answer ends it, or both types of addresses are wanted.
    enum Thoroughness { case oneAddress, bothFamilies }

    let name: String
    private let queries: [NameQuery]
    private let credulity: NameJudgement.Credulity
    private let thoroughness: Thoroughness
    private let asked: Instant
    private let deadline: Instant
    /// When a first good answer is not supplemented any more.
    private var patience: Instant?

    private static let longestPatience: Duration = .milliseconds(300)

    init(
        _ name: String, servers: [IPAddress], device: Device, _ credulity: NameJudgement.Credulity,
        _ thoroughness: Thoroughness, asked: Instant, deadline: Instant
    ) {
        self.name = name
        self.credulity = credulity
        self.thoroughness = thoroughness
        self.asked = asked
        self.deadline = deadline
        queries = servers.map { NameQuery(name, server: $0, device: device, timeout: deadline - asked) }
    }

    var polls: [pollfd] { queries.flatMap(\.polls) }
    /// Until something is to be done without a descriptor being ready.
    var wait: Duration {
        let own = (patience.map { min($0, deadline) } ?? deadline) - Instant.now
        return queries.compactMap(\.wait).reduce(max(.zero, own), min)
    }

    func proceed(_ ready: [pollfd]) {
        for query in queries {
            let mine = Set(query.polls.map(\.fd))
            for poll in ready where mine.contains(poll.fd) { query.proceed(poll) }
            query.proceed()
        }
        if patience == nil, !addresses.isEmpty { patience = Instant.now + Self.longestPatience }
    }

    private var testimonies: [NameJudgement.Testimony] { queries.map(\.testimony) }
    /// Those that can be believed.
    var addresses: [IPAddress] { NameJudgement.believed(testimonies, credulity) }

    var isOver: Bool {
        if queries.allSatisfy(\.isOver) || Instant.now >= deadline { return true }
        switch thoroughness {
        case .oneAddress: return !addresses.isEmpty
        case .bothFamilies: return patience.map { Instant.now >= $0 } ?? false
        }
    }

    /// What follows, now that it is over: who has not answered is silent.
    var outcome: HelperAnswer.Outcome {
        let final = testimonies.map { testimony in
            var testimony = testimony
            if testimony.replies.isEmpty { testimony.replies = [.silent] }
            return testimony
        }
        return NameJudgement.outcome(of: name, final, credulity, roundTrip: Instant.now - asked)
    }
}
