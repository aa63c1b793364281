import Model

/// The questions that one check has asked, round by round, and the answers so far.
struct ProbeRounds: Hashable, Sendable {
    struct Asked: Hashable, Sendable {
        let request: ProbeRequest
        /// The indices of the configured probes that the question serves; empty: it is an echo of `Silence`.
        var serves: Set<Int>
        var result: ProbeResult?
        var isAfterSilence: Bool { serves.isEmpty }

        /// The target as text; nil: the question has none, or serves only probes that are not in `specs`.
        func target(among specs: [Int]) -> String? {
            isAfterSilence || !serves.isDisjoint(with: specs) ? request.question.target : nil
        }
    }

    /// The questions so far, without those of earlier rounds that were abandoned.
    var asked: [Asked] = []
    /// The index in `asked` at which the current round begins.
    private(set) var start = 0
    private var abandoned: [Int] = []
    private var count = 0

    /// How many ids each check may use. No check asks more questions, so ids of different checks differ.
    private static let idsPerCheck = 4096

    /// Whether an answer crossed the link that only the target can give. With proxy ARP, others answer neighbour probes.
    var hasReply: Bool { asked.contains { $0.result?.isReply == true && $0.request.question.reachesTarget } }
    /// The questions without an answer yet.
    var outstanding: [Int] { asked.filter { $0.result == nil }.map(\.request.id) }

    /// The position in `asked` of a question without an answer yet.
    func position(of id: Int) -> Int? { asked.firstIndex { $0.request.id == id && $0.result == nil } }

    /// Begins a round. Each question is asked once, even if several probes need it.
    mutating func begin(
        _ questions: [(ProbeRequest.Question, Set<Int>)], timeout: Duration, on device: Port.Device?,
        check number: Int
    ) -> [ProbeRequest] {
        start = asked.endIndex
        for (question, serves) in questions {
            if let position = asked[start...].firstIndex(where: { $0.request.question == question }) {
                asked[position].serves.formUnion(serves)
                continue
            }
            let id = number * Self.idsPerCheck + count
            count += 1
            let request = ProbeRequest(id: id, question: question, timeout: timeout, device: device)
            asked.append(Asked(request: request, serves: serves))
        }
        return asked[start...].map(\.request)
    }

    /// Ends the round, and abandons the questions without an answer.
    mutating func end() {
        abandoned += outstanding
        asked.removeAll { $0.result == nil }
    }

    /// The questions that were abandoned since the last call.
    mutating func takeAbandoned() -> [Int] {
        defer { abandoned = [] }
        return abandoned
    }
}
