import Model

/// The cycle: look, reach a verdict, decide, wait.
extension Toggler {
    /// A change that was announced is looked at, but not more often than this.
    private static let changeSpacing: Duration = .seconds(1)
    /// How old a kernel state may be when a bounce begins on its word.
    private static let kernelStateLifetime: Duration = .milliseconds(100)
    /// The slowest of the network managers and DHCP clients that were measured had its routes back 8.9 s after it
    /// had begun to join.
    private static let joining: Duration = .seconds(10)
    /// For a probe to report after its time-out.
    private static let probeAllowance: Duration = .seconds(1)

    /// Whether a bounce is due whatever the verdict, at each check that is due itself.
    private var isUnconditional: Bool {
        switch runMode {
        case .toggle: true
        case .watch, .reconnect: settings.isForced
        case .probe: false
        }
    }

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

    mutating func begin(scope: HealthCheck.Scope, cause: BounceCause?, _ effects: inout EffectBuffer) {
        effects.emit(.disarm(.nextCheck))
        enter(.checking(makeCheck(scope: scope, cause: cause, &effects)))
    }

    /// A check, its kernel state asked for. The kernel's answer has its own deadline; that of the probes is armed
    /// with each round.
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

    /// While the link is suspect only proofs count that are younger than the suspicion.
    private func proofLimit(at now: Instant) -> Duration {
        guard let lastVerdict, let lastVerdictAt, lastVerdict.conclusion != .healthy else {
            return KernelState.freshness
        }
        return min(KernelState.freshness, now - lastVerdictAt)
    }

    // MARK: Answers

    mutating func kernelStateRead(_ number: Int, _ kernelState: KernelState, _ effects: inout EffectBuffer) {
        switch state {
        case .checking(var check) where check.number == number:
            note(kernelState, at: effects.now)
            follow(check.kernelStateRead(kernelState, at: effects.now), check, &effects)
        case .verifying(_, var check) where check.number == number:
            note(kernelState, at: effects.now)
            follow(check.kernelStateRead(kernelState, at: effects.now), check, &effects)
        case .keepingDown(let bounce), .awaitingLink(let bounce):
            if bounce.pendingQuery == number { kernelStateReadWithin(bounce, kernelState, &effects) }
        case .idle, .absent, .waiting, .checking, .preparing, .performing, .arming, .lowering, .raising,
            .awaitingOwner, .restoring,
            .verifying, .pausing, .comparing, .finished:
            break
        }
    }

    mutating func kernelStateFailed(_ number: Int, _ failure: Failure, _ effects: inout EffectBuffer) {
        switch state {
        case .checking(let check) where check.number == number,
            .verifying(_, let check) where check.number == number:
            if failure.kind == .noSuchDevice {
                vanish(&effects)
            } else {
                follow(check.kernelStateFailed(failure), check, &effects)
            }
        case .keepingDown(var bounce) where bounce.pendingQuery == number:
            bounce.pendingQuery = nil
            enter(.keepingDown(bounce))
        case .awaitingLink(var bounce) where bounce.pendingQuery == number:
            bounce.pendingQuery = nil
            // Whatever scans under its number from now on is another one.
            if failure.kind == .noSuchDevice { bounce.fastReconnect = nil }
            enter(.awaitingLink(bounce))
        case .idle, .absent, .waiting, .checking, .preparing, .performing, .arming, .lowering, .keepingDown,
            .raising,
            .awaitingLink, .awaitingOwner, .restoring, .verifying, .pausing, .comparing, .finished:
            break
        }
    }

    mutating func probeFinished(_ id: Int, _ result: ProbeResult, _ effects: inout EffectBuffer) {
        switch state {
        case .checking(let check)
        where result.foundNoInterface && check.outstanding.contains(id) && !check.isSecondCheck:
            // The announcement that it is gone, or has another name, may be on its way.
            checkTwice(&effects)
        case .checking(var check), .verifying(_, var check):
            follow(check.probeFinished(id, result), check, &effects)
        case .idle, .absent, .waiting, .preparing, .performing, .arming, .lowering, .keepingDown, .raising,
            .awaitingLink, .awaitingOwner,
            .restoring, .pausing, .comparing, .finished:
            break
        }
    }

    private mutating func checkTwice(_ effects: inout EffectBuffer) {
        checkAfresh(&effects)
        guard case .checking(var check) = state else { return }
        check.isSecondCheck = true
        enter(.checking(check))
    }

