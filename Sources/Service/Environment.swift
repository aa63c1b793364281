import Model
import Toggling

/// Everything outside the interpreter: closures that start something and report later how it ended. The
/// executable makes the live ones; a test makes its own.
public struct Environment {
    public typealias Done<Value> = @MainActor (Result<Value, Failure>) -> Void

    /// The boot-time clock and its timer.
    public struct Clock {
        public var now: () -> Instant
        /// Calls `Interpreter.timeCame()` at this instant or shortly after; nil: not at all. Replaces the
        /// previous instant.
        public var wake: (Instant?) -> Void

        public init(now: @escaping () -> Instant, wake: @escaping (Instant?) -> Void) {
            self.now = now
            self.wake = wake
        }
    }

    /// The kernel's interfaces. Every closure answers exactly once, never from inside the call.
    public struct Links {
        public var kernelState: (InterfaceRef, KernelState.Details, @escaping Done<KernelState>) -> Void
        /// With its address owner, and whether the link has name servers.
        public var takeSnapshot: (InterfaceRef, @escaping Done<Snapshot>) -> Void
        /// The same, often and mostly not needed: with its address owner only if it `isWorthKeeping`.
        public var takeBaseline: (InterfaceRef, @escaping Done<Snapshot>) -> Void
        /// Starts a directed scan for an access point; answers when the scan is over.
        public var directedScan: (InterfaceRef, AccessPoint, @escaping Done<Void>) -> Void
        /// Aborts the scan under way if the kernel has received from the access point since then; answers how
        /// long ago that was.
        public var abortScan: (InterfaceRef, AccessPoint, _ since: Instant, @escaping Done<Duration>) -> Void
        /// Makes the kernel repeat at once its requests for neighbours that it is resolving in vain.
        public var resolveNeighbours: (InterfaceRef, [IPAddress]) -> Void
        /// Switches power saving off if it is on, and reports that itself.
        public var switchPowerSaveOff: (InterfaceRef, _ isDryRun: Bool) -> Void
        /// Announces its addresses to the neighbours, and reports itself what could not be announced.
        public var announce: (InterfaceRef) -> Void
        /// Compares, name servers too if the snapshot has them, and restores what this program may restore,
        /// if wanted.
        public var restore:
            (InterfaceRef, Snapshot, _ puttingBack: Bool, @escaping @MainActor (Restoration) -> Void) ->
                Void

        public init(
            kernelState:
                @escaping (InterfaceRef, KernelState.Details, @escaping Done<KernelState>) -> Void,
            takeSnapshot: @escaping (InterfaceRef, @escaping Done<Snapshot>) -> Void,
            takeBaseline: @escaping (InterfaceRef, @escaping Done<Snapshot>) -> Void,
            directedScan: @escaping (InterfaceRef, AccessPoint, @escaping Done<Void>) -> Void,
            abortScan: @escaping (InterfaceRef, AccessPoint, Instant, @escaping Done<Duration>) -> Void,
            resolveNeighbours: @escaping (InterfaceRef, [IPAddress]) -> Void,
            switchPowerSaveOff: @escaping (InterfaceRef, Bool) -> Void,
            announce: @escaping (InterfaceRef) -> Void,
            restore:
                @escaping (InterfaceRef, Snapshot, Bool, @escaping @MainActor (Restoration) -> Void) -> Void
        ) {
            self.kernelState = kernelState
            self.takeSnapshot = takeSnapshot
            self.takeBaseline = takeBaseline
            self.directedScan = directedScan
            self.abortScan = abortScan
            self.resolveNeighbours = resolveNeighbours
            self.switchPowerSaveOff = switchPowerSaveOff
            self.announce = announce
            self.restore = restore
        }
    }

