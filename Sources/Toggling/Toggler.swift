/// Decides for one interface. A value without clock, I/O or randomness of its own: it is told what happened
/// and when, and answers with what to do.
public struct Toggler: Hashable, Sendable {
    public let mission: Mission
    public internal(set) var settings: Settings
    public private(set) var state: TogglerState = .idle
    public internal(set) var health = Health()
    var restraint: Restraint
    /// Kept by the service alone: a one-shot asks too little.
    var qualityWindow = QualityWindow()
    var schedule: Schedule?
    /// The counters at the last look.
    var glance: Glance?
    /// When the last verdict was reached.
    var lastVerdictAt: Instant?
    public internal(set) var lastVerdict: Verdict?
    /// nil: none was found last.
    var fault: FaultRow?
    /// What the kernel said last of the administrative and the operational state.
    var lastSeen: Appearance?
    /// Kept by the service alone: a one-shot has not seen what happened.
    var aftermath = Aftermath()
    /// The same.
    var departure = Departure()
    /// The same.
    var keepsake = Keepsake()
    /// nil: nothing is to be made good.
    var arrears: Arrears?
    /// nil: it is not known what network the station wants.
    var sought: SoughtNetwork?
    /// When the interface appeared; nil: it was there when the service began.
    private(set) var appearedAt: Instant?
    /// How many interfaces the service watched already.
    let place: Int
    private(set) var acquaintances: Acquaintances
    /// What earlier runs have left of the restraint, until it is taken up; nil: it is.
    private var recalled: RestraintMemory?
    private var inquiries = 0

    struct Appearance: Hashable, Sendable {
        var isUp: Bool
        var isOperational: Bool

        init(_ link: Link) {
            isUp = link.isUp
            isOperational = link.isOperational
        }
    }

    /// - Parameters:
    ///   - seed: of the jitter; different on every machine.
    ///   - appearedAt: when the interface appeared; nil: nobody saw that.
    ///   - acquaintances: what earlier runs have learned.
    ///   - memory: the bounces of earlier runs.
    ///   - place: how many interfaces the service watches already: it does not look at many of them in the same moment.
    public init(
        mission: Mission, settings: Settings, seed: UInt64, appearedAt: Instant? = nil,
        acquaintances: Acquaintances = Acquaintances(), memory: RestraintMemory = RestraintMemory(),
        place: Int = 0
    ) {
        self.mission = mission
        self.settings = settings
        self.appearedAt = appearedAt
        self.acquaintances = acquaintances
        self.place = place
        recalled = memory.isEmpty ? nil : memory
        restraint = Restraint(seed: seed)
    }

