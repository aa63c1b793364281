import Model

/// One asking of "is the link healthy?": the kernel first, then rounds of probes, until a verdict stands.
///
///     kernel state ──fault──────────────────────────────► verdict
///        │  └─fresh proof─────────┐
///        ▼                        ▼
///     neighbours ─► echoes ─► [kernel state again] ─► targets ─► verdict
///                                                 │ silent, and no gateway asked yet
///                                                 └────► neighbours …
///
/// A value without clock and without effects: it is told what came back and says what to ask next.
public struct HealthCheck: Hashable, Sendable {
    /// How far to go.
    enum Scope: Hashable, Sendable {
        case full
        /// The kernel state alone decides: nothing is sent.
        case kernelOnly
    }

    enum Stage: Hashable, Sendable {
        case readingKernel, neighbours, echoes, readingKernelAgain, targets
    }

    /// What to do next.
    enum Step: Hashable, Sendable {
        case kernelState
        case ask([ProbeRequest])
        case conclude(Verdict)
        /// Answers are still to come.
        case wait
    }

    struct Asked: Hashable, Sendable {
        var request: ProbeRequest
        /// Which of the configured probes this question serves, as positions in `specs`.
        var serves: Set<Int>
        var result: ProbeResult?
    }

    enum GatewayResult: Hashable, Sendable {
        case answered(Reason)
        case silent
        case unknown(Reason)
    }

    /// Told apart from every other check of the same toggler.
    let number: Int
    let begun: Instant
    let scope: Scope
    /// The verdict for which a bounce is about to begin, if this check only looks once more before it.
    let cause: BounceCause?
    /// Who was heard within this span is to be looked for; nil: nobody is.
    let livenessWindow: Duration?
    /// The bounce that did not help, if this check only looks once more before the next method.
    let escalation: Bounce?
    private let specs: [ProbeSpec]
    private let timeout: Duration
    private let quorum: Int
    private let lastCounterSample: CounterSample?
    /// nil: silence counts, whoever keeps it.
    private let knownTargets: KnownTargets?
    /// How old a proof may be.
    let proofLimit: Duration
    /// The one before it ended because a probe found no interface; this one believes what it finds.
    var isSecondCheck = false
    /// There was something to see, but no beat of the plain timer was due.
    var isUnscheduled = false
    private(set) var stage: Stage = .readingKernel
    private(set) var kernelState: KernelState?
    private(set) var kernelStateAt: Instant?
    private(set) var asked: [Asked] = []
    /// Where in `asked` the round at hand begins.
    private(set) var round = 0
    private var abandoned: [Int] = []
    private var nextID: Int
    private(set) var gateway: GatewayResult?
    /// The targets were silent; the gateway is asked to tell whose fault that is.
    private(set) var isAttributing = false

    init(
        number: Int, at now: Instant, scope: Scope, settings: Settings,
        lastCounterSample: CounterSample? = nil,
        proofLimit: Duration = KernelState.freshness, knownTargets: KnownTargets? = nil,
        cause: BounceCause? = nil, livenessWindow: Duration? = nil, escalation: Bounce? = nil
    ) {
        self.number = number
        begun = now
        self.scope = scope
        self.cause = cause
        self.livenessWindow = livenessWindow
        self.escalation = escalation
        specs = settings.probes
        timeout = settings.timeout
        quorum = settings.quorum
        self.lastCounterSample = lastCounterSample
        self.knownTargets = knownTargets
        self.proofLimit = min(proofLimit, KernelState.freshness)
        nextID = number * Self.idsPerCheck
    }

    /// An interface with more next hops is a router's; the first, those of default routes, will do.
    private static let mostGateways = 8
    /// No check asks as many questions; so ids of different checks differ.
    private static let idsPerCheck = 4096
    /// The questions that have no answer yet.
    var outstanding: [Int] { asked.filter { $0.result == nil }.map(\.request.id) }

    /// Questions whose answers are no longer wanted since this was called last.
    mutating func takeAbandoned() -> [Int] {
        defer { abandoned = [] }
        return abandoned
    }

    // MARK: What came back

    mutating func kernelStateRead(_ kernelState: KernelState, at now: Instant) -> Step {
        switch stage {
        case .readingKernel: return firstKernelState(kernelState, at: now)
        case .readingKernelAgain: return secondKernelState(kernelState, at: now)
        case .neighbours, .echoes, .targets: return .wait
        }
    }

