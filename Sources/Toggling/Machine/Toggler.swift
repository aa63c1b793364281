import Model

/// The decisions for one interface, as a state machine without clock, I/O or randomness of its own: its input
/// is what happened and when, its output is what to do.
public struct Toggler: Hashable, Sendable {
    public let runMode: RunMode
    public internal(set) var settings: Settings
    public private(set) var state: TogglerState = .idle
    public internal(set) var health = Health()
    var limiter: BounceLimiter
    /// Used only by the service: a one-shot has too few probes.
    var qualityWindow = QualityWindow()
    var schedule: Schedule?
    var lastCheck = LastCheck()
    public var lastVerdict: Verdict? { lastCheck.verdict }
    /// The kernel's last report of the link.
    private(set) var lastSeen: Link.Appearance?
    // Used only by the service: a one-shot does not see what happens between checks.
    var rfkillTracker = RFKillTracker()
    var localDisconnect = LocalDisconnectTracker()
    var baseline = Baseline()
    var silence = Silence()
    /// Items that are still to be restored; nil: there are none.
    var pendingRestore: PendingRestore?
    /// The station's last network; nil: not known, or not a station.
    var lastNetwork: LastNetwork?
    /// When the interface appeared; nil: it existed when the service started.
    private(set) var appearedAt: Instant?
    /// When the machine last resumed from a suspend; nil: not since the start.
    private(set) var resumedAt: Instant?
    /// How many interfaces the service watched before this one.
    let place: Int
    var knownTargets: KnownTargets
    /// The number of the last kernel query.
    var queries = 0

    /// - Parameters:
    ///   - seed: the seed of the jitter, which differs between machines.
    ///   - knownTargets, limiter: the known targets and the state of the bounce limiter from earlier runs.
    ///   - place: how many interfaces the service already watches, to spread the checks over the interval.
    public init(
        runMode: RunMode, settings: Settings, seed: UInt64, appearedAt: Instant? = nil,
        knownTargets: KnownTargets = KnownTargets(), limiter: BounceLimiter.Saved = BounceLimiter.Saved(),
        place: Int = 0
    ) {
        self.runMode = runMode
        self.settings = settings
        self.appearedAt = appearedAt
        self.knownTargets = knownTargets
        self.place = place
        self.limiter = BounceLimiter(limiter, seed: seed)
    }

