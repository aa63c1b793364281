import Toggling

/// The world as the interpreter sees it: closures that start something and tell later how it ended. The live
/// ones are made in the executable; a test makes its own.
public struct Environment {
    public typealias Done<Value> = @MainActor (Result<Value, Failure>) -> Void

    /// The boot-time clock and its two timers.
    public struct Clock {
        public var now: () -> Instant
        /// Calls `Interpreter.timeCame()` at this instant or a little later, when the next look is due; nil: not at all.
        /// Replaces what was asked for before.
        public var schedule: (Instant?) -> Void
        /// The same for what a look or a bounce that is under way waits for.
        public var wake: (Instant?) -> Void

        public init(
            now: @escaping () -> Instant, schedule: @escaping (Instant?) -> Void,
            wake: @escaping (Instant?) -> Void
        ) {
            self.now = now
            self.schedule = schedule
            self.wake = wake
        }
    }

    /// What the kernel does with interfaces. Every closure answers exactly once, never from inside the call.
    public struct Links {
        public var survey: (InterfaceIndex, @escaping Done<Survey>) -> Void
        /// With `Survey.logins`.
        public var surveyWithLogins: (InterfaceIndex, @escaping Done<Survey>) -> Void
        /// With `Survey.logins` and `Survey.life`: who was heard within that span.
        public var surveyWithLife: (InterfaceIndex, Duration, @escaping Done<Survey>) -> Void
        /// With `Survey.savesPower`.
        public var surveyWithPowerSave: (InterfaceIndex, @escaping Done<Survey>) -> Void
        /// With its keeper, and whether the link has name servers.
        public var takeSnapshot: (Subject, @escaping Done<Snapshot>) -> Void
        /// The same, often and for nothing: with its keeper only where it `isWorthKeeping`.
        public var takeKeepsake: (Subject, @escaping Done<Snapshot>) -> Void
        /// Has an access point heard once more, by a scan of its frequency alone; answers when that is over.
        public var listen: (Subject, AccessPoint, @escaping Done<Void>) -> Void
        /// Ends the scan under way if the kernel has heard the access point since then; answers how long ago that was.
        public var cutScanShort: (Subject, AccessPoint, _ since: Instant, @escaping Done<Duration>) -> Void
        /// Has the kernel ask at once for those neighbours that it has asked for in vain so far.
        public var askAgain: (Subject, [IPAddress]) -> Void
        /// Compares, name servers too if the snapshot has them, and puts back what is ours if that is wanted.
        public var restore:
            (Subject, Snapshot, _ puttingBack: Bool, @escaping @MainActor (Restoration) -> Void) ->
                Void

        public init(
            survey: @escaping (InterfaceIndex, @escaping Done<Survey>) -> Void,
            surveyWithLogins: @escaping (InterfaceIndex, @escaping Done<Survey>) -> Void,
            surveyWithLife: @escaping (InterfaceIndex, Duration, @escaping Done<Survey>) -> Void,
            surveyWithPowerSave: @escaping (InterfaceIndex, @escaping Done<Survey>) -> Void,
            takeSnapshot: @escaping (Subject, @escaping Done<Snapshot>) -> Void,
            takeKeepsake: @escaping (Subject, @escaping Done<Snapshot>) -> Void,
            listen: @escaping (Subject, AccessPoint, @escaping Done<Void>) -> Void,
            cutScanShort: @escaping (Subject, AccessPoint, Instant, @escaping Done<Duration>) -> Void,
            askAgain: @escaping (Subject, [IPAddress]) -> Void,
            restore:
                @escaping (Subject, Snapshot, Bool, @escaping @MainActor (Restoration) -> Void) -> Void
        ) {
            self.survey = survey
            self.surveyWithLogins = surveyWithLogins
            self.surveyWithLife = surveyWithLife
            self.surveyWithPowerSave = surveyWithPowerSave
            self.takeSnapshot = takeSnapshot
            self.takeKeepsake = takeKeepsake
            self.listen = listen
            self.cutScanShort = cutScanShort
            self.askAgain = askAgain
            self.restore = restore
        }
    }