    func kernelStateFailed(_ failure: Failure) -> Step {
        .conclude(verdict(.unknown, layer: nil, .kernelStateFailed(failure)))
    }

    mutating func probeFinished(_ id: Int, _ result: ProbeResult) -> Step {
        guard let position = asked.firstIndex(where: { $0.request.id == id && $0.result == nil }) else {
            return .wait
        }
        asked[position].result = weighed(result, of: asked[position])
        guard outstanding.isEmpty || isRoundSettled else { return .wait }
        return roundFinished()
    }

    /// The silence of a target that has never answered in this network says nothing.
    private func weighed(_ result: ProbeResult, of asked: Asked) -> ProbeResult {
        guard case .unanswered(let detail) = result, let knownTargets, let kernelState,
            let target = asked.target(among: targetSpecs),
            !knownTargets.contains(target, in: Network(kernelState), at: begun)
        else { return result }
        return .neverAnswered(detail: detail)
    }

    /// The targets that answered, in their own words or with something wrong: they are there.
    var answeredTargets: [String] {
        asked.filter { $0.result?.isReply == true }.compactMap { $0.target(among: targetSpecs) }
    }

    /// Not everything answered in time.
    func timedOut() -> Step { .conclude(verdict(.unknown, layer: nil, .noAnswerFromSystem)) }

    // MARK: The kernel

    private mutating func firstKernelState(_ kernelState: KernelState, at now: Instant) -> Step {
        self.kernelState = kernelState
        kernelStateAt = now
        if let fault = kernelState.fault {
            return .conclude(verdict(.sick, layer: fault.layer, fault.reason))
        }
        if scope == .kernelOnly || specs.allSatisfy({ $0.method == .none }) {
            return .conclude(verdict(.healthy, layer: nil, .nothingWrongInKernel))
        }
        return gatewaySpecs.isEmpty ? askTargets() : askNeighbours(at: now)
    }

    private mutating func secondKernelState(_ kernelState: KernelState, at now: Instant) -> Step {
        self.kernelState = kernelState
        kernelStateAt = now
        if let fault = kernelState.fault {
            return .conclude(verdict(.sick, layer: fault.layer, fault.reason))
        }
        if let proof = kernelState.confirmedGateway(within: now - begun) {
            gateway = judgeGateway(proof: (.gatewayConfirmed(proof.address, ago: proof.ago), proof.address))
        } else {
            gateway = gateways.isEmpty ? .unknown(.noGateway) : judgeGateway()
        }
        return gatewayJudged()
    }

    // MARK: Rounds

    private var gatewaySpecs: [Int] { specs.indices.filter { specs[$0].layer == .gateway } }
    private var targetSpecs: [Int] { specs.indices.filter { specs[$0].isBeyondGateway } }
    private var autoSpecs: Set<Int> { Set(specs.indices.filter { specs[$0].method == .auto }) }
    private var gateways: [IPAddress] {
        kernelState?.askableGateways.prefix(Self.mostGateways).map(\.address) ?? []
    }

    private mutating func askNeighbours(at now: Instant) -> Step {
        if kernelProofSettles, !autoSpecs.isEmpty, !isAttributing, let kernelState,
            !kernelState.isMute(since: lastCounterSample, at: now),
            let proof = kernelState.confirmedGateway(within: proofLimit)
        {
            gateway = .answered(.gatewayConfirmed(proof.address, ago: proof.ago))
            return gatewayJudged()
        }
        stage = .neighbours
        var questions: [(ProbeRequest.Question, Set<Int>)] = []
        if isAttributing { questions += gateways.map { (.neighbour($0), []) } }
        for spec in gatewaySpecs {
            switch specs[spec].method {
            case .auto, .neighbour(nil): questions += gateways.map { (.neighbour($0), [spec]) }
            case .neighbour(let address?): questions.append((.neighbour(address), [spec]))
            case .icmp: questions += gateways.map { (.icmp(.address($0)), [spec]) }
            case .tcp, .dns, .http, .command, .none: break
            }
        }
        guard !questions.isEmpty else {
            gateway = .unknown(.noGateway)
            return gatewayJudged()
        }
        return ask(questions)
    }

    /// No probe of the gateway is required to answer itself.
    private var kernelProofSettles: Bool {
        min(quorum, gatewaySpecs.count) <= 1
            && !gatewaySpecs.contains { specs[$0].isRequired && specs[$0].method != .auto }
    }