    /// The only entry: takes in what happened at `now`, and returns what to do, in this order.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        var turn = Turn(now: now)
        if mission == .watch {
            aftermath.note(event, at: now)
            departure.note(event, at: now)
            noteBelongings(event, at: now)
        }
        switch event {
        case .started(let isPresent): start(isPresent: isPresent, &turn)
        case .terminationRequested: terminate(&turn)
        case .linkRemoved: removed(&turn)
        case .linkAppeared(let link): appeared(link, &turn)
        case .reconfigured(let settings): reconfigure(settings, &turn)
        case .cycleRequested: lookNow(&turn)
        case .bounceRequested(let delay): bounceRequested(delay: delay, &turn)
        // Noted above; the deadlines that a sleep has overtaken are told as well.
        case .joinAttempted, .resumed: break
        case .linkChanged, .radioChanged, .disconnected, .surroundingsChanged, .surroundingsLost,
            .scanFinished,
            .monitorOverran, .guardLost:
            notice(event, &turn)
        case .scanBegun(let scan): scanBegun(scan, &turn)
        case .scanCutShort(let ago): scanWasCutShort(ago, &turn)
        case .listened(let failure): listened(isHeard: failure == nil, &turn)
        case .keepsakeTaken(let snapshot): keepsakeTaken(snapshot, &turn)
        case .deadlineReached(let deadline): reached(deadline, &turn)
        case .surveyed(let number, let survey): surveyed(number, survey, &turn)
        case .surveyFailed(let number, let failure): surveyFailed(number, failure, &turn)
        case .probeFinished(let id, let result): probeFinished(id, result, &turn)
        case .snapshotTaken, .snapshotFailed, .guardArmed, .guardFailed, .linkLowered, .linkLoweringFailed,
            .linkRaised, .linkRaisingFailed, .performed, .performingFailed, .restored:
            bounceStepFinished(event, &turn)
        }
        return turn.effects
    }

    /// The effects of one event, in order.
    struct Turn {
        let now: Instant
        var effects: [Effect] = []
        mutating func emit(_ effect: Effect) { effects.append(effect) }
    }

    /// The one way into a state.
    mutating func enter(_ state: TogglerState) { self.state = state }

    /// Those who answered are known in this network from now on.
    mutating func learn(from inquiry: Inquiry, _ turn: inout Turn) {
        guard mission != .probe, let survey = inquiry.survey else { return }
        let network = Network(survey)
        let news = inquiry.answeredTargets.filter { acquaintances.meet($0, in: network, at: turn.now) }
        if !news.isEmpty { turn.emit(.remember(acquaintances)) }
    }

    mutating func nextInquiryNumber() -> Int {
        inquiries += 1
        return inquiries
    }

    // MARK: Beginning and end

    private mutating func start(isPresent: Bool, _ turn: inout Turn) {
        guard case .idle = state else { return }
        if let recalled { restraint.recall(recalled, at: turn.now, settings: settings) }
        recalled = nil
        schedule = makeSchedule(at: turn.now)
        if mission == .watch { turn.emit(.report(.watching(settings, first: turn.now))) }
        if isPresent { look(&turn) } else { removed(&turn) }
    }

    /// The plain timer bounces at each tick: it keeps the pace of its first one.
    private func makeSchedule(at now: Instant) -> Schedule {
        Schedule(beginning: now, interval: settings.interval, place: settings.isForced ? 0 : place)
    }

    private mutating func terminate(_ turn: inout Turn) {
        switch state {
        case .finished: break
        case .idle, .absent, .waiting, .inquiring, .preparing, .performing, .arming, .verifying, .pausing,
            .comparing:
            letGo(&turn)
            finish(.interrupted, &turn)
        case .lowering, .holding, .raising, .awaitingLink, .awaitingKeeper, .restoring: terminateBounce(&turn)
        }
    }

    private mutating func removed(_ turn: inout Turn) {
        switch state {
        case .finished, .absent: return
        // It goes with its driver, and comes back with it.
        case .lowering(let bounce), .holding(let bounce), .raising(let bounce):
            if bounce.method == .rebind { return }
        case .idle, .waiting, .inquiring, .preparing, .performing, .arming, .awaitingLink, .awaitingKeeper,
            .restoring,
            .verifying, .pausing, .comparing:
            break
        }
        vanish(&turn)
    }

    /// The interface is not there.
    mutating func vanish(_ turn: inout Turn) {
        letGo(&turn)
        aftermath = Aftermath()
        health.forget()
        qualityWindow = QualityWindow()
        glance = nil
        lastSeen = nil
        fault = nil
        sought?.deafen()
        arrears = nil
        keepsake.forget()
        if state.bounce?.isTerminating == true { return finish(.interrupted, &turn) }
        guard mission == .watch else { return finish(.refused(.absent), &turn) }
        turn.emit(.report(.step(.absent)))
        enter(.absent)
    }

    private mutating func appeared(_ link: Link, _ turn: inout Turn) {
        guard case .absent = state else { return }
        turn.emit(.report(.step(.appeared(link))))
        appearedAt = turn.now
        look(&turn)
    }

    /// Leaves nothing running behind: probes, deadlines, guard.
    mutating func letGo(_ turn: inout Turn) {
        switch state {
        case .inquiring(let inquiry), .verifying(_, let inquiry):
            for id in inquiry.outstanding { turn.emit(.cancelProbe(id)) }
        case .performing: turn.emit(.stopPerforming)
        case .idle, .absent, .waiting, .preparing, .arming, .lowering, .holding, .raising, .awaitingLink,
            .awaitingKeeper, .restoring, .pausing, .comparing, .finished:
            break
        }
        if state.isGuarded { turn.emit(.disarmGuard) }
        disarmAll(&turn)
    }

    func disarmAll(_ turn: inout Turn) {
        for deadline in Deadline.allCases { turn.emit(.disarm(deadline)) }
    }

    mutating func finish(_ outcome: Outcome, _ turn: inout Turn) {
        keepsake = Keepsake()
        enter(.finished(outcome))
        turn.emit(.finish(outcome))
    }

    private mutating func reconfigure(_ settings: Settings, _ turn: inout Turn) {
        guard settings != self.settings else { return }
        let keepsPace = settings.interval == self.settings.interval
        self.settings = settings
        if !keepsPace { schedule = makeSchedule(at: turn.now) }
        switch state {
        case .waiting(let next):
            if next.why == .schedule, !keepsPace { wait(nextTick(turn.now), &turn) }
        // What is about to be decided, or to be lowered, was called for by other settings.
        case .inquiring, .preparing, .arming: startOver(&turn)
        case .idle, .absent, .performing, .lowering, .holding, .raising, .awaitingLink, .awaitingKeeper,
            .restoring,
            .verifying, .pausing,
            .comparing, .finished:
            break
        }
    }

    // MARK: What was noticed

    /// Announcements of the kernel are hints: they may be late. Where something hangs on one, the kernel is
    /// asked again.
    private mutating func notice(_ event: Event, _ turn: inout Turn) {
        switch state {
        case .waiting(let next):
            planKeepsake(&turn)
            noticeWhileWaiting(event, next, &turn)
        case .preparing, .arming: noticeBeforeLowering(event, &turn)
        case .lowering(var bounce):
            // Whether it is down already is not known yet; once it is, it goes up at once.
            guard case .guardLost = event, !bounce.isGuardLost else { break }
            turn.emit(.report(.step(.guardLost)))
            bounce.isGuardLost = true
            enter(.lowering(bounce))
        case .holding(let bounce): noticeWhileHolding(event, bounce, &turn)
        case .raising(let bounce):
            if event.callsForRaise, !bounce.isRaiseInFlight { raise(bounce, &turn) }
        case .awaitingLink(let bounce): if event.mayEndWaiting { ask(within: bounce, &turn) }
        case .awaitingKeeper(let bounce): noticeWhileKeeping(event, bounce, &turn)
        case .pausing(let bounce): verifySoon(bounce, &turn)
        case .inquiring(let inquiry):
            // What was surveyed is not so any more, and a verdict may come too soon for another survey.
            if event.forbidsBounce, inquiry.survey != nil { startOver(&turn) }
        case .idle, .absent, .performing, .restoring, .verifying, .comparing, .finished: break
        }
    }

    private mutating func noticeBeforeLowering(_ event: Event, _ turn: inout Turn) {
        if case .guardLost = event, case .arming(let bounce) = state {
            giveUp(bounce, .guarding, .guardEnded, &turn)
        } else if event.forbidsBounce {
            startOver(&turn)
        }
    }

    private mutating func noticeWhileWaiting(_ event: Event, _ next: NextLook, _ turn: inout Turn) {
        guard mission == .watch else { return }
        if settings.isForced { return noticeBetweenBeats(next, &turn) }
        switch event {
        case .linkChanged(let link):
            let appearance = Appearance(link)
            defer { lastSeen = appearance }
            if let lastSeen, lastSeen != appearance { lookSoon(next, &turn) }
        case .radioChanged, .disconnected, .monitorOverran: lookSoon(next, &turn)
        // Its owner scans, perhaps for what has come back; elsewhere the pace of looking is not the scans'.
        case .scanFinished:
            if sought?.absence != nil || sought?.radarSilence != nil { lookSoon(next, &turn) }
        case .surroundingsChanged, .surroundingsLost:
            if lastVerdict?.conclusion != .healthy { lookSoon(next, &turn) }
        default: break
        }
    }

    /// The plain timer keeps its pace, whatever is announced. But what a block has taken down is not left so.
    private mutating func noticeBetweenBeats(_ next: NextLook, _ turn: inout Turn) {
        guard let due = aftermath.raiseDue, due < next.at else { return }
        wait(NextLook(at: max(due, turn.now), why: .grace), &turn)
    }

    private mutating func noticeWhileHolding(_ event: Event, _ bounce: Bounce, _ turn: inout Turn) {
        switch event {
        case .guardLost:
            turn.emit(.report(.step(.guardLost)))
            raise(bounce, &turn)
        case .linkChanged(let link): if link.isUp { ask(within: bounce, &turn) }
        case .monitorOverran: ask(within: bounce, &turn)
        default: break
        }
    }
}

extension Event {
    /// Somebody set the link down or blocked the radio.
    fileprivate var forbidsBounce: Bool {
        switch self {
        case .linkChanged(let link): !link.isUp
        case .radioChanged(let block): block != .none
        default: false
        }
    }

    /// What refused the last attempt to raise may be gone, or nobody else would raise the link any more.
    fileprivate var callsForRaise: Bool {
        switch self {
        case .radioChanged(let block): block == .none
        case .guardLost: true
        default: false
        }
    }

    fileprivate var mayEndWaiting: Bool {
        switch self {
        case .linkChanged(let link): link.isOperational || !link.isUp
        case .monitorOverran, .surroundingsChanged, .surroundingsLost: true
        default: false
        }
    }
}
