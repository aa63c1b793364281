import Model

/// The cycle: check, reach a verdict, decide (`Decision`), wait.
extension Toggler {
    /// How long a probe may take to report after its time-out.
    private static let probeAllowance: Duration = .seconds(1)

    mutating func check(because why: NextCheck.Why = .schedule, _ effects: inout EffectBuffer) {
        begin(scope: isUnconditional ? .kernelOnly : .full, cause: nil, &effects)
        guard [.change, .grace].contains(why), case .checking(var check) = state else { return }
        check.isUnscheduled = true
        enter(.checking(check))
    }

    mutating func checkNow(_ effects: inout EffectBuffer) {
        guard case .waiting = state else { return }
        check(&effects)
    }

    /// The input of the decision is obsolete, or another decision is wanted, and nothing was changed yet:
    /// check again.
    mutating func checkAfresh(_ effects: inout EffectBuffer) {
        let isUnscheduled = if case .checking(let check) = state { check.isUnscheduled } else { false }
        let wish = personsCause
        letGo(&effects)
        if let wish { return begin(scope: .kernelOnly, cause: wish, &effects) }
        check(because: isUnscheduled ? .change : .schedule, &effects)
    }

    mutating func begin(scope: HealthCheck.Scope, cause: BounceCause?, _ effects: inout EffectBuffer) {
        effects.emit(.disarm(.nextCheck))
        enter(.checking(makeCheck(scope: scope, cause: cause, &effects)))
    }

    /// A check whose kernel state was just requested. The kernel's answer has its own deadline; the deadline
    /// for probes is set with each round.
    mutating func makeCheck(
        scope: HealthCheck.Scope, cause: BounceCause? = nil, escalation: Bounce? = nil,
        _ effects: inout EffectBuffer
    ) -> HealthCheck {
        let check = HealthCheck(
            number: nextCheckNumber(), at: effects.now, scope: scope, settings: settings,
            lastCounterSample: counterSample,
            proofLimit: proofLimit(at: effects.now), knownTargets: knownTargets, cause: cause,
            livenessWindow: cause.flatMap { livenessWindow(for: $0, at: effects.now) }, escalation: escalation
        )
        localDisconnect.checkBegins()
        effects.emit(kernelState(for: check))
        return check
    }

    /// While the link is suspect, only confirmations that are younger than the suspicion count.
    private func proofLimit(at now: Instant) -> Duration {
        guard let lastVerdict, let lastVerdictAt, lastVerdict.conclusion != .healthy else {
            return KernelState.freshness
        }
        return min(KernelState.freshness, now - lastVerdictAt)
    }

    // MARK: Answers

    mutating func kernelStateRead(_ number: Int, _ kernelState: KernelState, _ effects: inout EffectBuffer) {
        if var check = state.check, check.number == number {
            note(kernelState, at: effects.now)
            follow(check.kernelStateRead(kernelState, at: effects.now), check, &effects)
        } else if var bounce = state.bounce, bounce.pendingQuery == number {
            bounce.pendingQuery = nil
            if bounce.asksKernel { return kernelStateReadWithin(bounce, kernelState, &effects) }
            // The step that asked is over: the next one asks for itself.
            enter(.bouncing(bounce))
        }
    }

    mutating func kernelStateFailed(_ number: Int, _ failure: Failure, _ effects: inout EffectBuffer) {
        if let check = state.check, check.number == number {
            failure.kind == .noSuchDevice
                ? vanish(&effects) : follow(check.kernelStateFailed(failure), check, &effects)
        } else if var bounce = state.bounce, bounce.pendingQuery == number {
            bounce.pendingQuery = nil
            // From now on, a scan on this interface index belongs to another interface.
            if failure.kind == .noSuchDevice, bounce.step == .awaitingLink { bounce.fastReconnect = nil }
            enter(.bouncing(bounce))
        }
    }

    mutating func probeFinished(_ id: Int, _ result: ProbeResult, _ effects: inout EffectBuffer) {
        guard var check = state.check else { return }
        if case .checking = state, result.foundNoInterface, check.outstanding.contains(id),
            !check.isSecondCheck
        {
            // The announcement that the interface disappeared, or was renamed, may be late.
            return checkTwice(&effects)
        }
        follow(check.probeFinished(id, result), check, &effects)
    }

    private mutating func checkTwice(_ effects: inout EffectBuffer) {
        checkAfresh(&effects)
        guard case .checking(var check) = state else { return }
        check.isSecondCheck = true
        enter(.checking(check))
    }

    mutating func checkTimedOut(_ effects: inout EffectBuffer) {
        if let check = state.check { follow(check.timedOut(), check, &effects) }
    }

    private mutating func follow(
        _ step: HealthCheck.Step, _ check: HealthCheck, _ effects: inout EffectBuffer
    ) {
        var check = check
        for id in check.takeAbandoned() { effects.emit(.cancelProbe(id)) }
        switch step {
        case .kernelState: effects.emit(.kernelState(check.number))
        case .ask(let requests):
            for request in requests { effects.emit(.startProbe(request)) }
            effects.emit(.arm(.probes, at: effects.now + settings.timeout + Self.probeAllowance))
        case .wait: break
        case .conclude(let verdict):
            for id in check.outstanding { effects.emit(.cancelProbe(id)) }
            effects.emit(.disarm(.probes))
            return concluded(verdict, check, &effects)
        }
        if let bounce = state.bounce { enter(.verifying(check), bounce) } else { enter(.checking(check)) }
    }

