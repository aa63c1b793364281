/// The cycle: look, reach a verdict, decide, wait.
extension Toggler {
    /// A change that was announced is looked at, but not more often than this.
    private static let changeSpacing: Duration = .seconds(1)
    /// How old a survey may be when a bounce begins on its word.
    private static let surveyLifetime: Duration = .milliseconds(100)
    /// The slowest of the network managers and DHCP clients that were measured had its routes back 8.9 s after it
    /// had begun to join.
    private static let joining: Duration = .seconds(10)
    /// For a probe to report after its time-out.
    private static let probeAllowance: Duration = .seconds(1)

    /// Whether a bounce is due whatever the verdict, at each look that is due itself.
    private var isUnconditional: Bool {
        switch mission {
        case .toggle: true
        case .watch, .reconnect: settings.isForced
        case .probe: false
        }
    }

    mutating func look(because why: NextLook.Why = .schedule, _ turn: inout Turn) {
        begin(scope: isUnconditional ? .kernelOnly : .full, cause: nil, &turn)
        guard [.change, .grace].contains(why), case .inquiring(var inquiry) = state else { return }
        inquiry.isUnscheduled = true
        enter(.inquiring(inquiry))
    }

    mutating func lookNow(_ turn: inout Turn) {
        guard case .waiting = state else { return }
        look(&turn)
    }

    mutating func begin(scope: Inquiry.Scope, cause: BounceCause?, _ turn: inout Turn) {
        turn.emit(.disarm(.look))
        enter(.inquiring(makeInquiry(scope: scope, cause: cause, &turn)))
    }

    /// An inquiry, its survey asked for. The kernel's answer has its own deadline; that of the probes is armed
    /// with each round.
    mutating func makeInquiry(
        scope: Inquiry.Scope, cause: BounceCause? = nil, climb: Bounce? = nil, _ turn: inout Turn
    ) -> Inquiry {
        let inquiry = Inquiry(
            number: nextInquiryNumber(), at: turn.now, scope: scope, settings: settings, lastGlance: glance,
            proofLimit: proofLimit(at: turn.now), acquaintances: acquaintances, cause: cause,
            lifeSpan: cause.flatMap { lifeSpan(for: $0, at: turn.now) }, climb: climb)
        departure.lookBegins()
        turn.emit(survey(for: inquiry))
        return inquiry
    }

    /// While the link is suspect only proofs count that are younger than the suspicion.
    private func proofLimit(at now: Instant) -> Duration {
        guard let lastVerdict, let lastVerdictAt, lastVerdict.conclusion != .healthy else {
            return Survey.freshness
        }
        return min(Survey.freshness, now - lastVerdictAt)
    }

    // MARK: Answers

    mutating func surveyed(_ number: Int, _ survey: Survey, _ turn: inout Turn) {
        switch state {
        case .inquiring(var inquiry) where inquiry.number == number:
            note(survey, at: turn.now)
            follow(inquiry.surveyed(survey, at: turn.now), inquiry, &turn)
        case .verifying(_, var inquiry) where inquiry.number == number:
            note(survey, at: turn.now)
            follow(inquiry.surveyed(survey, at: turn.now), inquiry, &turn)
        case .holding(let bounce), .awaitingLink(let bounce):
            if bounce.pendingSurvey == number { surveyedWithin(bounce, survey, &turn) }
        case .idle, .absent, .waiting, .inquiring, .preparing, .performing, .arming, .lowering, .raising,
            .awaitingKeeper, .restoring,
            .verifying, .pausing, .comparing, .finished:
            break
        }
    }

    mutating func surveyFailed(_ number: Int, _ failure: Failure, _ turn: inout Turn) {
        switch state {
        case .inquiring(let inquiry) where inquiry.number == number,
            .verifying(_, let inquiry) where inquiry.number == number:
            if failure.kind == .noSuchDevice {
                vanish(&turn)
            } else {
                follow(inquiry.surveyFailed(failure), inquiry, &turn)
            }
        case .holding(var bounce) where bounce.pendingSurvey == number:
            bounce.pendingSurvey = nil
            enter(.holding(bounce))
        case .awaitingLink(var bounce) where bounce.pendingSurvey == number:
            bounce.pendingSurvey = nil
            // Whatever scans under its number from now on is another one.
            if failure.kind == .noSuchDevice { bounce.shortcut = nil }
            enter(.awaitingLink(bounce))
        case .idle, .absent, .waiting, .inquiring, .preparing, .performing, .arming, .lowering, .holding,
            .raising,
            .awaitingLink, .awaitingKeeper, .restoring, .verifying, .pausing, .comparing, .finished:
            break
        }
    }

