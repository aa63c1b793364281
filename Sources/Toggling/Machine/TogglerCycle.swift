import Model

/// The cycle: check, reach a verdict, decide (`Decision`), act, wait.
extension Toggler {
    /// How long a probe may take to report after its time-out.
    private static let probeAllowance: Duration = .seconds(1)
    /// NetworkManager sets a station down for a moment to change its hardware address, while it scans and
    /// before it connects. Only a link that is down for longer than this counts as administratively down.
    static let ownersDown: Duration = .seconds(5)

    mutating func check(because why: NextCheck.Why = .schedule, _ effects: inout Effects) {
        begin(scope: isUnconditional ? .kernelOnly : .full, cause: nil, &effects)
        guard [.change, .grace].contains(why), case .checking(var check) = state else { return }
        check.isUnscheduled = true
        enter(.checking(check))
    }

    /// Begins a new check, because the input of the decision is obsolete and nothing was changed yet.
    mutating func checkAfresh(_ effects: inout Effects) {
        let isUnscheduled = state.check?.isUnscheduled ?? false
        let requested = openUserRequest
        letGo(&effects)
        if let requested { return begin(scope: .kernelOnly, cause: requested, &effects) }
        check(because: isUnscheduled ? .change : .schedule, &effects)
    }

    mutating func begin(scope: HealthCheck.Scope, cause: BounceCause?, _ effects: inout Effects) {
        effects.emit(.disarm(.nextCheck))
        enter(.checking(makeCheck(scope: scope, for: cause.map { .bounce($0) } ?? .health, &effects)))
    }

    /// Creates a check, and requests the kernel state with which it begins; each round of probes has a deadline.
    mutating func makeCheck(
        scope: HealthCheck.Scope, for purpose: HealthCheck.Purpose = .health, _ effects: inout Effects
    ) -> HealthCheck {
        let now = effects.now
        queries += 1
        var check = HealthCheck(
            number: queries, begun: now, scope: scope, settings: settings,
            lastCounterSample: lastCheck.counterSample, proofLimit: proofLimit(at: now),
            knownTargets: knownTargets, silence: silence,
            isNew: knownTargets.entries.isEmpty && limiter.saved.isEmpty, purpose: purpose)
        check.livenessWindow = check.cause.flatMap { livenessWindow(for: $0, at: now) }
        localDisconnect.checkBegins()
        baseline.checkBegins()
        // The kernel does not announce when another program switches power saving on again.
        keepPowerSaveOff(&effects)
        effects.emit(kernelState(for: check))
        return check
    }

    /// The kernel query at the beginning of a check.
    func kernelState(for check: HealthCheck) -> Effect {
        let details = KernelState.Details(
            logins: check.cause.map(sparesUsers(from:)) ?? false || check.livenessWindow != nil,
            livenessWithin: check.livenessWindow,
            powerSave: check.scope == .full && qualityWindow.asksForPowerSave(settings),
            ownerCondition: check.cause.map(asksOwner(about:)) ?? false,
            failedLookup: check.cause?.verdict?.failedLookup,
            rebootState: check.cause.map { isRebootDue(for: $0, at: check.begun) } ?? false)
        return .kernelState(check.number, with: details)
    }

    func keepPowerSaveOff(_ effects: inout Effects) {
        guard settings.powerSave != .leave, runMode.changesLink else { return }
        effects.emit(.switchPowerSaveOff(isDryRun: settings.isDryRun))
    }

    /// How old a neighbour confirmation may be. On a suspect link it must be newer than the last verdict.
    private func proofLimit(at now: Instant) -> Duration {
        guard let endedAt = lastCheck.endedAt, lastVerdict?.conclusion != .healthy else {
            return KernelState.freshness
        }
        return min(KernelState.freshness, now - endedAt)
    }

    // MARK: Answers

    mutating func kernelStateRead(_ number: Int, _ kernelState: KernelState, _ effects: inout Effects) {
        if case .absent(let absence) = state, absence.query == number {
            answered(kernelState, absence, &effects)
        } else if var check = state.check, check.number == number {
            note(kernelState, at: effects.now)
            follow(check.kernelStateRead(kernelState, at: effects.now), check, &effects)
        } else if var bounce = state.bounce, bounce.pendingQuery == number {
            bounce.pendingQuery = nil
            kernelStateReadWithin(bounce, kernelState, &effects)
        }
    }

    mutating func kernelStateFailed(_ number: Int, _ failure: Failure, _ effects: inout Effects) {
        if case .absent(var absence) = state, absence.query == number {
            if failure.kind == .noSuchDevice { return answered(nil, absence, &effects) }
            absence.query = nil
            awaitReturn(absence, &effects)
        } else if let check = state.check, check.number == number {
            failure.kind == .noSuchDevice
                ? removed(&effects) : follow(check.kernelStateFailed(failure), check, &effects)
        } else if var bounce = state.bounce, bounce.pendingQuery == number {
            bounce.pendingQuery = nil
            // The index may belong to another interface from now on, so no scan on it is aborted.
            if failure.kind == .noSuchDevice, bounce.step == .awaitingLink { bounce.fastReconnect = nil }
            enter(.bouncing(bounce))
        }
    }

