import Model

/// The combined result of the probes of name servers, of the Internet and of portals.
///
/// Each layer is judged by its own probes. HTTP probes also tell about two other layers: an answer can show
/// that a portal intercepts requests, or that the name was not resolved. Only HTTP probes decide about a
/// portal, and about dns if there is no DNS probe: a TCP probe that succeeds does not outweigh them.
///
/// The fault is in the lowest faulty layer, but a portal comes before the internet, which it hides. If a
/// layer's own probes succeed, what other probes report of it counts only if no other layer has a fault.
enum UpstreamResult: Hashable, Sendable {
    case good(Reason)
    /// - Parameter mayBeGateways: whether it may be the gateway's fault: no answer came over the link.
    case fault(Layer, Reason, mayBeGateways: Bool)
    case doubt(Layer, Reason, mayBeGateways: Bool)

    init(of judgedProbes: [JudgedProbe], quorum: Int) {
        let layers = LayerProbes.all(of: judgedProbes)
        let isCarried = judgedProbes.contains(where: \.outcome.hasCrossedLink)
        let results = layers.map { ($0, LayerResult(of: $0.judgedProbes, quorum: quorum)) }
        let cleared = Set(results.filter(\.1.isGood).map(\.0.layer))
        let faults = results.filter { $0.1 == .fault }.flatMap(\.0.faults)
        let remaining = faults.filter { !cleared.contains($0.layer) }
        if let worst = LayerFault.gravest(remaining.isEmpty ? faults : remaining) {
            self = .fault(worst.layer, worst.reason, mayBeGateways: !isCarried)
            return
        }
        for case (let layerProbes, .doubt(let reason)) in results {
            self = .doubt(layerProbes.layer, reason, mayBeGateways: !isCarried)
            return
        }
        for case (_, .good(let reason)) in results.reversed() {
            self = .good(reason)
            return
        }
        self = .doubt(.internet, .noAnswerFromSystem, mayBeGateways: !isCarried)
    }

    /// Whether enough probes have succeeded, so that the round can end before all answers have come.
    static func isSettled(_ judgedProbes: [JudgedProbe], quorum: Int) -> Bool {
        let portals = LayerProbes(layer: .portal, judgedProbes: judgedProbes.filter(\.spec.asksForPage))
        let layers = LayerProbes.all(of: judgedProbes) + (portals.judgedProbes.isEmpty ? [] : [portals])
        return layers.allSatisfy { LayerResult(of: $0.judgedProbes, quorum: quorum).isGood }
    }
}

/// The probes whose results count for one layer.
private struct LayerProbes {
    var layer: Layer
    var judgedProbes: [JudgedProbe]

    /// The layers with their probes, from the lowest up. HTTP probes count also for portal if one
    /// of them reports a portal, and for dns if one reports a fault of dns and there is no DNS probe.
    static func all(of judgedProbes: [JudgedProbe]) -> [LayerProbes] {
        let own = [Layer.dns, .internet].map { layer in
            LayerProbes(layer: layer, judgedProbes: judgedProbes.filter { $0.spec.layer == layer })
        }.filter { !$0.judgedProbes.isEmpty }
        let pages = judgedProbes.filter(\.spec.asksForPage)
        let accused = [Layer.dns, .portal].filter { layer in
            pages.contains { $0.outcome.accuses(layer) } && !own.contains { $0.layer == layer }
        }
        return (own + accused.map { LayerProbes(layer: $0, judgedProbes: pages) }).sorted {
            LayerFault.rank($0.layer) < LayerFault.rank($1.layer)
        }
    }

    var faults: [LayerFault] {
        judgedProbes.compactMap { judgedProbe in
            switch judgedProbe.outcome {
            case .good, .unknown: nil
            case .silent(let questions):
                LayerFault(layer: judgedProbe.spec.layer ?? layer, silent: questions)
            case .refuted(.portal, let question, let detail):
                LayerFault(layer: .portal, wrong: .portal(question, detail: detail))
            case .refuted(let layer, let question, let detail):
                LayerFault(layer: layer, wrong: .answerWrong(question, detail: detail))
            }
        }
    }
}

/// A fault of one layer that one probe reports.
private struct LayerFault {
    var layer: Layer
    var silent: [ProbeRequest.Question] = []
    /// The reason that a wrong answer gives; nil: there was no answer.
    var wrong: Reason?

    /// The order of faults: from the lowest layer up, but a portal before the internet, which it hides.
    static func rank(_ layer: Layer) -> Int { order.firstIndex(of: layer) ?? order.endIndex }
    private static let order: [Layer] = [.radio, .association, .address, .gateway, .dns, .portal, .internet]

    /// The lowest faulty layer and the reason. A wrong answer is a better reason than silence.
    static func gravest(_ faults: [LayerFault]) -> (layer: Layer, reason: Reason)? {
        guard let layer = faults.map(\.layer).min(by: { rank($0) < rank($1) }) else { return nil }
        let against = faults.filter { $0.layer == layer }
        if let wrong = against.lazy.compactMap(\.wrong).first { return (layer, wrong) }
        var questions: [ProbeRequest.Question] = []
        for question in against.flatMap(\.silent) where !questions.contains(question) {
            questions.append(question)
        }
        return (layer, layer == .dns ? .nameServerSilent(questions) : .targetSilent(questions))
    }
}

extension ProbeOutcome {
    fileprivate func accuses(_ layer: Layer) -> Bool {
        if case .refuted(layer, _, _) = self { true } else { false }
    }

    /// Whether an answer came over the link.
    fileprivate var hasCrossedLink: Bool {
        switch self {
        case .good(let question), .refuted(_, let question, _): question.crossesLink
        case .silent, .unknown: false
        }
    }
}
