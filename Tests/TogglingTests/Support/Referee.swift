@testable import Model
@testable import Toggling

/// Judges a toggler by rules that always hold. The referee keeps a state of its own, which it derives only
/// from the toggler's input and orders.
struct Referee: Hashable {
    let runMode: RunMode
    /// Whether the toggler has ordered the link down, and the kernel has not reported it up since.
    private(set) var isLowered = false
    /// How many scans were aborted in the current bounce.
    private var abortedScans = 0
    private var linkGuard = Guard()
    private var isRaiseInFlight = false
    /// Whether the link was raised, and the comparison with the snapshot is still to come.
    private(set) var isOwed = false
    /// Whether an owner was asked to reconnect, which may destroy as much as a bounce.
    private var isOwnerAsked = false
    /// Whether a snapshot was taken for the current method.
    private var isRecorded = false
    private var losses: Losses
    /// Whether the toggler has ordered the link down and not raised it since, even if the interface
    /// disappeared.
    private var isOurs = false
    private var commandsInFlight = 0
    /// Whether the toggler's last input permits a bounce.
    private var mayLower = false
    /// How many answers in a row said that the device has lost the interface.
    private var answersOfLoss = 0
    /// Whether the link is down, and the last input permits raising it after a block.
    private var mayRaise = false
    /// When recoveries of the last day first acted on the link; all methods of one ladder count as one.
    private(set) var lowerings: [Instant] = []
    /// When owners were restarted in the last day, and devices reset because the evidence called for it.
    private var restarts: [Instant] = []
    private var current = Case()
    /// How many bounces this run has made; a one-shot may make one.
    private var count = 0
    /// The limiter's state that was saved last. Worlds are compared without it.
    private var kept: BounceLimiter.Saved?
    /// Whether a user has requested a bounce since the last cycle ended.
    private var isBounceWanted = false
    private var livenessWindow: Duration?
    /// Whether a method has taken the interface away, which therefore disappears and comes back.
    private var isUnbound: Bool { isLowered && current.ladder.last?.takesInterfaceAway == true }
    /// Whether a bounce cannot raise the link, so that the device may be reset, under another guard, although
    /// the link is down.
    private var isRefused: Bool {
        isOurs && current.ladder.last == .bounce && refusals.byDevice >= 3 && refusals.since != nil
            && !isTerminating
    }
    private var refusals = Refusals()
    /// Whether that reset was ordered.
    private var isResetOfDown = false
    /// The number of the last kernel state. Worlds are compared without it.
    private(set) var newestKernelState = 0
    private var gatewayEchoes: GatewayEchoes
    /// Whether the current input has ended a cycle with a healthy verdict, and no announcement followed yet.
    private var mayAnnounce = false
    private(set) var isTerminating = false
    private var raisesSinceTermination = 0
    private(set) var isFinished = false

    /// The most attempts to raise after a termination was requested.
    private static let raisesBeforeTheEnd = 2

    /// - Parameter bounces: when earlier runs made bounces.
    init(runMode: RunMode, bounces: [Instant] = [], hasEchoed: Bool = false) {
        self.runMode = runMode
        losses = Losses(isService: runMode == .watch)
        gatewayEchoes = GatewayEchoes(hasAnswered: hasEchoed)
        lowerings = bounces
    }

    /// The state without times and numbers, to compare worlds.
    var timeless: Referee {
        var other = self
        (other.lowerings, other.restarts) = ([], [])
        other.gatewayEchoes.asked = []
        other.kept = nil
        other.mayAnnounce = false
        other.count = min(count, 1)
        other.newestKernelState = 0
        other.livenessWindow = livenessWindow.map { _ in .zero }
        other.losses = losses.timeless
        other.refusals = refusals.timeless
        return other
    }

    // MARK: The toggler's input

