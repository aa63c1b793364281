@testable import Model
@testable import Toggling

/// Judges a toggler by rules that always hold. The referee keeps a state of its own, which it derives only
/// from the toggler's input and orders.
struct Referee: Hashable {
    let runMode: RunMode
    private var link = LinkOrders()
    private var losses: Losses
    private var permission = Permission()
    private var current = Case()
    private(set) var spacing: Spacing
    private var queries: Queries
    private(set) var termination = Termination()
    /// The limiter's state that was saved last. Worlds are compared without it.
    private var kept: BounceLimiter.Saved?
    /// Whether a user has requested a bounce since the last cycle ended.
    private var isBounceWanted = false
    /// Whether the current input has ended a cycle with a healthy verdict, and no announcement followed yet.
    private var mayAnnounce = false

    /// - Parameter bounces: when earlier runs made bounces.
    init(runMode: RunMode, bounces: [Instant] = [], hasEchoed: Bool = false) {
        self.runMode = runMode
        losses = Losses(isService: runMode == .watch)
        spacing = Spacing(lowerings: bounces)
        queries = Queries(runMode, hasEchoed: hasEchoed)
    }

    /// The state without times and numbers, to compare worlds.
    var timeless: Referee {
        var other = self
        other.link = link.timeless
        other.losses = losses.timeless
        other.spacing = spacing.timeless
        other.queries = queries.timeless
        other.kept = nil
        other.mayAnnounce = false
        return other
    }

    /// Whether a method has taken the interface away, which therefore disappears and comes back.
    private var isUnbound: Bool { link.isLowered && current.ladder.last?.takesInterfaceAway == true }
    /// Whether a bounce cannot raise the link, so that its device may be reset.
    private var isRefused: Bool { link.isRefused(in: current) && !termination.isRequested }

    // MARK: The toggler's input

    mutating func note(_ event: Event, at now: Instant, under settings: Settings) {
        mayAnnounce = false
        losses.note(event, at: now)
        permission.note(event)
        link.note(event)
        switch event {
        case .kernelStateRead(let number, let kernelState) where number == queries.newestKernelState:
            current.note(kernelState, livenessWithin: queries.livenessWindow)
            losses.note(kernelState, at: now)
            permission.note(
                kernelState, in: current, isRequested: runMode == .toggle || isBounceWanted,
                isTakenDown: losses.isTakenDown, under: settings)
        case .kernelStateFailed(let number, let failure) where number > 0 && failure.kind == .noSuchDevice:
            if !isUnbound { noteGone() }
        case .linkRemoved: if !isUnbound { noteGone() }
        case .linkLoweringFailed(let failure): if link.loweringFailed(failure) { current.goBack() }
        case .linkRaisingFailed(let failure):
            link.raisingFailed(failure, at: now)
            // Only the event loop finds out that an interface has not come back: it is gone then.
            let isNotBack = failure.kind == .notBack && current.ladder.last == .reset
            if failure.kind == .noSuchDevice || isNotBack { noteGone() }
        case .performed:
            spacing.count(&current, at: now)
            link.performed(isDone: true)
        // A reboot was not possible, and the attempts to raise the link go on.
        case .performingFailed where link.isLowered: break
        case .performingFailed(let failure):
            // An unavailable method does not count as tried.
            if ![.unavailable, .noSuchDevice].contains(failure.kind) { spacing.count(&current, at: now) }
            if failure.kind == .unavailable, current.ladder.last == .restartOwner {
                spacing.restartUnavailable()
            }
            if failure.kind == .noSuchDevice { noteGone() }
            link.performed(isDone: [.timedOut, .lost].contains(failure.kind))
        case .probeFinished(let id, let result): queries.finished(id, result)
        case .bounceRequested: isBounceWanted = runMode == .watch
        case .terminationRequested: termination.requested()
        default: break
        }
    }