    /// What can be done about a sick link. Every closure but the last answers exactly once, never from inside the
    /// call, and within a time of its own.
    public struct Methods {
        /// Takes the link away in the way of a method that `takesLinkDown`.
        public var lower: (Subject, Method, @escaping Done<Void>) -> Void
        /// Gives it back, IFF_UP set.
        public var raise: (Subject, Method, @escaping Done<Void>) -> Void
        /// What does not take it down.
        public var perform: (Subject, Method, Settings, @escaping Done<Void>) -> Void
        /// No answer is wanted any more.
        public var stop: (Subject) -> Void

        public init(
            lower: @escaping (Subject, Method, @escaping Done<Void>) -> Void,
            raise: @escaping (Subject, Method, @escaping Done<Void>) -> Void,
            perform: @escaping (Subject, Method, Settings, @escaping Done<Void>) -> Void,
            stop: @escaping (Subject) -> Void
        ) {
            self.lower = lower
            self.raise = raise
            self.perform = perform
            self.stop = stop
        }
    }

    /// What is asked of the outside.
    public struct Probes {
        public var start: (ProbeRequest, Subject, @escaping @MainActor (ProbeResult) -> Void) -> Void
        /// No answer is wanted any more.
        public var cancel: (Int, Subject) -> Void

        public init(
            start: @escaping (ProbeRequest, Subject, @escaping @MainActor (ProbeResult) -> Void) -> Void,
            cancel: @escaping (Int, Subject) -> Void
        ) {
            self.start = start
            self.cancel = cancel
        }
    }

    /// Who raises the link if this process cannot.
    public struct Guard {
        /// Answers once that the guard stands, or why not; after it stood and died, calls `lost`, once.
        public var arm:
            (Subject, GuardOrder, _ lost: @escaping @MainActor () -> Void, @escaping Done<Void>) -> Void
        public var tell: (Subject, GuardStage) -> Void
        public var disarm: (Subject) -> Void

        public init(
            arm:
                @escaping (Subject, GuardOrder, @escaping @MainActor () -> Void, @escaping Done<Void>) -> Void,
            tell: @escaping (Subject, GuardStage) -> Void, disarm: @escaping (Subject) -> Void
        ) {
            self.arm = arm
            self.tell = tell
            self.disarm = disarm
        }
    }

    /// What outlives this process.
    public struct Memory {
        /// Never fails: who cannot be remembered is met again.
        public var remember: (Subject, Acquaintances) -> Void

        /// Never fails either: bounces that are not remembered hold back none in the next run.
        public var rememberBounces: (Subject, RestraintMemory) -> Void

        public init(
            remember: @escaping (Subject, Acquaintances) -> Void,
            rememberBounces: @escaping (Subject, RestraintMemory) -> Void
        ) {
            self.remember = remember
            self.rememberBounces = rememberBounces
        }
    }

    /// Who is told.
    public struct Reporter {
        public var report: (Subject, Report) -> Void
        /// A toggler went from one state to another.
        public var transition: (Subject, _ from: String, _ to: String) -> Void
        public var finished: (Subject, Outcome) -> Void

        public init(
            report: @escaping (Subject, Report) -> Void,
            transition: @escaping (Subject, String, String) -> Void,
            finished: @escaping (Subject, Outcome) -> Void
        ) {
            self.report = report
            self.transition = transition
            self.finished = finished
        }
    }

    public var clock: Clock
    public var links: Links
    public var methods: Methods
    public var probes: Probes
    public var `guard`: Guard
    public var memory: Memory
    public var reporter: Reporter

    public init(
        clock: Clock, links: Links, methods: Methods, probes: Probes, guard: Guard, memory: Memory,
        reporter: Reporter
    ) {
        self.clock = clock
        self.links = links
        self.methods = methods
        self.probes = probes
        self.guard = `guard`
        self.memory = memory
        self.reporter = reporter
    }
}

/// The interface that a toggler decides for, as it is known at the moment.
public struct Subject: Hashable, Sendable {
    /// Told apart from every other toggler of this process.
    public var id: Int
    public var index: InterfaceIndex
    public var name: String

    public init(id: Int, index: InterfaceIndex, name: String) {
        self.id = id
        self.index = index
        self.name = name
    }
}