    private mutating func concluded(_ verdict: Verdict, _ check: HealthCheck, _ effects: inout EffectBuffer) {
        if let kernelState = check.kernelState {
            let link = kernelState.link
            lastSeen = Appearance(link)
            counterSample = link.counters.map {
                CounterSample(index: link.index, counters: $0, at: effects.now)
            }
            noteLastNetwork(in: kernelState, at: check.kernelStateAt ?? effects.now)
            // The check that is repeated before a bounce asks nobody: it finds no link healthy.
            if verdict.conclusion == .healthy, check.cause == nil, check.escalation == nil {
                baseline.network = Network(kernelState)
            }
        }
        learn(from: check, &effects)
        if check.scope == .full { localDisconnect.concluded(verdict) }
        let verdict = corrected(verdict, at: effects.now)
        if let bounce = state.bounce {
            remember(verdict, of: check, at: effects.now)
            verified(verdict, bounce, &effects)
        } else {
            decide(verdict, check, &effects)
        }
    }

    private mutating func remember(_ verdict: Verdict, of check: HealthCheck, at now: Instant) {
        fault = FaultStreak.after(verdict, begun: check.begun, last: fault)
        lastVerdict = verdict
        lastVerdictAt = now
    }

    /// Takes the verdict into account, and carries out the decision.
    private mutating func decide(_ verdict: Verdict, _ check: HealthCheck, _ effects: inout EffectBuffer) {
        if let escalation = check.escalation { return goOn(escalation, check, &effects) }
        let before = health.condition
        if check.scope == .full { take(verdict, check, &effects) }
        if runMode != .probe, check.kernelState?.noBounceReason(under: settings) != nil {
            health.forget()
            qualityWindow.dropUndecided()
        }
        switch decision(verdict, check, at: effects.now) {
        case .nothing: endCycle(.none, verdict, check.kernelState, before, &effects)
        case .not(let action, let told): endCycle(action, told, check.kernelState, before, &effects)
        case .askOnceMore(let cause): begin(scope: .kernelOnly, cause: cause, &effects)
        case .raise(let kernelState): beginRaise(kernelState, &effects)
        case .bounce(let cause, let kernelState): beginBounce(cause, kernelState, &effects)
        }
    }

    private mutating func take(_ verdict: Verdict, _ check: HealthCheck, _ effects: inout EffectBuffer) {
        remember(verdict, of: check, at: effects.now)
        // If the interval is shorter than `recheck`, it applies. A one-shot does not distinguish layers.
        health.take(
            verdict.conclusion, in: runMode == .watch ? verdict.layer : nil, at: check.begun,
            apart: min(settings.recheck, settings.interval), fall: fall, rise: settings.rise)
        noteQuality(verdict, check, at: effects.now)
        noteLimiter(check.kernelState, &effects)
    }

    /// Notes a kernel state that was requested.
    mutating func note(_ kernelState: KernelState, at now: Instant) {
        if runMode == .watch {
            rfkillTracker.note(kernelState, at: now)
            noteBaseline(kernelState, at: now)
        }
        if let savesPower = kernelState.savesPower { qualityWindow.note(savesPower: savesPower) }
    }

    // MARK: The end of a cycle

    private mutating func endCycle(
        _ action: CycleReport.Action, _ verdict: Verdict, _ kernelState: KernelState?,
        _ before: Health.Condition,
        _ effects: inout EffectBuffer
    ) {
        end(action, verdict, before, outcome(of: action, verdict, kernelState), &effects)
        if case .none = action, let kernelState { retryRestore(verdict, kernelState, &effects) }
    }

    /// Reports the result of a cycle, and waits for the next one, if there is one.
    mutating func end(
        _ action: CycleReport.Action, _ verdict: Verdict, _ before: Health.Condition, _ outcome: RunOutcome,
        _ effects: inout EffectBuffer
    ) {
        let next = nextCheck(after: action, at: effects.now)
        let change = HealthChange(before: before, after: health.condition, streak: health.streak?.count ?? 0)
        effects.emit(
            .report(
                .cycle(
                    CycleReport(
                        verdict: verdict, action: action, change: change, next: next,
                        quality: qualityWindow.quality(settings), outcome: outcome))))
        guard let next else { return finish(outcome, &effects) }
        wait(next, &effects)
        renewBaseline(&effects)
    }

    private func outcome(of action: CycleReport.Action, _ verdict: Verdict, _ kernelState: KernelState?)
        -> RunOutcome
    {
        switch action {
        case .refused(let noBounceReason): return .refused(noBounceReason)
        case .skipped(.dryRun) where isUnconditional: return .healthy
        case .none, .skipped, .held, .bounced, .raised, .failed: break
        }
        if let noBounceReason = kernelState?.noBounceReason(under: settings) {
            return .refused(noBounceReason)
        }
        return RunOutcome(verdict.conclusion)
    }
}

extension ProbeResult {
    fileprivate var foundNoInterface: Bool {
        if case .unknown(let failure) = self { failure.kind == .noSuchDevice } else { false }
    }
}

extension RunOutcome {
    init(_ conclusion: Verdict.Conclusion) {
        switch conclusion {
        case .healthy: self = .healthy
        case .sick: self = .sick
        case .unknown: self = .unknown
        }
    }
}