    private mutating func noteGone() {
        permission.interfaceGone()
        link.interfaceGone()
    }

    // MARK: The toggler's orders

    /// The rules that an effect breaks.
    mutating func judge(
        _ effect: Effect, at now: Instant, under settings: Settings, open: [Effect]
    ) -> [String] {
        switch effect {
        case .lowerLink(let method):
            losses.bounceActs()
            return judgeEscalating(method, at: now, under: settings) + judgeLowering(at: now, under: settings)
        case .perform(.reboot) where link.isLowered:
            let isDue = link.refusals.since.map { now - $0 >= settings.rebootAfter } ?? false
            let isInTurn = isDue && !termination.isRequested && !open.contains(effect)
            return (isInTurn ? [] : ["a reboot instead of a raise"])
                + current.judgeRebootOfDown(runMode, at: now, under: settings)
        case .perform(let method):
            losses.bounceActs()
            return link.judgePerforming(method) + judgeEscalating(method, at: now, under: settings)
        case .raiseLink:
            losses.bounceActs()
            return judgeRaising(under: settings)
        case .armGuard(let order):
            return link.judgeArming(order, isNext: isRefused && order.method == .reset, open: open)
        case .tellGuard(let event): return link.judgeTelling(event)
        case .disarmGuard: return link.judgeDismissal()
        case .kernelState(let number, let details):
            return queries.judgeKernelState(
                number, with: details, under: settings, isOpen: open.contains(effect),
                isInterfaceOurs: losses.isOurs)
        case .startProbe(let request): return queries.judgeStart(request, open: open)
        case .cancelProbe(let id): return queries.judgeCancellation(id, open: open)
        case .arm(let deadline, let at): return at < now ? ["\(deadline) armed in the past"] : []
        case .report(let report): return judge(report, at: now, under: settings)
        case .finish:
            termination.finished()
            return link.judgeEnd(isLacking: losses.isLacking)
        case .rememberBounces(let limiter):
            defer { kept = limiter }
            return (runMode == .probe ? ["kept by what changes nothing"] : [])
                + (kept == limiter ? ["kept again what was kept"] : [])
        case .stopPerforming, .takeSnapshot:
            link.note(effect)
            return []
        case .directedScan:
            return link.isLowered || !settings.fastReconnects ? ["makes a directed scan in vain"] : []
        case .abortScan: return link.judgeAbort(in: current, under: settings)
        case .takeBaseline:
            losses.baselineOrdered()
            return runMode == .watch ? [] : ["keeps what it will not need"]
        case .restore(let snapshot, let puttingBack):
            return losses.judge(snapshot, isCompared: !puttingBack)
                ? [] : ["puts back what no bounce has cost"]
        case .resolveNeighbours: return link.isLowered ? ["asks over a link that is down"] : []
        case .switchPowerSaveOff(let isDryRun):
            let isWanted = settings.powerSave != .leave && runMode.changesLink
            return (isWanted ? [] : ["switches power saving that is left to its owner"])
                + (isDryRun == settings.isDryRun ? [] : ["changes something in a dry run"])
        case .announce:
            let isWanted = settings.announces && runMode.changesLink && !settings.isDryRun
            defer { mayAnnounce = false }
            return (isWanted ? [] : ["announces unasked"])
                + (mayAnnounce && !link.isLowered ? [] : ["announces without a healthy verdict, or again"])
        case .disarm, .remember: return []
        }
    }