    mutating func note(_ event: Event, at now: Instant, under settings: Settings) {
        mayAnnounce = false
        losses.note(event, at: now)
        switch event {
        case .kernelStateRead(let number, let kernelState) where number == newestKernelState:
            let isHeld = kernelState.administrativeHold != nil || kernelState.quietUntil != nil
            // A login prevents a bounce only if logins were requested.
            let isInUse =
                !settings.bouncesInUse && kernelState.logins.map { $0.contains(where: \.isInUse) } ?? true
            let noBounceReason = kernelState.noBounceReason(under: settings)
            current.note(kernelState, livenessWithin: livenessWindow)
            // A login prevents neither a restart of systemd-resolved, which does not interrupt the login, nor
            // a reset of a device that has lost its interface. Such a reset needs two kernel states in a row
            // that report the loss.
            let isLost = kernelState.radioCondition?.isLoss == true
            answersOfLoss = isLost ? answersOfLoss + 1 : 0
            let isSpared = isHeld || (isLost ? answersOfLoss < 2 : isInUse && !current.isResolvers)
            mayLower = noBounceReason == nil && (runMode == .toggle || isBounceWanted || !isSpared)
            losses.note(kernelState, at: now)
            mayRaise =
                noBounceReason == .administrativelyDown && kernelState.administrativeHold == nil
                && losses.isTakenDown
        case .kernelStateFailed(let number, let failure) where number > 0 && failure.kind == .noSuchDevice:
            if !isUnbound { noteGone() }
            answersOfLoss = 0
        case .linkChanged(let link):
            if !link.isUp { mayLower = false }
        case .radioChanged(let block):
            if block != .none { (mayLower, mayRaise) = (false, false) }
        case .linkAppeared: answersOfLoss = 0
        case .linkRemoved:
            mayLower = false
            if !isUnbound { noteGone() }
        case .guardArmed: linkGuard.armed()
        case .guardLost where linkGuard.isReady: linkGuard.lost(isRaiseInFlight: isRaiseInFlight)
        case .linkLowered: commandsInFlight -= 1
        case .linkLoweringFailed(let failure):
            commandsInFlight -= 1
            let isGone = failure.kind == .noSuchDevice
            if isResetOfDown, !isGone, ![.timedOut, .lost].contains(failure.kind) {
                isResetOfDown = false
                current.goBack()
            } else if isGone || !isResetOfDown && [.notPermitted, .unavailable].contains(failure.kind) {
                isLowered = false
            }
        case .linkRaised: noteRaised()
        case .linkRaisingFailed(let failure):
            commandsInFlight -= 1
            isRaiseInFlight = false
            refusals.note(failure, at: now)
            // Only the event loop finds out that an interface has not come back: it is gone then.
            let isNotBack = failure.kind == .notBack && current.ladder.last == .reset
            if failure.kind == .noSuchDevice || isNotBack { noteGone() }
        case .performed:
            performed(at: now)
            ownerAnswered(isDone: true)
        // A reboot was not possible, and the attempts to raise the link go on.
        case .performingFailed where isLowered: break
        case .performingFailed(let failure):
            // An unavailable method does not count as tried.
            if ![.unavailable, .noSuchDevice].contains(failure.kind) { performed(at: now) }
            if failure.kind == .unavailable, current.ladder.last == .restartOwner { restarts.removeLast() }
            if failure.kind == .noSuchDevice { noteGone() }
            ownerAnswered(isDone: [.timedOut, .lost].contains(failure.kind))
        case .probeFinished(let id, let result):
            gatewayEchoes.finished(id, result)
        case .snapshotTaken: isRecorded = true
        case .restored: isOwed = false
        case .bounceRequested: isBounceWanted = runMode == .watch
        case .terminationRequested: isTerminating = true
        default: break
        }
    }

    private mutating func performed(at now: Instant) {
        guard !current.ladder.isEmpty else { return }
        if !current.isCounted {
            lowerings.append(now)
            count += 1
        }
        current.isCounted = true
    }

    private mutating func ownerAnswered(isDone: Bool) {
        if isOwnerAsked { isOwed = isDone }
        isOwnerAsked = false
    }

    private mutating func noteGone() {
        mayLower = false
        isOwed = false
        isLowered = false
        isResetOfDown = false
    }

