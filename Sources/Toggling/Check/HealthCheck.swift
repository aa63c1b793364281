import Model

/// One check of "is the link healthy?": the kernel state first, then rounds of probes, until there is a
/// verdict.
///
///     kernel state ──fault──────────────────────────────► verdict
///        │  └─fresh proof─────────┐
///        ▼                        ▼
///     neighbours ─► echoes ─► [kernel state again] ─► targets ─► verdict
///                                                 │ silent, and no gateway asked yet
///                                                 └────► neighbours …
///
/// A value without clock and effects: it takes answers and returns the next questions.
public struct HealthCheck: Hashable, Sendable {
    /// How much to check.
    enum Scope: Hashable, Sendable {
        case full
        /// Only the kernel state decides: nothing is sent.
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
        /// Answers are outstanding.
        case wait
    }

    struct Asked: Hashable, Sendable {
        var request: ProbeRequest
        /// The configured probes that this question serves, as positions in `specs`.
        var serves: Set<Int>
        var result: ProbeResult?
    }

    enum GatewayResult: Hashable, Sendable {
        case answered(Reason)
        case silent
        case unknown(Reason)
    }

    /// Distinguishes this check from every other one of the same toggler.
    let number: Int
    let begun: Instant
    let scope: Scope
    /// The cause of a bounce that is about to begin, if this check only confirms it.
    let cause: BounceCause?
    /// The window for liveness evidence; nil: it is not requested.
    let livenessWindow: Duration?
    /// The bounce that did not help, if this check only precedes the next method.
    let escalation: Bounce?
    private let specs: [ProbeSpec]
    private let timeout: Duration
    private let quorum: Int
    private let lastCounterSample: CounterSample?
    /// nil: the silence of any target counts.
    private let knownTargets: KnownTargets?
    /// The largest age of a neighbour confirmation.
    let proofLimit: Duration
    /// The previous check ended because a probe found no interface; this one believes its result.
    var isSecondCheck = false
    /// Caused by an announcement, not by a tick of the plain timer.
    var isUnscheduled = false
    private(set) var stage: Stage = .readingKernel
    private(set) var kernelState: KernelState?
    private(set) var kernelStateAt: Instant?
    private(set) var asked: [Asked] = []
    /// The index in `asked` at which the current round begins.
    private(set) var round = 0
    private var abandoned: [Int] = []
    private var nextID: Int
    private(set) var gateway: GatewayResult?
    /// The targets were silent; the gateway is probed to locate the fault.
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

    /// An interface with more next hops belongs to a router; the first ones, of default routes, suffice.
    private static let mostGateways = 8
    /// No check asks more questions than this, so ids of different checks differ.
    private static let idsPerCheck = 4096
    /// The questions without an answer yet.
    var outstanding: [Int] { asked.filter { $0.result == nil }.map(\.request.id) }

    /// Questions whose answers are no longer needed, since the last call.
    mutating func takeAbandoned() -> [Int] {
        defer { abandoned = [] }
        return abandoned
    }

    // MARK: Answers

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

    /// The silence of a target that has never answered in this network is no evidence.
    private func weighed(_ result: ProbeResult, of asked: Asked) -> ProbeResult {
        guard case .unanswered(let detail) = result, let knownTargets, let kernelState,
            let target = asked.target(among: targetSpecs),
            !knownTargets.contains(target, in: Network(kernelState), at: begun)
        else { return result }
        return .neverAnswered(detail: detail)
    }

    /// The targets that answered, rightly or wrongly: they are reachable. As the texts of
    /// ``ProbeRequest/Question/target``.
    var answeredTargets: [String] {
        asked.filter { $0.result?.isReply == true }.compactMap { $0.target(among: targetSpecs) }
    }

    /// Some answers did not arrive in time.
    func timedOut() -> Step { .conclude(verdict(.unknown, layer: nil, .noAnswerFromSystem)) }

    // MARK: Kernel state

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

    /// Whether a neighbour confirmation is enough, because no gateway probe is required to succeed itself.
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

    /// Asks each question once, even if several probes need it.
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

    /// Whether the answers so far suffice, because no probe is required.
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

    /// The neighbour probe was not permitted or timed out, and the echo had no answer either. The kernel had
    /// to resolve the gateway for the echo, and waits longer for it than a probe does. Its neighbour table
    /// distinguishes a gateway that filters or is slow from a dead one.
    private var proofMayHaveCome: Bool {
        let neighbours = asked.filter { $0.request.question.isNeighbour }
        let mayTellMore = kernelProofSettles || neighbours.allSatisfy { $0.result?.isUnknown == true }
        return !neighbours.isEmpty && mayTellMore
            && asked.contains { $0.result?.isSilence == true && !$0.request.question.isNeighbour }
    }

    // MARK: Judging

    private func judgedProbes(_ positions: [Int]) -> [JudgedProbe] {
        positions.map { position in
            let own = asked.filter { $0.serves.contains(position) }
            return JudgedProbe(spec: specs[position], outcome: ProbeOutcome(of: own))
        }
    }

    private var isGatewayLayerGood: Bool {
        LayerResult(of: judgedProbes(gatewaySpecs), quorum: quorum).isGood
    }

    /// The gateway questions that locate the fault.
    private var attribution: [Asked] { asked.filter { $0.serves.isDisjoint(with: targetSpecs) } }
    private var hasGatewayAnswered: Bool { ProbeOutcome(of: attribution).isGood }

    /// - Parameter proof: the confirmation in the neighbour table, if it replaces an answer to the `auto`
    ///   probe.
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
            // A silent gateway is a fault, even if the target has never answered.
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
    /// The target as text, if it was asked for one of these probes.
    fileprivate func target(among specs: [Int]) -> String? {
        serves.isDisjoint(with: specs) ? nil : request.question.target
    }
}

extension Reason {
    fileprivate var hasNeverAnswered: Bool {
        if case .neverAnswered = self { true } else { false }
    }
}

/// Whether another host is heard while the probed one is silent. Requested only before a bounce.
extension Toggler {
    /// How long ago another host may have been heard for the link to count as alive in spite of `cause`:
    /// after the silence began, and within a limit. nil: liveness evidence does not prevent this bounce.
    func livenessWindow(for cause: BounceCause, at now: Instant) -> Duration? {
        guard case .sick(let verdict) = cause, !verdict.contradictions.isEmpty, let fault,
            fault.layer == verdict.layer
        else { return nil }
        return min(now - fault.since, Liveness.duration)
    }
}

extension HealthCheck {
    /// The host that was heard in spite of the fault; nil: none.
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