    mutating func probeFinished(_ id: Int, _ result: ProbeResult, _ turn: inout Turn) {
        switch state {
        case .inquiring(let inquiry)
        where result.foundNoInterface && inquiry.outstanding.contains(id) && !inquiry.isSecondLook:
            // The announcement that it is gone, or has another name, may be on its way.
            lookTwice(&turn)
        case .inquiring(var inquiry), .verifying(_, var inquiry):
            follow(inquiry.probeFinished(id, result), inquiry, &turn)
        case .idle, .absent, .waiting, .preparing, .performing, .arming, .lowering, .holding, .raising,
            .awaitingLink, .awaitingKeeper,
            .restoring, .pausing, .comparing, .finished:
            break
        }
    }

    private mutating func lookTwice(_ turn: inout Turn) {
        lookAfresh(&turn)
        guard case .inquiring(var inquiry) = state else { return }
        inquiry.isSecondLook = true
        enter(.inquiring(inquiry))
    }

    mutating func inquiryTimedOut(_ turn: inout Turn) {
        switch state {
        case .inquiring(let inquiry), .verifying(_, let inquiry): follow(inquiry.timedOut(), inquiry, &turn)
        case .idle, .absent, .waiting, .preparing, .performing, .arming, .lowering, .holding, .raising,
            .awaitingLink, .awaitingKeeper,
            .restoring, .pausing, .comparing, .finished:
            break
        }
    }

    private mutating func follow(_ step: Inquiry.Step, _ inquiry: Inquiry, _ turn: inout Turn) {
        var inquiry = inquiry
        for id in inquiry.takeAbandoned() { turn.emit(.cancelProbe(id)) }
        switch step {
        case .survey: turn.emit(.survey(inquiry.number))
        case .ask(let requests):
            for request in requests { turn.emit(.startProbe(request)) }
            turn.emit(.arm(.inquiry, at: turn.now + settings.timeout + Self.probeAllowance))
        case .wait: break
        case .conclude(let verdict):
            for id in inquiry.outstanding { turn.emit(.cancelProbe(id)) }
            turn.emit(.disarm(.inquiry))
            return concluded(verdict, inquiry, &turn)
        }
        if case .verifying(let bounce, _) = state {
            enter(.verifying(bounce, inquiry))
        } else {
            enter(.inquiring(inquiry))
        }
    }

    private mutating func concluded(_ verdict: Verdict, _ inquiry: Inquiry, _ turn: inout Turn) {
        if let survey = inquiry.survey {
            let link = survey.link
            lastSeen = Appearance(link)
            glance = link.counters.map { Glance(index: link.index, counters: $0, at: turn.now) }
            listen(to: survey, at: inquiry.surveyedAt ?? turn.now)
            if verdict.conclusion == .healthy { keepsake.network = Network(survey) }
        }
        learn(from: inquiry, &turn)
        if inquiry.scope == .full { departure.concluded(verdict) }
        let verdict = corrected(verdict, at: turn.now)
        if case .verifying(let bounce, _) = state {
            remember(verdict, of: inquiry, at: turn.now)
            verified(verdict, bounce, &turn)
        } else {
            decide(verdict, inquiry, &turn)
        }
    }

    private mutating func remember(_ verdict: Verdict, of inquiry: Inquiry, at now: Instant) {
        fault = FaultRow.after(verdict, begun: inquiry.begun, last: fault)
        lastVerdict = verdict
        lastVerdictAt = now
    }

    // MARK: The decision