    private mutating func askEchoes() -> Step {
        stage = .echoes
        return ask(gateways.map { (.icmp(.address($0)), autoSpecs) })
    }

    private mutating func askTargets() -> Step {
        stage = .targets
        return ask(
            targetSpecs.compactMap { spec in
                switch specs[spec].method {
                case .icmp(let target?): (.icmp(target), [spec])
                case .tcp(let target, let port): (.tcp(target, port: port), [spec])
                case .dns(let name, let server): (.dns(name: name, server: server), [spec])
                case .http(let question): (.http(question), [spec])
                case .command(let path): (.command(path), [spec])
                case .auto, .none, .neighbour, .icmp(nil): nil
                }
            })
    }

    /// Asks each question once, whoever wants to know.
    private mutating func ask(_ questions: [(ProbeRequest.Question, Set<Int>)]) -> Step {
        var requests: [ProbeRequest] = []
        round = asked.endIndex
        for (question, serves) in questions {
            if let position = asked[round...].firstIndex(where: { $0.request.question == question }) {
                asked[position].serves.formUnion(serves)
                continue
            }
            let request = ProbeRequest(id: nextID, question: question, timeout: timeout)
            nextID += 1
            asked.append(Asked(request: request, serves: serves))
            requests.append(request)
        }
        return .ask(requests)
    }

    /// Enough answers are enough where nothing is required.
    private var isRoundSettled: Bool {
        if specs.contains(where: \.isRequired) { return false }
        switch stage {
        case .targets: return UpstreamResult.isSettled(judgedProbes(targetSpecs), quorum: quorum)
        case .neighbours, .echoes, .readingKernel, .readingKernelAgain:
            return isAttributing ? hasGatewayAnswered : isGatewayLayerGood
        }
    }

    private mutating func roundFinished() -> Step {
        abandoned += outstanding
        asked.removeAll { $0.result == nil }
        switch stage {
        case .neighbours where wantsEchoes: return askEchoes()
        case .echoes where proofMayHaveCome:
            stage = .readingKernelAgain
            return .kernelState
        case .neighbours, .echoes:
            gateway = judgeGateway()
            return gatewayJudged()
        case .targets: return targetsJudged()
        case .readingKernel, .readingKernelAgain: return .wait
        }
    }

    private var wantsEchoes: Bool {
        guard isAttributing || !autoSpecs.isEmpty, !gateways.isEmpty else { return false }
        if isAttributing { return !hasGatewayAnswered }
        return !isGatewayLayerGood && !judgedProbes(autoSpecs.sorted()).allSatisfy(\.outcome.isGood)
    }

    /// The neighbour probe was not allowed, or not answered in time, and neither was the echo: the kernel has
    /// had to resolve the gateway for the echo, and waits longer for an answer than a probe does. Its table
    /// tells a gateway that filters, or is slow, from a dead one.
    private var proofMayHaveCome: Bool {
        let neighbours = asked.filter { $0.request.question.isNeighbour }
        let mayTellMore = kernelProofSettles || neighbours.allSatisfy { $0.result?.isUnknown == true }
        return !neighbours.isEmpty && mayTellMore
            && asked.contains { $0.result?.isSilence == true && !$0.request.question.isNeighbour }
    }

    // MARK: Judgement

    private func judgedProbes(_ positions: [Int]) -> [JudgedProbe] {
        positions.map { position in
            let own = asked.filter { $0.serves.contains(position) }
            return JudgedProbe(spec: specs[position], outcome: ProbeOutcome(of: own))
        }
    }

    private var isGatewayLayerGood: Bool {
        LayerResult(of: judgedProbes(gatewaySpecs), quorum: quorum).isGood
    }

    /// What was asked of the gateways to find out whose fault it is.
    private var attribution: [Asked] { asked.filter { $0.serves.isDisjoint(with: targetSpecs) } }
    private var hasGatewayAnswered: Bool { ProbeOutcome(of: attribution).isGood }

