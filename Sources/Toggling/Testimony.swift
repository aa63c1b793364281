/// What one configured probe has come to.
enum Testimony: Hashable, Sendable {
    case good(ProbeRequest.Question)
    /// Nothing came back.
    case silent([ProbeRequest.Question])
    /// An answer, and it says that this layer is at fault.
    case refuted(Layer, ProbeRequest.Question, detail: String)
    /// Nothing follows from it.
    case unknown(Reason)

    /// From what was asked for it: one right answer is enough; a wrong one outweighs silence, and silence what
    /// could not be asked.
    init(of asked: [Inquiry.Asked]) {
        var silent: [ProbeRequest.Question] = []
        var refuted: Testimony?
        var unknown: Reason?
        for asked in asked {
            let question = asked.request.question
            switch asked.result {
            case .answered:
                self = .good(question)
                return
            case .unanswered: silent.append(question)
            case .refuted(let layer, _, let detail):
                refuted = refuted ?? .refuted(layer, question, detail: detail)
            case .unfamiliar: unknown = unknown ?? .unfamiliar(question)
            case .unknown(let failure): unknown = unknown ?? question.reason(for: failure)
            case nil: unknown = unknown ?? .noAnswerFromSystem
            }
        }
        self = refuted ?? (silent.isEmpty ? .unknown(unknown ?? .noGateway) : .silent(silent))
    }

    var isGood: Bool {
        if case .good = self { true } else { false }
    }
    var isUnknown: Bool {
        if case .unknown = self { true } else { false }
    }
}

extension ProbeRequest.Question {
    /// Why nothing follows from it.
    fileprivate func reason(for failure: Failure) -> Reason {
        switch self {
        case .command(let path): .commandUndecided(path, failure)
        case .neighbour, .icmp, .tcp, .dns, .http: .couldNotAsk(failure)
        }
    }

    var isCommand: Bool {
        switch self {
        case .command: true
        case .neighbour, .icmp, .tcp, .dns, .http: false
        }
    }
}

/// A configured probe and what it has come to.
struct Witness: Hashable, Sendable {
    var spec: ProbeSpec
    var testimony: Testimony
}

/// What the probes of one layer say together.
enum Finding: Hashable, Sendable {
    case good(Reason)
    case fault
    /// The probes that could not be asked might have turned it.
    case doubt(Reason)

    /// Every required probe has to succeed, and so many of all; where fewer are configured, all of these.
    /// Whatever could not be asked leaves the layer in doubt, as long as it could still turn the outcome.
    init(of witnesses: [Witness], quorum: Int) {
        let good = witnesses.filter(\.testimony.isGood)
        let open = witnesses.filter { $0.spec.isRequired && !$0.testimony.isGood }
        let needed = min(quorum, witnesses.count)
        if open.isEmpty, good.count >= needed, case .good(let question)? = good.first?.testimony {
            self = .good(.probeAnswered(question))
            return
        }
        let unknown = witnesses.filter(\.testimony.isUnknown)
        let isLost = open.contains { !$0.testimony.isUnknown } || good.count + unknown.count < needed
        let doubts = (open + unknown).compactMap { witness -> Reason? in
            if case .unknown(let reason) = witness.testimony { reason } else { nil }
        }
        self = isLost ? .fault : .doubt(doubts.first ?? .noGateway)
    }

    var isGood: Bool {
        if case .good = self { true } else { false }
    }
}