    /// Takes an event that happened at `now`, and returns the effects to carry out, in order.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        var effects = Effects(now: now)
        if runMode == .watch {
            rfkillTracker.note(event, at: now)
            localDisconnect.note(event, at: now)
            noteBaseline(event, at: now)
        }
        switch event {
        case .started(let isPresent): start(isPresent: isPresent, &effects)
        case .terminationRequested: terminate(&effects)
        case .linkRemoved: removed(&effects)
        case .linkAppeared(let link): if canAppear { appeared(link, &effects) }
        case .reconfigured(let settings): reconfigure(settings, &effects)
        case .cycleRequested: cycleRequested(&effects)
        case .bounceRequested(let delay): bounceRequested(delay: delay, &effects)
        // Owners set power saving anew for each association.
        case .joinAttempted: if lastSeen != nil { keepPowerSaveOff(&effects) }
        // The trackers above have noted the suspend; deadlines that passed in it are reported separately.
        case .resumed: (silence, resumedAt) = (Silence(), now)
        case .linkChanged, .radioChanged, .disconnected, .addressingChanged, .addressingLost,
            .scanFinished, .monitorOverran, .guardLost:
            notice(event, &effects)
        case .scanBegun(let scan): scanBegun(scan, &effects)
        case .scanAborted(let ago):
            if let ago, state.bounce != nil { effects.report(.scanAborted(heard: ago)) }
        case .directedScanDone(let failure): directedScanDone(isHeard: failure == nil, &effects)
        case .baselineTaken(let snapshot): baselineTaken(snapshot, &effects)
        case .deadlineReached(let deadline): reached(deadline, &effects)
        case .kernelStateRead(let number, let kernelState): kernelStateRead(number, kernelState, &effects)
        case .kernelStateFailed(let number, let failure): kernelStateFailed(number, failure, &effects)
        case .probeFinished(let id, let result): probeFinished(id, result, &effects)
        case .snapshotTaken, .snapshotFailed, .guardArmed, .guardFailed, .linkLowered, .linkLoweringFailed,
            .linkRaised, .linkRaisingFailed, .performed, .performingFailed, .restored:
            bounceStepFinished(event, &effects)
        }
        return effects.list
    }

    /// Collects the effects of one event, in order.
    struct Effects {
        let now: Instant
        fileprivate var list: [Effect] = []

        mutating func emit(_ effect: Effect) { list.append(effect) }
        mutating func report(_ step: Report.Step) { emit(.report(.step(step))) }
    }

    /// Enters a state; no other code sets `state`.
    mutating func enter(_ state: TogglerState) { self.state = state }

    /// Goes on with this step of the bounce.
    mutating func enter(_ step: Bounce.Step, _ bounce: Bounce) {
        var bounce = bounce
        bounce.step = step
        enter(.bouncing(bounce))
    }

    // MARK: Beginning and end

    private mutating func start(isPresent: Bool, _ effects: inout Effects) {
        guard case .idle = state else { return }
        limiter.recall(at: effects.now, settings: settings)
        schedule = makeSchedule(at: effects.now)
        if runMode == .watch { effects.emit(.report(.watching(settings, first: effects.now))) }
        if isPresent { return check(&effects) }
        runMode == .toggle && seeksInterface ? askForInterface(Absence(), &effects) : removed(&effects)
    }

    /// The ticks of the plain timer count from now, its first bounce; `place` spreads those of other runs.
    private func makeSchedule(at now: Instant) -> Schedule {
        Schedule(beginning: now, interval: settings.interval, place: settings.isForced ? 0 : place)
    }

    private mutating func terminate(_ effects: inout Effects) {
        switch state {
        case .finished: break
        case .bouncing(let bounce) where bounce.isLinkInOurHands: terminate(bounce, &effects)
        case .bouncing(let bounce): terminated(bounce, &effects)
        case .idle, .absent, .waiting, .checking:
            letGo(&effects)
            finish(.interrupted, &effects)
        }
    }

    mutating func removed(_ effects: inout Effects) {
        switch state {
        case .finished, .absent: return
        // The method itself removes the interface, which comes back with its driver or device.
        case .bouncing(let bounce) where bounce.method.takesInterfaceAway && bounce.step.phase == .down:
            return
        // A service waits in the state `absent`.
        case .bouncing(let bounce) where runMode != .watch && bounce.mayBringBack(at: effects.now):
            for id in state.check?.rounds.outstanding ?? [] { effects.emit(.cancelProbe(id)) }
            if bounce.step != .performing { awaitLink(bounce, &effects) }
        case .idle, .waiting, .checking, .bouncing: vanish(&effects)
        }
    }

    /// Stops everything, because the interface does not exist.
    mutating func vanish(_ effects: inout Effects) {
        // A hook that removes the interface, such as to load the driver anew, counts as carried out.
        if var bounce = state.bounce, bounce.step == .performing, bounce.method == .hook {
            bounce.raisedAt = effects.now
            limit(&effects) { [bounce] in $0.note(inVain: bounce, $2) }
        }
        letGo(&effects)
        let lost = state.bounce?.snapshot ?? baseline.lost(at: effects.now)
        rfkillTracker = RFKillTracker()
        lastSeen = nil
        lastNetwork?.clearScanResults()
        // The outage does not begin anew if a method for a lost interface, or a reset, did not bring it back.
        let isOld = state.bounce.map { $0.seeksInterface || $0.method == .reset && $0.step.phase == .down }
        let outage = isOld == true ? lastCheck.fault : nil
        forgetVerdicts()
        lastCheck.fault = outage
        if state.bounce?.isTerminating == true { return finish(.interrupted, &effects) }
        guard runMode == .watch else { return finish(.refused(.absent), &effects) }
        effects.report(.absent)
        awaitReturn(Absence(lost, of: state.bounce, at: effects.now), &effects)
    }

    /// Forgets verdicts and records of an interface that is gone, or is now the port of another master.
    private mutating func forgetVerdicts() {
        (health, qualityWindow, silence) = (Health(), QualityWindow(), Silence())
        (lastCheck.fault, lastCheck.counterSample, pendingRestore) = (nil, nil, nil)
        baseline.forget()
    }

    /// Takes the kernel's report of the link. If its master has changed, earlier verdicts are obsolete.
    /// - Returns: whether the appearance of the link has changed.
    mutating func see(_ link: Link) -> Bool {
        defer { lastSeen = link.appearance }
        guard let lastSeen, lastSeen != link.appearance else { return false }
        if lastSeen.master != link.appearance.master { forgetVerdicts() }
        return true
    }

    /// Whether the interface did not exist, and nothing was done to its device yet.
    private var canAppear: Bool {
        if case .absent = state { return true }
        return state.bounce.map { $0.seeksInterface && [.arming, .performing].contains($0.step) } ?? false
    }

    mutating func appeared(_ link: Link, _ effects: inout Effects) {
        if state.bounce != nil { letGo(&effects) }
        if case .absent(let absence) = state, let owed = absence.owed, effects.now < owed.until {
            pendingRestore = owed
        }
        effects.report(.appeared(link))
        appearedAt = effects.now
        check(&effects)
    }

    /// Stops everything that is under way: probes, the method, the guard and deadlines.
    mutating func letGo(keepsGuard: Bool = false, _ effects: inout Effects) {
        for id in state.check?.rounds.outstanding ?? [] { effects.emit(.cancelProbe(id)) }
        if let last = state.check?.escalation, let failed = last.methodFailure {
            effects.report(.passedOver(last.method, failed.step, failed.failure, next: nil))
        }
        if let bounce = state.bounce, bounce.step == .performing || bounce.attempts?.isRebooting == true {
            // The method counts, as it may be done already: a restarted owner can remove the interface.
            if bounce.step == .performing { _ = spent(bounce, &effects) }
            effects.emit(.stopPerforming)
        }
        if !keepsGuard { dismissGuard(&effects) }
        disarmAll(&effects)
    }

    mutating func dismissGuard(_ effects: inout Effects) {
        guard case .bouncing(var bounce) = state, bounce.isGuarded else { return }
        bounce.guardedSince = nil
        enter(.bouncing(bounce))
        effects.emit(.disarmGuard)
    }

    func disarmAll(_ effects: inout Effects) {
        for deadline in Deadline.allCases { effects.emit(.disarm(deadline)) }
    }

    mutating func finish(_ outcome: RunOutcome, _ effects: inout Effects) {
        (baseline, lastSeen) = (Baseline(), nil)
        enter(.finished(outcome))
        effects.emit(.finish(outcome))
    }

    private mutating func reconfigure(_ settings: Settings, _ effects: inout Effects) {
        guard settings != self.settings else { return }
        let keepsPace = settings.interval == self.settings.interval
        self.settings = settings
        if !keepsPace { schedule = makeSchedule(at: effects.now) }
        switch state {
        case .waiting(let next):
            if next.why == .schedule, !keepsPace { wait(nextTick(effects.now), &effects) }
        // The decision, or the bounce about to begin, depends on the old settings.
        case .checking: startOver(&effects)
        case .bouncing(let bounce): if bounce.step.phase == .untouched { startOver(&effects) }
        case .absent(let absence): awaitReturn(absence, &effects)
        case .idle, .finished: break
        }
    }

    private mutating func reached(_ deadline: Deadline, _ effects: inout Effects) {
        switch (state, deadline) {
        case (.waiting(let next), .nextCheck): check(because: next.why, &effects)
        case (.waiting, .baseline): renewBaseline(&effects)
        case (.absent(let absence), .nextCheck): askForInterface(absence, &effects)
        case (.checking, .probes): checkTimedOut(&effects)
        case (.bouncing(let bounce), _): reached(deadline, bounce, &effects)
        default: break  // a deadline of a state that has ended
        }
    }

    // MARK: Announcements

    /// Handles the kernel's announcements. They may be late: if a decision depends on one, the kernel is queried.
    private mutating func notice(_ event: Event, _ effects: inout Effects) {
        switch state {
        case .waiting(let next):
            planBaseline(&effects)
            noticeWhileWaiting(event, next, &effects)
        case .bouncing(let bounce): notice(event, bounce, &effects)
        case .checking(let check):
            // The verdict might rest on the kernel state that was read, which is obsolete now.
            if let kernelState = check.kernelState, event.outdates(kernelState) { startOver(&effects) }
        case .idle, .absent, .finished: break
        }
    }

    private mutating func noticeWhileWaiting(_ event: Event, _ next: NextCheck, _ effects: inout Effects) {
        guard runMode == .watch else { return }
        if settings.isForced {
            // The plain timer keeps its schedule, but it raises a link that an rfkill block has taken down.
            guard let due = rfkillTracker.raiseDue, due < next.at else { return }
            return wait(NextCheck(at: max(due, effects.now), why: .grace), &effects)
        }
        switch event {
        case .linkChanged(let link): if see(link) { checkSoon(next, &effects) }
        case .radioChanged, .disconnected, .monitorOverran: checkSoon(next, &effects)
        // While the network is missing, a scan may have found it. No other scan causes a check.
        case .scanFinished:
            if lastNetwork?.absence != nil || lastNetwork?.awaitedCAC != nil { checkSoon(next, &effects) }
        case .addressingChanged, .addressingLost:
            if lastCheck.verdict?.conclusion != .healthy { checkSoon(next, &effects) }
        default: break
        }
    }
}

extension Event {
    /// Whether the event reports that the link was set down or the radio was blocked.
    var forbidsBounce: Bool {
        switch self {
        case .linkChanged(let link): !link.isUp
        case .radioChanged(let block): block != .none
        default: false
        }
    }

    /// Whether the event forbids a bounce, or reports that the link became the port of another master.
    fileprivate func outdates(_ kernelState: KernelState) -> Bool {
        guard case .linkChanged(let link) = self else { return forbidsBounce }
        return !link.isUp || link.port?.master != kernelState.link.port?.master
    }
}