    private mutating func decide(_ verdict: Verdict, _ inquiry: Inquiry, _ turn: inout Turn) {
        if let climb = inquiry.climb { return goOn(climb, inquiry, &turn) }
        let before = health.condition
        if inquiry.scope == .full {
            remember(verdict, of: inquiry, at: turn.now)
            // The schedule sets the pace where it is the faster one. A one-shot takes faults as they come.
            health.take(
                verdict.conclusion, in: mission == .watch ? verdict.layer : nil, at: inquiry.begun,
                apart: min(settings.recheck, settings.interval),
                fall: fall, rise: settings.rise)
            noteQuality(verdict, inquiry, at: turn.now)
            noteRestraint(inquiry.survey, &turn)
        }
        guard mission != .probe, let survey = inquiry.survey else {
            return endCycle(.none, verdict, inquiry.survey, before, &turn)
        }
        if let refusal = survey.refusal(under: settings) {
            health.forget()
            qualityWindow.dropUndecided()
            if refusal == .administrativelyDown, let due = aftermath.raiseDue, due <= turn.now {
                return raiseAfterBlock(verdict, survey, before, &turn)
            }
            return endCycle(.refused(refusal), verdict, survey, before, &turn)
        }
        guard let cause = inquiry.cause ?? cause(verdict, inquiry) else {
            return endCycle(.none, verdict, survey, before, &turn)
        }
        let told = cause.verdict ?? verdict
        if let action = objection(to: cause, survey, at: turn.now) {
            return endCycle(action, told, survey, before, &turn)
        }
        let age = turn.now - (inquiry.surveyedAt ?? inquiry.begun)
        let asksOnceMore = sparesUsers(from: cause) || lifeSpan(for: cause, at: turn.now) != nil
        if age > Self.surveyLifetime || asksOnceMore && inquiry.cause == nil {
            return begin(scope: .kernelOnly, cause: cause, &turn)
        }
        if sparesUsers(from: cause), let use = survey.use {
            return endCycle(.held(use), told, survey, before, &turn)
        }
        if let sign = inquiry.life(in: survey) {
            return endCycle(.held(.alive(sign)), told.with(.life(sign)), survey, before, &turn)
        }
        if settings.isDryRun { return endCycle(.skipped(.dryRun), told, survey, before, &turn) }
        beginBounce(cause, survey, &turn)
    }

    /// A survey that was asked for.
    mutating func note(_ survey: Survey, at now: Instant) {
        if mission == .watch {
            aftermath.note(survey, at: now)
            noteBelongings(survey, at: now)
        }
        if let savesPower = survey.savesPower { qualityWindow.note(savesPower: savesPower) }
    }

    private mutating func raiseAfterBlock(
        _ verdict: Verdict, _ survey: Survey, _ before: Health.Condition, _ turn: inout Turn
    ) {
        if let inhibition = survey.inhibition, inhibition.holds(at: turn.now) {
            return endCycle(.held(.inhibited(inhibition)), verdict, survey, before, &turn)
        }
        if settings.isDryRun { return endCycle(.skipped(.dryRun), verdict, survey, before, &turn) }
        beginRaise(survey, &turn)
    }

    /// What calls for a bounce; nil: nothing does.
    private func cause(_ verdict: Verdict, _ inquiry: Inquiry) -> BounceCause? {
        // The plain timer keeps its pace, whatever there is to look at in between.
        if isUnconditional { return inquiry.isUnscheduled ? nil : .asked }
        return verdict.conclusion == .sick && health.isSick(fall: fall) ? .sick(verdict) : nil
    }

    /// Why the bounce that is called for does not take place; nil: it does.
    private func objection(
        to cause: BounceCause, _ survey: Survey, at now: Instant
    ) -> CycleReport.Action? {
        if let refusal = administratorsObjection(to: cause, survey, at: now) { return .held(refusal) }
        if case .sick(let verdict) = cause {
            guard verdict.callsForBounce(on: settings.bouncedLayers) else {
                return .skipped(.cannotHelp(verdict.layer))
            }
            if verdict.layer == .association, let silence = sought?.radarSilence, now < silence.until {
                return .held(.listening(frequency: silence.frequency, until: silence.until))
            }
            let patience = [
                graceEnd, sought?.joiningUntil, departure.joiningUntil, joiningEnd(survey, at: now),
            ]
            for until in patience.compactMap(\.self) where now < until { return .held(.early(until: until)) }
            if let refusal = restraint.refusal(at: now, budget: settings.budget) { return .held(refusal) }
        }
        return nil
    }

    /// A one-shot is begun by somebody who knows the time; nil: for it there is no grace.
    private var graceEnd: Instant? {
        mission == .watch ? (appearedAt ?? .boot) + settings.grace : nil
    }

