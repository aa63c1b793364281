import Model

/// One check of "is the link healthy?": the kernel state first, then rounds of probes, until there is a
/// verdict. The gateway probes are neighbour probes, and the echoes of a configured `icmp`. Without a
/// configured gateway probe, the targets come first.
///
///     kernel state ──fault──────────────────────────────► verdict
///        │  └─fresh proof──────────────────────────────┐
///        ▼                                             ▼
///     gateway probes ─► echoes ─► [kernel state again] ─► [gateway echoes ─► liveness] ─► targets ─► verdict
///                                                           silent, and no gateway asked yet │
///                                                                      gateway probes … ◄────┘
///
/// The type has no clock and performs no I/O: it takes answers and returns the next questions.
public struct HealthCheck: Hashable, Sendable {
    /// The extent of a check.
    enum Scope: Hashable, Sendable {
        case full
        /// Only the kernel state decides: nothing is sent.
        case kernelOnly
    }

    enum Stage: Hashable, Sendable {
        case readingKernel, gatewayProbes, echoes, readingKernelAgain, gatewayEchoes, readingLiveness, targets
    }

    /// What a check is for. A bounce is large, so it is stored indirectly.
    enum Purpose: Hashable, Sendable {
        case health
        /// The check decides whether a bounce with this cause begins.
        case bounce(BounceCause)
        /// The check decides whether to try the next method after a bounce in vain, for the fault that is left.
        indirect case escalation(Bounce, cause: BounceCause)
    }

    /// The next step of a check.
    enum Step: Hashable, Sendable {
        case kernelState(KernelState.Details)
        case ask([ProbeRequest])
        case conclude(Verdict)
        /// Do nothing, because answers are outstanding.
        case wait
    }

    /// The number that each kernel query of this check has; no other query of the toggler has it.
    let number: Int
    let begun: Instant
    let scope: Scope
    let settings: Settings
    var lastCounterSample: CounterSample?
    /// The largest age at which a neighbour's confirmation replaces a probe.
    var proofLimit = KernelState.freshness
    /// The known targets; nil: the silence of any target counts.
    var knownTargets: KnownTargets?
    var silence = Silence()
    /// Whether nothing is known of the interface from earlier checks and runs.
    var isNew = false
    var purpose = Purpose.health
    /// The largest age of liveness evidence; nil: none is requested.
    var livenessWindow: Duration?
    /// Whether this check repeats one in which a probe found no interface. A repetition is not repeated.
    var isSecondCheck = false
    /// Whether an announcement or the end of a grace, not a tick of the schedule, caused this check.
    var isUnscheduled = false
    private(set) var stage: Stage = .readingKernel
    private(set) var kernelState: KernelState?
    private(set) var kernelStateAt: Instant?
    var rounds = ProbeRounds()
    /// The result of the gateway's probes; nil: they are not judged, or not yet.
    private(set) var gateway: LayerResult?
    /// Whether the gateway is probed because the targets were silent, to locate the fault.
    private(set) var isAttributing = false

    /// The cause of the bounce that this check only confirms; nil: it confirms none.
    var cause: BounceCause? {
        switch purpose {
        case .health: nil
        case .bounce(let cause), .escalation(_, let cause): cause
        }
    }

    /// The bounce that did not help; nil: this check does not decide about the next method.
    var escalation: Bounce? { if case .escalation(let bounce, _) = purpose { bounce } else { nil } }

    /// The most next hops that are probed, default routes first: an interface with more belongs to a router.
    private static let mostGateways = 8

    // MARK: Answers

    mutating func kernelStateRead(_ kernelState: KernelState, at now: Instant) -> Step {
        guard [.readingKernel, .readingKernelAgain, .readingLiveness].contains(stage) else { return .wait }
        self.kernelState = kernelState
        kernelStateAt = now
        if let fault = kernelState.fault {
            let wasHealthy = knownTargets?.wasHealthy(kernelState) ?? true
            let waits = kernelState.reasonToWait(isNew: isNew, wasHealthy: wasHealthy)
            return conclude(waits == nil ? .sick : .unknown, fault.layer, waits ?? fault.reason)
        }
        if stage == .readingLiveness {
            let fault = Reason.gatewayEchoSilent(gateways, over: Silence.window(settings))
            return kernelState.hasConnection ? goBeyond() : conclude(.sick, .gateway, fault)
        }
        if stage == .readingKernelAgain {
            let proof = kernelState.confirmedGateway(within: now - begun)
            let isUnaskable = proof == nil && gateways.isEmpty
            return gatewayJudged(isUnaskable ? .doubt(.noGateway) : judgeGateway(proof: proof))
        }
        let isAskable = scope == .full && kernelState.link.hasUpperLayers
        if !isAskable || specs.allSatisfy({ $0.method == .none }) {
            return conclude(.healthy, nil, .nothingWrongInKernel)
        }
        return gatewaySpecs.isEmpty ? askTargets() : askGateways(at: now)
    }

