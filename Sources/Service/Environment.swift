import Model
import Toggling

/// Everything outside the interpreter, as closures that start an operation and report its result later. The
/// executable makes the live ones; a test makes its own.
public struct Environment {
    /// Receives the result of an operation.
    public typealias Done<Value> = @MainActor (Result<Value, Failure>) -> Void

    /// The boot-time clock and its timer.
    public struct Clock {
        public var now: () -> Instant
        /// Sets the timer, which calls `Interpreter.timeCame()` at this instant or shortly after. A new
        /// instant replaces the previous one, and nil stops the timer.
        public var wake: (Instant?) -> Void

        public init(now: @escaping () -> Instant, wake: @escaping (Instant?) -> Void) {
            self.now = now
            self.wake = wake
        }
    }

    /// Operations on the kernel's interfaces. Every closure with an answer, except `directedScan`, calls back
    /// exactly once. None calls back before it returns.
    public struct Links {
        public var kernelState: (InterfaceRef, KernelState.Details, @escaping Done<KernelState>) -> Void
        /// Takes a snapshot, with the scan owner and the address owner if a bounce needs them, and whether
        /// the link has name servers.
        public var takeSnapshot: (InterfaceRef, @escaping Done<Snapshot>) -> Void
        /// Takes a snapshot in advance. Because this is done often and rarely needed, the answer is an empty
        /// snapshot, without a search for the address owner, unless the snapshot `isWorthKeeping`.
        public var takeBaseline: (InterfaceRef, @escaping Done<Snapshot>) -> Void
        /// Starts a directed scan for an access point. The answer comes when its results are available. If
        /// the scan is aborted, the answer comes after the next scan, or never.
        public var directedScan: (InterfaceRef, AccessPoint, @escaping Done<Void>) -> Void
        /// Aborts the scan under way if the kernel has heard the access point since that instant. The answer
        /// is how long ago the kernel heard it.
        public var abortScan: (InterfaceRef, AccessPoint, _ since: Instant, @escaping Done<Duration>) -> Void
        /// Makes the kernel at once repeat its requests for neighbours that have not answered.
        public var resolveNeighbours: (InterfaceRef, [IPAddress]) -> Void
        /// Switches power saving off if it is on and the setting wants it off (`auto`: if a driver file says
        /// so). A dry run only reads it. The closure itself reports the result.
        public var switchPowerSaveOff: (InterfaceRef, PowerSave, _ isDryRun: Bool) -> Void
        /// Announces the interface's addresses to the neighbours. The closure itself reports what could not
        /// be announced.
        public var announce: (InterfaceRef) -> Void
        /// Compares the link with the snapshot, including name servers if the snapshot has them, and, if
        /// `puttingBack`, restores what this program may restore.
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
            switchPowerSaveOff: @escaping (InterfaceRef, PowerSave, Bool) -> Void,
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

    /// The methods of recovery. Every closure but `stop` calls back exactly once, never before it returns,
    /// and within a time limit of its own. There are two exceptions: `perform` need not call back after
    /// `stop`, and does not call back if the machine is going down for a reboot.
    public struct Methods {
        /// Takes the link down by a method for which `takesLinkDown` is true.
        public var lower: (InterfaceRef, Method, @escaping Done<Void>) -> Void
        /// Undoes the method, and sets IFF_UP.
        public var raise: (InterfaceRef, Method, @escaping Done<Void>) -> Void
        /// Performs a method that does not take the link down.
        public var perform: (InterfaceRef, Method, Settings, @escaping Done<Void>) -> Void
        /// Stops what `perform` began, as far as possible, because its answer is not wanted any more.
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

    /// Starts and cancels probes.
    public struct Probes {
        public var start: (ProbeRequest, InterfaceRef, @escaping @MainActor (ProbeResult) -> Void) -> Void
        /// Cancels the probe with this id; its `start` does not call back any more.
        public var cancel: (Int, InterfaceRef) -> Void

        public init(
            start: @escaping (ProbeRequest, InterfaceRef, @escaping @MainActor (ProbeResult) -> Void) -> Void,
            cancel: @escaping (Int, InterfaceRef) -> Void
        ) {
            self.start = start
            self.cancel = cancel
        }
    }

    /// Operations on the guard, the process that raises the link if this process cannot.
    public struct Guard {
        /// Starts a guard, and reports once that the guard is ready, or why not. Calls `lost` once if the
        /// guard dies after it was ready. After `disarm`, neither happens any more. A guard from earlier in
        /// the same bounce stays until this one is ready.
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

    /// Data that is kept for later runs.
    public struct Store {
        /// Saves the known targets. The toggler does not learn of an error: a target that is not saved is
        /// unknown in the next run.
        public var remember: (InterfaceRef, KnownTargets) -> Void

        /// Saves the state of the bounce limiter. The toggler does not learn of an error: bounces that are
        /// not saved do not delay the bounces of the next run.
        public var rememberBounces: (InterfaceRef, BounceLimiter.Saved) -> Void

        public init(
            remember: @escaping (InterfaceRef, KnownTargets) -> Void,
            rememberBounces: @escaping (InterfaceRef, BounceLimiter.Saved) -> Void
        ) {
            self.remember = remember
            self.rememberBounces = rememberBounces
        }
    }

    /// The recipient of reports.
    public struct Reporter {
        public var report: (InterfaceRef, Report) -> Void
        /// Reports that a toggler has changed its state; the texts are the states' names.
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