    private mutating func noteRaised() {
        commandsInFlight -= 1
        isRaiseInFlight = false
        isOwed = isLowered
        isLowered = false
        isOurs = false
        isResetOfDown = false
        refusals = Refusals()
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
        case .perform(.reboot) where isLowered:
            let isDue = refusals.since.map { now - $0 >= settings.rebootAfter } ?? false
            return (isDue && !isTerminating && !open.contains(effect) ? [] : ["a reboot instead of a raise"])
                + current.judgeRebootOfDown(runMode, at: now, under: settings)
        case .perform(let method):
            var wrong = isLowered || isOwed ? ["performs while the link is in its hands"] : []
            if method == .owner, !isRecorded { wrong.append("nobody knows what the owner may cost") }
            isOwnerAsked = method == .owner
            losses.bounceActs()
            return wrong + judgeEscalating(method, at: now, under: settings)
        case .raiseLink:
            losses.bounceActs()
            return judgeRaising(under: settings)
        case .armGuard(let order):
            defer { linkGuard.order(order.method) }
            let isNext = isRefused && order.method == .reset
            return open.contains(where: \.isGuardOrder) && !isNext || linkGuard.isReady && !isNext
                ? ["two guards at once"] : []
        case .tellGuard(.raised): return isLowered ? ["the guard is told of a raise that was not"] : []
        case .tellGuard(.lowered): return isLowered ? [] : ["the guard is told of a lowering that was not"]
        case .disarmGuard: return judgeDismissal()
        case .kernelState(let number, let details) where !details.lossOfInterface:
            livenessWindow = details.livenessWithin
            defer { newestKernelState = number }
            return number < newestKernelState || open.contains(effect) ? ["state \(number) is not new"] : []
        case .cancelProbe(let id):
            return open.contains { $0.probe == id } ? [] : ["cancels probe \(id), which nobody runs"]
        case .kernelState(let number, _):
            defer { newestKernelState = number }
            let isMeant =
                runMode == .toggle
                ? settings.methods == [.reset]
                : runMode == .watch && settings.methods.isEmpty && !settings.isForced
            let isWanted = isMeant && !settings.isDryRun
            return (number <= newestKernelState ? ["state \(number) is not new"] : [])
                + (isWanted ? [] : ["looks for an interface although it would not bring it back"])
        case .startProbe(let request):
            gatewayEchoes.begun(request)
            return open.contains { $0.probe == request.id } ? ["two probes \(request.id)"] : []
        case .arm(let deadline, let at): return at < now ? ["\(deadline) armed in the past"] : []
        case .report(.step(.beginning(.reboot, _))) where isLowered: return []
        case .report(.step(.beginning(let method, let verdict))):
            losses.bounceBegins()
            return judgeBeginning(method, verdict, under: settings)
        case .report(.step(.raisingAfterBlock)):
            losses.bounceBegins()
            return []
        case .report(.step(.escalating(_, _, let verdict))):
            if current.cause != nil { current.cause = Cause(verdict) }
            return []
        case .report(.step(.loweredByOther)):
            isOwed = false  // nothing can be restored on a link that a user wants down
            return []
        case .report(.cycle(let cycle)):
            isBounceWanted = false
            mayAnnounce = cycle.verdict.conclusion == .healthy
            losses.cycleEnds(isBounced: cycle.action.summary != nil)
            return gatewayEchoes.judge(cycle.verdict, runMode)
        case .report(.step(.absent)):
            isBounceWanted = false
            losses.disappeared(at: now)
            answersOfLoss = 0
            return []
        case .report(.step(.appeared)):
            losses.appeared()
            return []
        case .finish: return judgeEnd()
        case .rememberBounces(let limiter):
            defer { kept = limiter }
            return (runMode == .probe ? ["kept by what changes nothing"] : [])
                + (kept == limiter ? ["kept again what was kept"] : [])
        case .stopPerforming:
            isOwnerAsked = false
            return []
        case .takeSnapshot:
            isRecorded = false
            return []
        case .directedScan:
            return isLowered || !settings.fastReconnects ? ["makes a directed scan in vain"] : []
        case .abortScan:
            abortedScans += 1
            return judgeAbort(under: settings)
        case .takeBaseline:
            losses.baselineOrdered()
            return runMode == .watch ? [] : ["keeps what it will not need"]
        case .restore(let snapshot, let puttingBack):
            return losses.judge(snapshot, isCompared: !puttingBack)
                ? [] : ["puts back what no bounce has cost"]
        case .resolveNeighbours: return isLowered ? ["asks over a link that is down"] : []
        case .switchPowerSaveOff(let isDryRun):
            let isWanted = settings.powerSave != .leave && runMode.changesLink
            return (isWanted ? [] : ["switches power saving that is left to its owner"])
                + (isDryRun == settings.isDryRun ? [] : ["changes something in a dry run"])
        case .announce:
            let isWanted = settings.announces && runMode.changesLink && !settings.isDryRun
            defer { mayAnnounce = false }
            return (isWanted ? [] : ["announces unasked"])
                + (mayAnnounce && !isLowered ? [] : ["announces without a healthy verdict, or again"])
        case .disarm, .remember, .report: return []
        }
    }

    private mutating func judgeBeginning(
        _ method: Model.Method, _ verdict: Verdict?, under settings: Settings
    ) -> [String] {
        var wrong: [String] = []
        let isUserRequest = verdict == nil && isBounceWanted
        current.begin(method, verdict, isUserRequest: isUserRequest)
        if let verdict, !verdict.callsForBounce(on: settings.bouncedLayers),
            !(verdict.layer == .dns && current.isResolvers),
            !(verdict.reason == .disconnectedLocally && method == .restartOwner && current.mayRestartOwner),
            !(verdict.reason == .interfaceLost && current.isLoss)
        {
            wrong.append("a bounce for \(verdict)")
        }
        if verdict == nil, runMode != .toggle, !settings.isForced, !isUserRequest {
            wrong.append("a bounce that nothing called for")
        }
        return wrong
    }

    private mutating func judgeLowering(at now: Instant, under settings: Settings) -> [String] {
        commandsInFlight += 1
        var wrong: [String] = []
        if commandsInFlight > 1 { wrong.append("two commands at once") }
        if isLowered && !isResetOfDown || isOwed { wrong.append("two bounces at once") }
        wrong += linkGuard.judgeLowering(by: current.ladder.last)
        let isKept = current.isCounted || runMode == .watch && settings.isForced || kept?.bounces.last == now
        if !isKept { wrong.append("lowered before that was kept") }
        performed(at: now)
        refusals.lowered(forResetOfDown: isResetOfDown)
        isLowered = true
        isOurs = true
        abortedScans = 0
        return wrong
    }

    /// The rules that the next method breaks. The first method of a ladder must also keep its distance from
    /// earlier recoveries.
    private mutating func judgeEscalating(
        _ method: Model.Method, at now: Instant, under settings: Settings
    ) -> [String] {
        var wrong: [String] = []
        isResetOfDown = isRefused && method == .reset
        if !mayLower, !isResetOfDown { wrong.append("touched what is blocked, down, held, or not ours") }
        if runMode == .probe || settings.isDryRun { wrong.append("touched by what changes nothing") }
        if isTerminating { wrong.append("touched after the termination") }
        wrong +=
            isResetOfDown
            ? current.judgeResetOfDown(under: settings)
            : current.judge(method, runMode, at: now, under: settings)
        wrong += judgeRestart(method, at: now, under: settings)
        lowerings = lowerings.filter { now - $0 < BounceLimiter.day }
        if !current.isCounted { wrong += judgeSpacing(at: now, under: settings) }
        return wrong
    }

    private mutating func judgeRestart(
        _ method: Model.Method, at now: Instant, under settings: Settings
    ) -> [String] {
        let isLimited = runMode != .toggle && !current.isUserRequest
        let isOfDown = isResetOfDown && isLimited
        let isFirst = current.first == .reset && current.ladder == [.reset]
        let isByEvidence = settings.methods.isEmpty && (isFirst || isOfDown)
        guard method == .restartOwner || method == .reset && isByEvidence else { return [] }
        defer { restarts.append(now) }
        restarts.removeAll { now - $0 >= BounceLimiter.day }
        return isLimited && restarts.count >= LimiterState.mostRestarts ? ["a fourth restart in a day"] : []
    }

    private func judgeSpacing(at now: Instant, under settings: Settings) -> [String] {
        var wrong: [String] = []
        switch runMode {
        // A user's request is not delayed, but its bounce counts for the limits.
        case .watch where current.isUserRequest: break
        case .watch where !settings.isForced, .reconnect where !settings.isForced:
            // A reboot that is due need not wait for the back-off.
            let isReboot = current.ladder == [.reboot]
            if let last = lowerings.last, now - last < settings.backoff * 9 / 10, !isReboot {
                wrong.append("two bounces within the back-off: \(now - last)")
            }
            let inHour = lowerings.filter { now - $0 < BounceLimiter.hour }
            if inHour.count >= settings.budget { wrong.append("more bounces than the budget") }
            if lowerings.count >= settings.dailyBudget { wrong.append("more bounces than the day's budget") }
        case .toggle, .watch, .reconnect, .probe: break
        }
        if runMode != .watch, count > 0 { wrong.append("a one-shot bounced twice") }
        return wrong
    }

    private mutating func judgeRaising(under settings: Settings) -> [String] {
        commandsInFlight += 1
        let mayBeginRaise = runMode == .watch && !settings.isDryRun && mayRaise && !isTerminating
        isRaiseInFlight = true
        linkGuard.raiseOrdered()
        if isTerminating { raisesSinceTermination += 1 }
        let isEndless = raisesSinceTermination > Self.raisesBeforeTheEnd
        return (commandsInFlight > 1 ? ["two commands at once"] : [])
            + (isOurs || mayBeginRaise ? [] : ["raises what it did not lower, and no block did"])
            + (isEndless ? ["raises again and again where it was told to end"] : [])
    }

    /// The rules that an aborted scan breaks. The toggler must have lowered the link itself, and be raising
    /// it or have raised it.
    private func judgeAbort(under settings: Settings) -> [String] {
        let isOurs = (isLowered && isRaiseInFlight || isOwed) && current.ladder.last == .bounce
        return (abortedScans > 1 ? ["aborts two scans in one bounce"] : [])
            + (isOurs ? [] : ["aborts a scan outside of its own bounce"])
            + (settings.fastReconnects ? [] : ["reconnects fast although nobody wants it"])
    }

    private mutating func judgeDismissal() -> [String] {
        linkGuard.dismissed()
        if isLowered { return ["the guard is dismissed while the link is down"] }
        return isOwed ? ["the guard is dismissed before all was compared"] : []
    }

    private mutating func judgeEnd() -> [String] {
        isFinished = true
        if isLowered, refusals.failed == 0 { return ["ended with the link down"] }
        return linkGuard.isReady && refusals.failed == 0 ? ["ended with a guard"] : []
    }

    // MARK: The toggler's state

    /// The rules that the state after an event breaks.
    /// - Parameter due: deadlines that are reached, but not reported to the toggler yet.
    func judge(
        _ state: TogglerState, open: [Effect], deadlines: [Deadline: Instant], due: some Sequence<Deadline>
    ) -> [String] {
        let awaited = Set(deadlines.keys).union(due)
        var wrong: [String] = []
        if isLowered, !isFinished {
            if commandsInFlight == 0, awaited.isDisjoint(with: [.keepDown, .retry]) {
                wrong.append("down without a deadline to raise")
            }
            if !linkGuard.isReady, !linkGuard.isLost { wrong.append("down without a guard") }
            if linkGuard.isLost, commandsInFlight == 0, !linkGuard.hasRaisedSinceLoss {
                wrong.append("the guard was lost, and nothing is done about it")
            }
        }
        let isThere = linkGuard.isReady || open.contains(where: \.isGuardOrder)
        if state.bounce?.isGuarded != true, !isFinished, isThere {
            wrong.append("a guard is left behind")
        }
        if isTerminating, !state.isEnding { wrong.append("the termination is forgotten") }
        if !state.hasSomethingToWaitFor(open: open, awaited) {
            wrong.append("waits for nothing")
        }
        let orphans = open.compactMap(\.probe).filter { !state.outstanding.contains($0) }
        if !orphans.isEmpty { wrong.append("probes that nobody waits for: \(orphans)") }
        let idle = deadlines.keys.filter { !state.wakes(for: $0) }
        if !idle.isEmpty { wrong.append("wakes for nothing: \(idle)") }
        return wrong.map { "\($0) (\(state.name))" }
    }
}