    /// - Parameter proof: what the kernel's table shows in place of an answer to what was asked for `auto`.
    private func judgeGateway(proof: (reason: Reason, address: IPAddress)? = nil) -> GatewayResult {
        if isAttributing {
            return proof.map { .answered($0.reason) } ?? GatewayResult(ProbeOutcome(of: attribution))
        }
        var judgedProbes = judgedProbes(gatewaySpecs)
        if let proof {
            for position in judgedProbes.indices where judgedProbes[position].spec.method == .auto {
                judgedProbes[position].outcome = .good(.neighbour(proof.address))
            }
        }
        switch LayerResult(of: judgedProbes, quorum: quorum) {
        case .good(let reason): return .answered(proof?.reason ?? reason)
        case .fault: return .silent
        case .doubt(let reason): return .unknown(reason)
        }
    }

    private mutating func gatewayJudged() -> Step {
        switch gateway {
        case .silent: return .conclude(verdict(.sick, layer: .gateway, .gatewaySilent(gateways)))
        case .answered, .unknown:
            if isAttributing {
                return targetsJudged()
            }
        case nil: return .wait
        }
        if !targetSpecs.isEmpty { return askTargets() }
        switch gateway {
        case .answered(let reason): return .conclude(verdict(.healthy, layer: nil, reason))
        case .unknown(let reason): return .conclude(verdict(.unknown, layer: .gateway, reason))
        case .silent, nil: return .wait
        }
    }

    private mutating func targetsJudged() -> Step {
        switch UpstreamResult(of: judgedProbes(targetSpecs), quorum: quorum) {
        case .good(let reason):
            if case .unknown(let doubt) = gateway, gatewaySpecs.contains(where: { specs[$0].isRequired }) {
                return .conclude(verdict(.unknown, layer: .gateway, doubt))
            }
            return .conclude(verdict(.healthy, layer: nil, reason))
        case .doubt(let layer, let reason):
            // Whatever the target is worth, a silent gateway is a fault.
            if gateway == nil, reason.hasNeverAnswered { return attribute() }
            return .conclude(verdict(.unknown, layer: layer, reason))
        case .fault(let layer, let reason, let mayBeGateways):
            guard gateway == nil, mayBeGateways else {
                return .conclude(verdict(.sick, layer: layer, reason))
            }
            return attribute()
        }
    }

    private mutating func attribute() -> Step {
        isAttributing = true
        return askNeighbours(at: begun)
    }

    private func verdict(
        _ conclusion: Verdict.Conclusion, layer: Layer?, _ reason: Reason
    ) -> Verdict {
        let seen = kernelState.map { $0.evidence(since: lastCounterSample, at: kernelStateAt ?? begun) } ?? []
        let probes = asked.compactMap { asked in
            asked.result.map { Evidence.probe(asked.request.question, $0) }
        }
        return Verdict(conclusion, layer: layer, reason: reason, evidence: seen + probes)
    }
}

extension HealthCheck.GatewayResult {
    fileprivate init(_ outcome: ProbeOutcome) {
        switch outcome {
        case .good(let question): self = .answered(.probeAnswered(question))
        case .silent, .refuted: self = .silent
        case .unknown(let reason): self = .unknown(reason)
        }
    }
}

extension HealthCheck.Asked {
    /// The target in its words, if it was asked for one of these probes.
    fileprivate func target(among specs: [Int]) -> String? {
        serves.isDisjoint(with: specs) ? nil : request.question.target
    }
}

extension Reason {
    fileprivate var hasNeverAnswered: Bool {
        if case .neverAnswered = self { true } else { false }
    }
}

/// Whether somebody else is heard where the one who was asked keeps silent: looked for before a bounce alone.
extension Toggler {
    /// How long ago somebody may have been heard for the link to be alive in spite of what calls for a bounce: after
    /// the silence had begun, and not too long ago. nil: whoever is heard, it is bounced.
    func livenessWindow(for cause: BounceCause, at now: Instant) -> Duration? {
        guard case .sick(let verdict) = cause, !verdict.contradictions.isEmpty, let fault,
            fault.layer == verdict.layer
        else { return nil }
        return min(now - fault.since, Liveness.duration)
    }
}

extension HealthCheck {
    /// Who was heard in spite of what calls for a bounce; nil: nobody.
    func liveness(in kernelState: KernelState) -> Liveness? {
        guard let livenessWindow, let verdict = cause?.verdict else { return nil }
        return kernelState.liveness(against: verdict, within: livenessWindow)
    }
}

extension Verdict {
    func with(_ evidence: Evidence) -> Verdict {
        var verdict = self
        verdict.evidence.append(evidence)
        return verdict
    }
}