    func kernelStateFailed(_ failure: Failure) -> Step {
        conclude(.unknown, nil, .kernelStateFailed(failure))
    }

    mutating func probeFinished(_ id: Int, _ result: ProbeResult) -> Step {
        guard let position = rounds.position(of: id) else { return .wait }
        rounds.asked[position].result = weighed(result, of: rounds.asked[position])
        return rounds.outstanding.isEmpty || isRoundSettled ? roundFinished() : .wait
    }

    /// The silence of a target that has never answered in this network is no evidence.
    private func weighed(_ result: ProbeResult, of asked: ProbeRounds.Asked) -> ProbeResult {
        guard case .unanswered(let detail) = result, let knownTargets, let kernelState,
            let target = asked.target(among: targetSpecs),
            !knownTargets.contains(target, in: Network(kernelState), at: begun, isEcho: asked.isAfterSilence)
        else { return result }
        return .neverAnswered(detail: detail)
    }

    /// The texts (``ProbeRequest/Question/target``) of the targets that answered, rightly or wrongly.
    var answeredTargets: [String] {
        rounds.asked.filter { $0.result?.isReply == true }.compactMap { $0.target(among: targetSpecs) }
    }

    /// Ends the check, because some answers did not arrive in time.
    func timedOut() -> Step { conclude(.unknown, nil, .noAnswerFromSystem) }

    // MARK: Rounds

    /// The configured probes, followed by an `auto` probe of the gateway while the fault is being located.
    private var specs: [ProbeSpec] { settings.probes + (isAttributing ? [ProbeSpec(.auto)] : []) }
    private var gatewaySpecs: [Int] { specs.indices.filter { specs[$0].layer == .gateway } }
    private var targetSpecs: [Int] { specs.indices.filter { specs[$0].isBeyondGateway } }
    private var autoSpecs: Set<Int> { Set(specs.indices.filter { specs[$0].method == .auto }) }
    private var gateways: [IPAddress] {
        kernelState?.askableGateways.prefix(Self.mostGateways).map(\.address) ?? []
    }

    private mutating func askGateways(at now: Instant) -> Step {
        if kernelProofSettles, !autoSpecs.isEmpty, !isAttributing, let kernelState,
            !kernelState.isMute(since: lastCounterSample, at: now),
            let proof = kernelState.confirmedGateway(within: proofLimit)
        {
            return gatewayJudged(.good(.gatewayConfirmed(proof.address, ago: proof.ago)))
        }
        stage = .gatewayProbes
        let questions = questions(of: gatewaySpecs)
        return questions.isEmpty ? gatewayJudged(.doubt(.noGateway)) : ask(questions)
    }

    /// Whether a confirmation in the neighbour table suffices, because no other gateway probe has to succeed.
    private var kernelProofSettles: Bool {
        min(settings.quorum, gatewaySpecs.count) <= 1
            && !gatewaySpecs.contains { specs[$0].isRequired && specs[$0].method != .auto }
    }

    private mutating func askTargets() -> Step {
        stage = .targets
        return ask(questions(of: targetSpecs))
    }

    private func questions(of positions: [Int]) -> [(ProbeRequest.Question, Set<Int>)] {
        positions.flatMap { spec in specs[spec].questions(of: gateways).map { ($0, [spec]) } }
    }

    private mutating func ask(_ questions: [(ProbeRequest.Question, Set<Int>)]) -> Step {
        let device = kernelState?.link.port?.upper
        return .ask(rounds.begin(questions, timeout: settings.timeout, on: device, check: number))
    }

    /// Whether the answers so far suffice. They never do if a probe must succeed, or for echoes of `Silence`.
    private var isRoundSettled: Bool {
        if stage == .gatewayEchoes || specs.contains(where: \.isRequired) { return false }
        if stage != .targets { return isGatewayLayerGood }
        return UpstreamResult.isSettled(judgedProbes(targetSpecs), quorum: settings.quorum)
    }

    private mutating func roundFinished() -> Step {
        rounds.end()
        switch stage {
        case .gatewayProbes where wantsEchoes:
            stage = .echoes
            return ask(gateways.map { (.icmp(.address($0)), autoSpecs) })
        case .echoes where proofMayHaveCome:
            stage = .readingKernelAgain
            return .kernelState(.none)
        case .gatewayProbes, .echoes: return gatewayJudged(judgeGateway())
        case .gatewayEchoes where rounds.asked[rounds.start...].allSatisfy({ $0.result?.isSilence == true }):
            stage = .readingLiveness
            return .kernelState(KernelState.Details(livenessWithin: Silence.window(settings)))
        case .gatewayEchoes: return goBeyond()
        case .targets: return targetsJudged()
        case .readingKernel, .readingKernelAgain, .readingLiveness: return .wait
        }
    }