    mutating func checkTimedOut(_ effects: inout EffectBuffer) {
        switch state {
        case .checking(let check), .verifying(_, let check): follow(check.timedOut(), check, &effects)
        case .idle, .absent, .waiting, .preparing, .performing, .arming, .lowering, .keepingDown, .raising,
            .awaitingLink, .awaitingOwner,
            .restoring, .pausing, .comparing, .finished:
            break
        }
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
        if case .verifying(let bounce, _) = state {
            enter(.verifying(bounce, check))
        } else {
            enter(.checking(check))
        }
    }

    private mutating func concluded(_ verdict: Verdict, _ check: HealthCheck, _ effects: inout EffectBuffer) {
        if let kernelState = check.kernelState {
            let link = kernelState.link
            lastSeen = Appearance(link)
            counterSample = link.counters.map {
                CounterSample(index: link.index, counters: $0, at: effects.now)
            }
            noteLastNetwork(in: kernelState, at: check.kernelStateAt ?? effects.now)
            if verdict.conclusion == .healthy { baseline.network = Network(kernelState) }
        }
        learn(from: check, &effects)
        if check.scope == .full { localDisconnect.concluded(verdict) }
        let verdict = corrected(verdict, at: effects.now)
        if case .verifying(let bounce, _) = state {
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

    // MARK: The decision

    private mutating func decide(_ verdict: Verdict, _ check: HealthCheck, _ effects: inout EffectBuffer) {
        if let escalation = check.escalation { return goOn(escalation, check, &effects) }
        let before = health.condition
        if check.scope == .full {
            remember(verdict, of: check, at: effects.now)
            // The schedule sets the pace where it is the faster one. A one-shot takes faults as they come.
            health.take(
                verdict.conclusion, in: runMode == .watch ? verdict.layer : nil, at: check.begun,
                apart: min(settings.recheck, settings.interval),
                fall: fall, rise: settings.rise)
            noteQuality(verdict, check, at: effects.now)
            noteLimiter(check.kernelState, &effects)
        }
        guard runMode != .probe, let kernelState = check.kernelState else {
            return endCycle(.none, verdict, check.kernelState, before, &effects)
        }
        if let noBounceReason = kernelState.noBounceReason(under: settings) {
            health.forget()
            qualityWindow.dropUndecided()
            if noBounceReason == .administrativelyDown, let due = rfkillTracker.raiseDue, due <= effects.now {
                return raiseAfterBlock(verdict, kernelState, before, &effects)
            }
            return endCycle(.refused(noBounceReason), verdict, kernelState, before, &effects)
        }
        guard let cause = check.cause ?? cause(verdict, check) else {
            return endCycle(.none, verdict, kernelState, before, &effects)
        }
        let told = cause.verdict ?? verdict
        if let action = reasonNotToBounce(to: cause, kernelState, at: effects.now) {
            return endCycle(action, told, kernelState, before, &effects)
        }
        let age = effects.now - (check.kernelStateAt ?? check.begun)
        let asksOnceMore = sparesUsers(from: cause) || livenessWindow(for: cause, at: effects.now) != nil
        if age > Self.kernelStateLifetime || asksOnceMore && check.cause == nil {
            return begin(scope: .kernelOnly, cause: cause, &effects)
        }
        if sparesUsers(from: cause), let use = kernelState.use {
            return endCycle(.held(use), told, kernelState, before, &effects)
        }
        if let sign = check.liveness(in: kernelState) {
            return endCycle(.held(.alive(sign)), told.with(.liveness(sign)), kernelState, before, &effects)
        }
        if settings.isDryRun { return endCycle(.skipped(.dryRun), told, kernelState, before, &effects) }
        beginBounce(cause, kernelState, &effects)
    }

    /// A kernel state that was asked for.
    mutating func note(_ kernelState: KernelState, at now: Instant) {
        if runMode == .watch {
            rfkillTracker.note(kernelState, at: now)
            noteBaseline(kernelState, at: now)
        }
        if let savesPower = kernelState.savesPower { qualityWindow.note(savesPower: savesPower) }
    }

    private mutating func raiseAfterBlock(
        _ verdict: Verdict, _ kernelState: KernelState, _ before: Health.Condition,
        _ effects: inout EffectBuffer
    ) {
        if let administrativeHold = kernelState.administrativeHold, administrativeHold.holds(at: effects.now)
        {
            return endCycle(.held(.onHold(administrativeHold)), verdict, kernelState, before, &effects)
        }
        if settings.isDryRun { return endCycle(.skipped(.dryRun), verdict, kernelState, before, &effects) }
        beginRaise(kernelState, &effects)
    }

    /// What calls for a bounce; nil: nothing does.
    private func cause(_ verdict: Verdict, _ check: HealthCheck) -> BounceCause? {
        // The plain timer keeps its pace, whatever there is to look at in between.
        if isUnconditional { return check.isUnscheduled ? nil : .asked }
        return verdict.conclusion == .sick && health.isSick(fall: fall) ? .sick(verdict) : nil
    }

    /// Why the bounce that is called for does not take place; nil: it does.
    private func reasonNotToBounce(
        to cause: BounceCause, _ kernelState: KernelState, at now: Instant
    ) -> CycleReport.Action? {
        if let noBounceReason = administratorsReason(to: cause, kernelState, at: now) {
            return .held(noBounceReason)
        }
        if case .sick(let verdict) = cause {
            guard verdict.callsForBounce(on: settings.bouncedLayers) else {
                return .skipped(.cannotHelp(verdict.layer))
            }
            if verdict.layer == .association, let silence = lastNetwork?.awaitedCAC, now < silence.until {
                return .held(.awaitingCAC(frequency: silence.frequency, until: silence.until))
            }
            let waits = [
                graceEnd, lastNetwork?.joiningUntil, localDisconnect.joiningUntil,
                joiningEnd(kernelState, at: now),
            ]
            for until in waits.compactMap(\.self) where now < until { return .held(.early(until: until)) }
            if let noBounceReason = limiter.noBounceReason(at: now, budget: settings.budget) {
                return .held(noBounceReason)
            }
        }
        return nil
    }

    /// A one-shot is begun by somebody who knows the time; nil: for it there is no grace.
    private var graceEnd: Instant? {
        runMode == .watch ? (appearedAt ?? .boot) + settings.grace : nil
    }

    /// Who has just joined is still about keys and an address: a bounce would cut that in half.
    private func joiningEnd(_ kernelState: KernelState, at now: Instant) -> Instant? {
        guard runMode == .watch, let connected = kernelState.wireless?.association?.station.connected else {
            return nil
        }
        return now + (Self.joining - connected)
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

    /// Tells what a cycle has come to, and waits for the next one, if there is one.
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

    /// When to look next; nil: the mission is over.
    func nextCheck(after action: CycleReport.Action, at now: Instant) -> NextCheck? {
        switch runMode {
        case .probe, .toggle: return nil
        case .reconnect:
            guard case .none = action, health.isInDoubt(fall: fall) else { return nil }
            return NextCheck(at: now + settings.recheck, why: .recheck)
        case .watch: return nextWatch(after: action, at: now)
        }
    }

    private func nextWatch(after action: CycleReport.Action, at now: Instant) -> NextCheck {
        let tick = nextTick(now)
        let sooner: NextCheck? =
            switch action {
            case .none:
                health.isInDoubt(fall: fall)
                    ? NextCheck(at: now + settings.recheck, why: .recheck) : nil
            case .held(.backingOff(let until)), .held(.useless(_, let until)):
                NextCheck(at: until, why: .backoff)
            case .held(.early(let until)), .held(.awaitingCAC(_, let until)):
                NextCheck(at: until, why: .grace)
            case .held(.onHold(.until(let until))): NextCheck(at: until, why: .hold)
            case .held(.quiet(let until)): NextCheck(at: until, why: .quiet)
            case .held(.budgetSpent(let until)): NextCheck(at: until, why: .budget)
            case .refused(.administrativelyDown):
                rfkillTracker.raiseDue.flatMap { $0 > now ? NextCheck(at: $0, why: .grace) : nil }
            case .bounced, .raised, .failed, .held, .skipped, .refused: nil
            }
        guard let sooner, sooner.at < tick.at else { return tick }
        return sooner
    }

    func nextTick(_ now: Instant) -> NextCheck {
        NextCheck(at: schedule?.next(after: now) ?? now + settings.interval, why: .schedule)
    }

    mutating func wait(_ next: NextCheck, _ effects: inout EffectBuffer) {
        effects.emit(.arm(.nextCheck, at: next.at))
        enter(.waiting(next))
    }

    /// Something changed: look before the next tick.
    mutating func checkSoon(_ next: NextCheck, _ effects: inout EffectBuffer) {
        let earliest = max(effects.now, (lastVerdictAt ?? effects.now) + Self.changeSpacing)
        if earliest < next.at { wait(NextCheck(at: earliest, why: .change), &effects) }
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