    /// Who has just joined is still about keys and an address: a bounce would cut that in half.
    private func joiningEnd(_ survey: Survey, at now: Instant) -> Instant? {
        guard mission == .watch, let connected = survey.wireless?.association?.station.connected else {
            return nil
        }
        return now + (Self.joining - connected)
    }

    // MARK: The end of a cycle

    private mutating func endCycle(
        _ action: CycleReport.Action, _ verdict: Verdict, _ survey: Survey?, _ before: Health.Condition,
        _ turn: inout Turn
    ) {
        end(action, verdict, before, outcome(of: action, verdict, survey), &turn)
        if case .none = action, let survey { makeGood(verdict, survey, &turn) }
    }

    /// Tells what a cycle has come to, and waits for the next one, if there is one.
    mutating func end(
        _ action: CycleReport.Action, _ verdict: Verdict, _ before: Health.Condition, _ outcome: Outcome,
        _ turn: inout Turn
    ) {
        let next = nextLook(after: action, at: turn.now)
        let change = HealthChange(before: before, after: health.condition, row: health.row?.count ?? 0)
        turn.emit(
            .report(
                .cycle(
                    CycleReport(
                        verdict: verdict, action: action, change: change, next: next,
                        quality: qualityWindow.quality(settings), outcome: outcome))))
        guard let next else { return finish(outcome, &turn) }
        wait(next, &turn)
        renewKeepsake(&turn)
    }

    private func outcome(of action: CycleReport.Action, _ verdict: Verdict, _ survey: Survey?) -> Outcome {
        switch action {
        case .refused(let refusal): return .refused(refusal)
        case .skipped(.dryRun) where isUnconditional: return .healthy
        case .none, .skipped, .held, .bounced, .raised, .failed: break
        }
        if let refusal = survey?.refusal(under: settings) { return .refused(refusal) }
        return Outcome(verdict.conclusion)
    }

    /// When to look next; nil: the mission is over.
    func nextLook(after action: CycleReport.Action, at now: Instant) -> NextLook? {
        switch mission {
        case .probe, .toggle: return nil
        case .reconnect:
            guard case .none = action, health.isInDoubt(fall: fall) else { return nil }
            return NextLook(at: now + settings.recheck, why: .recheck)
        case .watch: return nextWatch(after: action, at: now)
        }
    }

    private func nextWatch(after action: CycleReport.Action, at now: Instant) -> NextLook {
        let tick = nextTick(now)
        let sooner: NextLook? =
            switch action {
            case .none:
                health.isInDoubt(fall: fall)
                    ? NextLook(at: now + settings.recheck, why: .recheck) : nil
            case .held(.backingOff(let until)), .held(.useless(_, let until)):
                NextLook(at: until, why: .backoff)
            case .held(.early(let until)), .held(.listening(_, let until)):
                NextLook(at: until, why: .grace)
            case .held(.inhibited(.until(let until))): NextLook(at: until, why: .hold)
            case .held(.quiet(let until)): NextLook(at: until, why: .quiet)
            case .held(.budgetSpent(let until)): NextLook(at: until, why: .budget)
            case .refused(.administrativelyDown):
                aftermath.raiseDue.flatMap { $0 > now ? NextLook(at: $0, why: .grace) : nil }
            case .bounced, .raised, .failed, .held, .skipped, .refused: nil
            }
        guard let sooner, sooner.at < tick.at else { return tick }
        return sooner
    }

    func nextTick(_ now: Instant) -> NextLook {
        NextLook(at: schedule?.next(after: now) ?? now + settings.interval, why: .schedule)
    }

    mutating func wait(_ next: NextLook, _ turn: inout Turn) {
        turn.emit(.arm(.look, at: next.at))
        enter(.waiting(next))
    }

    /// Something changed: look before the next tick.
    mutating func lookSoon(_ next: NextLook, _ turn: inout Turn) {
        let earliest = max(turn.now, (lastVerdictAt ?? turn.now) + Self.changeSpacing)
        if earliest < next.at { wait(NextLook(at: earliest, why: .change), &turn) }
    }
}

extension ProbeResult {
    fileprivate var foundNoInterface: Bool {
        if case .unknown(let failure) = self { failure.kind == .noSuchDevice } else { false }
    }
}

extension Outcome {
    init(_ conclusion: Verdict.Conclusion) {
        switch conclusion {
        case .healthy: self = .healthy
        case .sick: self = .sick
        case .unknown: self = .unknown
        }
    }
}