    private var wantsEchoes: Bool {
        !gateways.isEmpty && !isGatewayLayerGood
            && !judgedProbes(autoSpecs.sorted()).allSatisfy(\.outcome.isGood)
    }

    /// Whether the neighbour table may know more than the probes, which had no answer, or were not permitted.
    /// The kernel had to resolve the gateway for the echo, and waits longer for that than a probe does. So
    /// the table distinguishes a gateway that filters ICMP or is slow from a dead one.
    private var proofMayHaveCome: Bool {
        let neighbours = rounds.asked.filter { $0.request.question.isNeighbour }
        let mayTellMore = kernelProofSettles || neighbours.allSatisfy { $0.result?.isUnknown == true }
        return !neighbours.isEmpty && mayTellMore
            && rounds.asked.contains { $0.result?.isSilence == true && !$0.request.question.isNeighbour }
    }

    // MARK: Judging

    private func judgedProbes(_ positions: [Int]) -> [JudgedProbe] {
        positions.map { position in
            let own = rounds.asked.filter { $0.serves.contains(position) }
            return JudgedProbe(spec: specs[position], outcome: ProbeOutcome(of: own))
        }
    }

    private var isGatewayLayerGood: Bool { judgeGateway().isGood }

    /// - Parameter proof: a confirmation in the neighbour table; it stands for the answer to an `auto` probe.
    private func judgeGateway(proof: (address: IPAddress, ago: Duration)? = nil) -> LayerResult {
        guard let proof else { return LayerResult(of: judgedProbes(gatewaySpecs), quorum: settings.quorum) }
        var judgedProbes = judgedProbes(gatewaySpecs)
        for position in judgedProbes.indices where judgedProbes[position].spec.method == .auto {
            judgedProbes[position].outcome = .good(.neighbour(proof.address))
        }
        let result = LayerResult(of: judgedProbes, quorum: settings.quorum)
        return result.isGood ? .good(.gatewayConfirmed(proof.address, ago: proof.ago)) : result
    }

    private mutating func gatewayJudged(_ result: LayerResult) -> Step {
        gateway = result
        let isAutos = !isAttributing && !gateways.isEmpty && gatewaySpecs.allSatisfy(autoSpecs.contains)
        guard result.isGood, isAutos, !rounds.hasReply, silence.isDue(at: begun) else { return goBeyond() }
        stage = .gatewayEchoes
        return ask(gateways.map { (.icmp(.address($0)), []) })
    }

    private mutating func goBeyond() -> Step {
        guard let result = gateway else { return .wait }
        if result != .fault {
            if isAttributing { return targetsJudged() }
            if !targetSpecs.isEmpty { return askTargets() }
        }
        switch result {
        case .good(let reason): return conclude(.healthy, nil, reason)
        case .fault: return conclude(.sick, .gateway, .gatewaySilent(gateways))
        case .doubt(let reason): return conclude(.unknown, .gateway, reason)
        }
    }

    private mutating func targetsJudged() -> Step {
        switch UpstreamResult(of: judgedProbes(targetSpecs), quorum: settings.quorum) {
        case .good(let reason):
            if case .doubt(let doubt) = gateway, gatewaySpecs.contains(where: { specs[$0].isRequired }) {
                return conclude(.unknown, .gateway, doubt)
            }
            return conclude(.healthy, nil, reason)
        case .doubt(let layer, let reason, let mayBeGateways):
            // Its silence is a fault, even if the target has never answered, or could not be asked.
            if mayBeGateways, gateway == nil, !reason.isUndecided { return attribute() }
            return conclude(.unknown, layer, reason)
        case .fault(let layer, let reason, let mayBeGateways):
            if mayBeGateways, gateway == nil { return attribute() }
            guard mayBeGateways, case .doubt(let doubt) = gateway, doubt.mayHideSilence
            else { return conclude(.sick, layer, reason) }
            return conclude(.unknown, .gateway, doubt)
        }
    }

    /// Probes the gateway to locate the fault.
    private mutating func attribute() -> Step {
        isAttributing = true
        return askGateways(at: begun)
    }

    private func conclude(_ conclusion: Verdict.Conclusion, _ layer: Layer?, _ reason: Reason) -> Step {
        let seen = kernelState.map { $0.evidence(since: lastCounterSample, at: kernelStateAt ?? begun) } ?? []
        let probes = rounds.asked.compactMap { asked in
            asked.result.map { Evidence.probe(asked.request.question, $0) }
        }
        return .conclude(Verdict(conclusion, layer: layer, reason: reason, evidence: seen + probes))
    }
}
