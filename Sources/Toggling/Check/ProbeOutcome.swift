import Model

/// The outcome of one configured probe.
enum ProbeOutcome: Hashable, Sendable {
    case good(ProbeRequest.Question)
    /// These questions had no answer.
    case silent([ProbeRequest.Question])
    /// An answer that shows a fault in this layer.
    case refuted(Layer, ProbeRequest.Question, detail: String)
    /// No evidence either way.
    case unknown(Reason)

    /// Combines the results of one probe's questions: one right answer suffices, a wrong answer outweighs
    /// silence, and silence outweighs a question that could not be asked.
    init(of asked: [ProbeRounds.Asked]) {
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
            case .unknown(let failure):
                var reason = Reason.couldNotAsk(failure)
                if case .command(let path) = question { reason = .commandUndecided(path, failure) }
                unknown = unknown ?? reason
            case nil: unknown = unknown ?? .noAnswerFromSystem
            }
        }
        self = refuted ?? (silent.isEmpty ? .unknown(unknown ?? .noGateway) : .silent(silent))
    }

    var isGood: Bool { if case .good = self { true } else { false } }
    /// Why there is no evidence; nil: there is some.
    var doubt: Reason? { if case .unknown(let reason) = self { reason } else { nil } }
}

/// A configured probe and its outcome.
struct JudgedProbe: Hashable, Sendable {
    var spec: ProbeSpec
    var outcome: ProbeOutcome
}

/// The combined result of the probes of one layer.
enum LayerResult: Hashable, Sendable {
    case good(Reason)
    case fault
    /// It is not known which: probes that could not be asked might have changed the result.
    case doubt(Reason)

    /// Every required probe must succeed, and `quorum` probes in total, or all if fewer are configured. If a
    /// probe could not be asked and its success could change the result, the result is in doubt.
    init(of judgedProbes: [JudgedProbe], quorum: Int) {
        let good = judgedProbes.filter(\.outcome.isGood)
        let open = judgedProbes.filter { $0.spec.isRequired && !$0.outcome.isGood }
        let needed = min(quorum, judgedProbes.count)
        if open.isEmpty, good.count >= needed, case .good(let question)? = good.first?.outcome {
            self = .good(.probeAnswered(question))
            return
        }
        let unknown = judgedProbes.filter { $0.outcome.doubt != nil }
        let isLost = open.contains { $0.outcome.doubt == nil } || good.count + unknown.count < needed
        let doubts = (open + unknown).compactMap(\.outcome.doubt)
        self = isLost ? .fault : .doubt(doubts.first ?? .noGateway)
    }

    var isGood: Bool { if case .good = self { true } else { false } }
}