    /// The methods of recovery. Every closure but the last answers exactly once, never from inside the call,
    /// and within a time limit of its own.
    public struct Methods {
        /// Takes the link down by a method that `takesLinkDown`.
        public var lower: (InterfaceRef, Method, @escaping Done<Void>) -> Void
        /// Restores it, with IFF_UP set.
        public var raise: (InterfaceRef, Method, @escaping Done<Void>) -> Void
        /// Performs a method that does not take the link down.
        public var perform: (InterfaceRef, Method, Settings, @escaping Done<Void>) -> Void
        /// The answer is not wanted any more.
        public var stop: (InterfaceRef) -> Void

        public init(
            lower: @escaping (InterfaceRef, Method, @escaping Done<Void>) -> Void,
            raise: @escaping (InterfaceRef, Method, @escaping Done<Void>) -> Void,
            perform: @escaping (InterfaceRef, Method, Settings, @escaping Done<Void>) -> Void,
            stop: @escaping (InterfaceRef) -> Void
        ) {
            self.lower = lower
            self.raise = raise
            self.perform = perform
            self.stop = stop
        }
    }

    /// Probes of other hosts.
    public struct Probes {
        public var start: (ProbeRequest, InterfaceRef, @escaping @MainActor (ProbeResult) -> Void) -> Void
        /// The answer is not wanted any more.
        public var cancel: (Int, InterfaceRef) -> Void

        public init(
            start: @escaping (ProbeRequest, InterfaceRef, @escaping @MainActor (ProbeResult) -> Void) -> Void,
            cancel: @escaping (Int, InterfaceRef) -> Void
        ) {
            self.start = start
            self.cancel = cancel
        }
    }

    /// The guard, which raises the link if this process cannot.
    public struct Guard {
        /// Answers once that the guard is ready, or why not; if it dies after it was ready, calls `lost`,
        /// once.
        public var arm:
            (InterfaceRef, GuardOrder, _ lost: @escaping @MainActor () -> Void, @escaping Done<Void>) -> Void
        public var tell: (InterfaceRef, GuardStage) -> Void
        public var disarm: (InterfaceRef) -> Void

        public init(
            arm:
                @escaping (InterfaceRef, GuardOrder, @escaping @MainActor () -> Void, @escaping Done<Void>) ->
                Void,
            tell: @escaping (InterfaceRef, GuardStage) -> Void, disarm: @escaping (InterfaceRef) -> Void
        ) {
            self.arm = arm
            self.tell = tell
            self.disarm = disarm
        }
    }

    /// What is kept beyond this process.
    public struct Store {
        /// Never fails: a target that is not saved is simply unknown in the next run.
        public var remember: (InterfaceRef, KnownTargets) -> Void

        /// Never fails either: bounces that are not remembered hold back none in the next run.
        public var rememberBounces: (InterfaceRef, BounceLimiter.Saved) -> Void

        public init(
            remember: @escaping (InterfaceRef, KnownTargets) -> Void,
            rememberBounces: @escaping (InterfaceRef, BounceLimiter.Saved) -> Void
        ) {
            self.remember = remember
            self.rememberBounces = rememberBounces
        }
    }

    /// Where reports go.
    public struct Reporter {
        public var report: (InterfaceRef, Report) -> Void
        /// A toggler changed its state.
        public var transition: (InterfaceRef, _ from: String, _ to: String) -> Void
        public var finished: (InterfaceRef, RunOutcome) -> Void

        public init(
            report: @escaping (InterfaceRef, Report) -> Void,
            transition: @escaping (InterfaceRef, String, String) -> Void,
            finished: @escaping (InterfaceRef, RunOutcome) -> Void
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
    public var store: Store
    public var reporter: Reporter

    public init(
        clock: Clock, links: Links, methods: Methods, probes: Probes, guard: Guard, store: Store,
        reporter: Reporter
    ) {
        self.clock = clock
        self.links = links
        self.methods = methods
        self.probes = probes
        self.guard = `guard`
        self.store = store
        self.reporter = reporter
    }
}