    private mutating func judge(_ report: Report, at now: Instant, under settings: Settings) -> [String] {
        switch report {
        case .step(.beginning(.reboot, _)) where link.isLowered: break
        case .step(.beginning(let method, let verdict)):
            losses.bounceBegins()
            return judgeBeginning(method, verdict, under: settings)
        case .step(.raisingAfterBlock): losses.bounceBegins()
        case .step(.escalating(_, _, let verdict)):
            if !current.isUserRequest { current.cause = Cause(verdict) }
        case .step(.loweredByOther): link.loweredByOther()
        case .cycle(let cycle):
            isBounceWanted = false
            mayAnnounce = cycle.verdict.conclusion == .healthy
            losses.cycleEnds(isBounced: cycle.action.summary != nil)
            return queries.judge(cycle.verdict)
        case .step(.absent):
            isBounceWanted = false
            let method = current.ladder.last ?? current.first
            let mayRemove = method?.mayRemoveInterface == true
            let isOurs = mayRemove || method?.takesLinkDown == true && losses.isBouncing
            losses.disappeared(at: now, isOurs: isOurs)
            permission.absenceReported()
        case .step(.appeared): losses.appeared()
        case .step, .watching: break
        }
        return []
    }

    private mutating func judgeBeginning(
        _ method: Model.Method, _ verdict: Verdict?, under settings: Settings
    ) -> [String] {
        let isUserRequest = verdict == nil && isBounceWanted
        current.begin(method, verdict, isUserRequest: isUserRequest)
        guard let verdict else {
            return runMode != .toggle && !settings.isForced && !isUserRequest
                ? ["a bounce that nothing called for"] : []
        }
        return current.mayBegin(method, because: verdict, under: settings) ? [] : ["a bounce for \(verdict)"]
    }

    private mutating func judgeLowering(at now: Instant, under settings: Settings) -> [String] {
        let isKept = current.isCounted || runMode == .watch && settings.isForced || kept?.bounces.last == now
        let wrong = link.judgeLowering(by: current.ladder.last, isSaved: isKept)
        spacing.count(&current, at: now)
        return wrong
    }

    private mutating func judgeRaising(under settings: Settings) -> [String] {
        let mayBeginRaise =
            runMode == .watch && !settings.isDryRun && permission.mayRaise && !termination.isRequested
        return link.judgeRaising(isPermitted: mayBeginRaise) + termination.judgeRaise()
    }

    /// The rules that the next method breaks.
    private mutating func judgeEscalating(
        _ method: Model.Method, at now: Instant, under settings: Settings
    ) -> [String] {
        var wrong: [String] = []
        let isResetOfDown = isRefused && method == .reset
        link.methodOrdered(isResetOfDown: isResetOfDown)
        if !permission.mayLower, !isResetOfDown {
            wrong.append("touched what is blocked, down, held, or not ours")
        }
        if runMode == .probe || settings.isDryRun { wrong.append("touched by what changes nothing") }
        if termination.isRequested { wrong.append("touched after the termination") }
        wrong +=
            isResetOfDown
            ? current.judgeResetOfDown(under: settings)
            : current.judge(method, runMode, at: now, under: settings)
        wrong += spacing.judgeRestart(
            method, of: current, isResetOfDown: isResetOfDown, runMode, at: now, under: settings)
        return wrong + spacing.judge(current, runMode, at: now, under: settings)
    }

    // MARK: The toggler's state

    /// The rules that the state after an event breaks.
    /// - Parameter due: deadlines that are reached, but not reported to the toggler yet.
    func judge(
        _ state: TogglerState, open: [Effect], deadlines: [Deadline: Instant], due: some Sequence<Deadline>
    ) -> [String] {
        let awaited = Set(deadlines.keys).union(due)
        var wrong = termination.isFinished ? [] : link.judge(state, open: open, awaited: awaited)
        wrong += termination.judge(state)
        if !state.hasSomethingToWaitFor(open: open, awaited) { wrong.append("waits for nothing") }
        let orphans = open.compactMap(\.probe).filter { !state.outstanding.contains($0) }
        if !orphans.isEmpty { wrong.append("probes that nobody waits for: \(orphans)") }
        let idle = deadlines.keys.filter { !state.wakes(for: $0) }
        if !idle.isEmpty { wrong.append("wakes for nothing: \(idle)") }
        return wrong.map { "\($0) (\(state.name))" }
    }
}