    mutating func probeFinished(_ id: Int, _ result: ProbeResult, _ effects: inout Effects) {
        guard var check = state.check else { return }
        if case .checking = state, case .unknown(let failure) = result, failure.kind == .noSuchDevice,
            check.rounds.outstanding.contains(id), !check.isSecondCheck
        {
            // The announcement that the interface disappeared or was renamed may be late.
            checkAfresh(&effects)
            guard case .checking(var check) = state else { return }
            check.isSecondCheck = true
            return enter(.checking(check))
        }
        follow(check.probeFinished(id, result), check, &effects)
    }

    mutating func checkTimedOut(_ effects: inout Effects) {
        if let check = state.check { follow(check.timedOut(), check, &effects) }
    }

    private mutating func follow(_ step: HealthCheck.Step, _ check: HealthCheck, _ effects: inout Effects) {
        var check = check
        for id in check.rounds.takeAbandoned() { effects.emit(.cancelProbe(id)) }
        switch step {
        case .kernelState(let details): effects.emit(.kernelState(check.number, with: details))
        case .ask(let requests):
            for request in requests { effects.emit(.startProbe(request)) }
            effects.emit(.arm(.probes, at: effects.now + settings.timeout + Self.probeAllowance))
        case .wait: break
        case .conclude(let verdict):
            for id in check.rounds.outstanding { effects.emit(.cancelProbe(id)) }
            effects.emit(.disarm(.probes))
            return concluded(verdict, check, &effects)
        }
        if let bounce = state.bounce { enter(.verifying(check), bounce) } else { enter(.checking(check)) }
    }

    private mutating func concluded(_ verdict: Verdict, _ check: HealthCheck, _ effects: inout Effects) {
        if let kernelState = check.kernelState {
            let link = kernelState.link
            _ = see(link)
            lastCheck.counterSample = link.counters.map {
                CounterSample(index: link.index, counters: $0, at: effects.now)
            }
            noteLastNetwork(in: kernelState, at: check.kernelStateAt ?? effects.now)
            let network = Network(kernelState)
            let isProven = verdict.conclusion == .healthy && check.scope == .full
            if verdict.conclusion == .healthy { baseline.note(network, isProven: isProven) }
            let proof = isProven ? [kernelState.healthyTarget].compactMap(\.self) : []
            let answered = runMode == .probe ? [] : check.answeredTargets + proof
            let news = answered.filter { knownTargets.record($0, in: network, at: effects.now) }
            if !news.isEmpty { effects.emit(.remember(knownTargets)) }
        }
        // An owner may raise the link soon. The plain timer does not wait: it would lose this tick.
        if verdict.reason == .administrativelyDown, state.bounce == nil, check.cause == nil, !isUnconditional,
            let end = rfkillTracker.downSince.map({ $0 + Self.ownersDown }), effects.now < end
        {
            return wait(NextCheck(at: end, why: .grace), &effects)
        }
        if check.scope == .full { localDisconnect.concluded(verdict) }
        let verdict = corrected(verdict, at: effects.now)
        if let bounce = state.bounce {
            lastCheck.take(verdict, begun: check.begun, at: effects.now)
            verified(verdict, bounce, &effects)
        } else {
            decide(verdict, check, &effects)
        }
    }

    /// Takes a verdict into account in the health, the quality and the limiter.
    mutating func take(_ verdict: Verdict, _ check: HealthCheck, _ effects: inout Effects) {
        lastCheck.take(verdict, begun: check.begun, at: effects.now)
        // A one-shot does not distinguish layers.
        health.take(
            verdict.conclusion, in: runMode == .watch ? verdict.layer : nil, at: check.begun,
            apart: min(settings.recheck, settings.interval), fall: fall, rise: settings.rise)
        // A one-shot has too few probes for the quality.
        if runMode == .watch, let kernelState = check.kernelState {
            silence = .after(check, verdict.reason, last: silence)
            qualityWindow.take(
                check.outcomes(at: effects.now), in: Network(kernelState),
                isSick: verdict.conclusion == .sick, isOutage: health.condition == .sick,
                settings: settings, at: effects.now)
        }
        let isHealthy = health.condition == .healthy
        limit(&effects) {
            $0.note(isHealthy: isHealthy, at: $1)
            if let kernelState = check.kernelState { $0.note(Network(kernelState), settings: $2) }
        }
    }

    /// Notes a requested kernel state.
    mutating func note(_ kernelState: KernelState, at now: Instant) {
        if runMode == .watch {
            rfkillTracker.note(kernelState, at: now)
            noteBaseline(kernelState, at: now)
        }
        qualityWindow.savesPower = kernelState.savesPower ?? qualityWindow.savesPower
    }

    // MARK: The end of a cycle

    /// Reports the result of a cycle, and waits for the next one or finishes.
    mutating func end(
        _ action: CycleReport.Action, _ verdict: Verdict, _ before: Health.Condition, _ outcome: RunOutcome,
        _ effects: inout Effects
    ) {
        let next = nextCheck(after: action, at: effects.now)
        let change = HealthChange(before: before, after: health.condition, streak: health.streak?.count ?? 0)
        let report = CycleReport(
            verdict: verdict, action: action, change: change, next: next,
            quality: qualityWindow.quality(settings), outcome: outcome)
        effects.emit(.report(.cycle(report)))
        if settings.announces, verdict.conclusion == .healthy, runMode.changesLink, !settings.isDryRun {
            effects.emit(.announce)
        }
        guard let next else { return finish(outcome, &effects) }
        wait(next, &effects)
        renewBaseline(&effects)
    }
}
