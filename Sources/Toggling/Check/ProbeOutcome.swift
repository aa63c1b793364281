import Model

/// What one configured probe has come to.
enum ProbeOutcome: Hashable, Sendable {
    case good(ProbeRequest.Question)
    /// Nothing came back.
    case silent([ProbeRequest.Question])
    /// An answer, and it says that this layer is at fault.
    case refuted(Layer, ProbeRequest.Question, detail: String)
    /// Nothing follows from it.
    case unknown(Reason)

    /// From what was asked for it: one right answer is enough; a wrong one outweighs silence, and silence what
    /// could not be asked.
    init(of asked: [HealthCheck.Asked]) {
        var silent: [ProbeRequest.Question] = []
        var refuted: ProbeOutcome?
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
            case .neverAnswered: unknown = unknown ?? .neverAnswered(question)
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
struct JudgedProbe: Hashable, Sendable {
    var spec: ProbeSpec
    var outcome: ProbeOutcome
}

/// What the probes of one layer say together.
enum LayerResult: Hashable, Sendable {
    case good(Reason)
    case fault
    /// The probes that could not be asked might have turned it.
    case doubt(Reason)

    /// Every required probe has to succeed, and so many of all; where fewer are configured, all of these.
    /// Whatever could not be asked leaves the layer in doubt, as long as it could still turn the outcome.
    init(of judgedProbes: [JudgedProbe], quorum: Int) {
        let good = judgedProbes.filter(\.outcome.isGood)
        let open = judgedProbes.filter { $0.spec.isRequired && !$0.outcome.isGood }
        let needed = min(quorum, judgedProbes.count)
        if open.isEmpty, good.count >= needed, case .good(let question)? = good.first?.outcome {
            self = .good(.probeAnswered(question))
            return
        }
        let unknown = judgedProbes.filter(\.outcome.isUnknown)
        let isLost = open.contains { !$0.outcome.isUnknown } || good.count + unknown.count < needed
        let doubts = (open + unknown).compactMap { judgedProbe -> Reason? in
            if case .unknown(let reason) = judgedProbe.outcome { reason } else { nil }
        }
        self = isLost ? .fault : .doubt(doubts.first ?? .noGateway)
    }

    var isGood: Bool {
        if case .good = self { true } else { false }
    }
}
