import CLinux
import Glibc

/// A program that runs beside the event loop. It is started without a shell, in a process group of its own,
/// and inherits no descriptors but its standard streams. At its deadline it is ended.
@MainActor public final class ChildProcess {
    /// How the process ended.
    public enum Ending: Equatable, Sendable {
        /// It exited with this status.
        case exited(status: Int32)
        /// A signal killed it, possibly one that this program has sent.
        case killed(signal: Int32)
        /// Its deadline passed; it is being ended.
        case timedOut
        /// It could not be started: the call that failed, and the error.
        case notStarted(SystemError)
        /// It ended, but the kernel does not report how.
        case lost(SystemError)

        /// - Parameter status: the status of a process that has ended, from waitpid(2).
        public init(status: Int32) {
            let signal = status & 0x7f
            self = signal == 0 ? .exited(status: status >> 8 & 0xff) : .killed(signal: signal)
        }
    }

    /// The time between SIGTERM and SIGKILL, for a child that ignores SIGTERM.
    public static let grace: Duration = .seconds(2)

    /// The children that have not ended. They are killed when this process exits. Only the main actor and the
    /// function for atexit(3) use this set, and that function runs after everything else.
    nonisolated(unsafe) private static var living: Set<pid_t> = []
    private static let endsThemAtExit: Void = {
        atexit { for process in ChildProcess.living { kill(-process, SIGKILL) } }
    }()

    /// Kills the process and its group if it still runs when this process exits.
    static func endAtExit(_ process: pid_t) {
        _ = endsThemAtExit
        living.insert(process)
    }

    /// Forgets a process that has been reaped.
    static func hasEnded(_ process: pid_t) {
        living.remove(process)
        StrayProcesses.isReaped(process)
    }

    private static var running = 0

    private let process: pid_t
    private let output: Int32
    private let limit: Int
    private var captured: [UInt8] = []
    private var completion: (@MainActor (Ending, [UInt8]) -> Void)?
    private var exitSource: EventSource?
    private var outputSource: EventSource?
    private var timer: TimerSource?
    private var isEnding = false
    /// The pipe on which a sandboxed program reports why it could not be started.
    private var report: Int32?
    private var gone: (@MainActor (Ending) -> Void)?

    /// Starts a program.
    ///
    /// `arguments` are those after the name, `environment` is the whole environment. Standard input contains
    /// the bytes of `input`, or is /dev/null. The first `limit` bytes of standard output are kept; the rest
    /// is read and dropped. Standard error goes to the same pipe if `keepsErrors`, otherwise to /dev/null.
    /// `completion` runs once, never inside this call. The object keeps itself alive until the process has
    /// ended. `gone` runs once, after the process has ended.
    /// - Throws: the program could not be started.
    @discardableResult
    public static func start(
        _ path: String, arguments: [String], environment: [String: String] = [:], input: [UInt8]? = nil,
        keepsErrors: Bool = false, timeout: Duration, outputLimit limit: Int = 65_536,
        gone: (@MainActor (Ending) -> Void)? = nil,
        completion: @escaping @MainActor (Ending, [UInt8]) -> Void
    ) throws(SystemError) -> ChildProcess {
        let file = try input.map { bytes throws(SystemError) in try MemFD.holding(bytes) }
        defer { if let file { close(file) } }
        let child = try start(timeout: timeout, limit, completion) { output throws(SystemError) in
            try Spawn.start(
                path, arguments, environment, input: file, output: output, errors: keepsErrors ? output : nil)
        }
        child.gone = gone
        return child
    }

    /// - Parameter spawn: starts the process with this descriptor as its standard output.
    private static func start(
        timeout: Duration, _ limit: Int, _ completion: @escaping @MainActor (Ending, [UInt8]) -> Void,
        _ spawn: (Int32) throws(SystemError) -> pid_t
    ) throws(SystemError) -> ChildProcess {
        let pipe = try Spawn.pipe()
        defer { close(pipe.write) }
        return try closingOnError(pipe.read) { () throws(SystemError) in
            let process = try spawn(pipe.write)
            StrayProcesses.isOwn(process)
            let handle = try Self.handle(of: process)
            let child = ChildProcess(
                process: process, output: pipe.read, limit: limit, completion: completion)
            do throws(SystemError) { try child.watch(handle, timeout: timeout) } catch {
                close(handle)
                discard(process)
                throw error
            }
            return child
        }
    }

    /// Starts a sandboxed program. `gone` runs once, after the process has ended, even after ``cancel()``;
    /// its argument says how the process ended. If the process timed out, `completion` runs earlier than
    /// `gone`.
    @discardableResult
    public static func start(
        _ program: SandboxedProgram, timeout: Duration, outputLimit limit: Int,
        gone: @escaping @MainActor (Ending) -> Void,
        completion: @escaping @MainActor (Ending, [UInt8]) -> Void
    ) throws(SystemError) -> ChildProcess {
        let report = try Spawn.pipe()
        defer { close(report.write) }
        return try closingOnError(report.read) { () throws(SystemError) in
            let child = try start(timeout: timeout, limit, completion) { output throws(SystemError) in
                try program.start(output: output, report: report.write)
            }
            (child.report, child.gone) = (report.read, gone)
            return child
        }
    }

    private init(
        process: pid_t, output: Int32, limit: Int,
        completion: @escaping @MainActor (Ending, [UInt8]) -> Void
    ) {
        self.process = process
        self.output = output
        self.limit = limit
        self.completion = completion
    }

    /// Ends the child, as at its deadline. `completion` does not run any more.
    public func cancel() {
        completion = nil
        terminate()
    }

    /// Returns a descriptor that becomes readable when the process has ended (pidfd_open(2)).
    static func handle(of process: pid_t) throws(SystemError) -> Int32 {
        do {
            return try check("pidfd_open") { pidfd_open(process, 0) }
        } catch {
            discard(process)
            throw error
        }
    }

    /// Ends a process that cannot be watched, and so must not run. It is not reaped yet, so no other process has
    /// its number.
    private static func discard(_ process: pid_t) {
        signalGroup(of: process, SIGKILL)
        waitpid(process, nil, 0)
        hasEnded(process)
    }

    /// Sends a signal to the group of a child, or to the child itself if it has no group yet: a child gets
    /// its group shortly before it executes the program.
    private static func signalGroup(of process: pid_t, _ signal: Int32) {
        if kill(-process, signal) == -1, errno == ESRCH { kill(process, signal) }
    }

    private func watch(_ handle: Int32, timeout: Duration) throws(SystemError) {
        // The sources keep this object alive until the child is reaped.
        exitSource = try .polling(handle, for: .reading, owning: true) { self.exited() }
        Self.endAtExit(process)
        Self.running += 1
        outputSource = .reading(output, owning: true) { self.readOutput() }
        timer = TimerSource { self.timeIsOver() }
        timer?.schedule(after: timeout)
    }

    private func timeIsOver() {
        if isEnding {
            Self.signalGroup(of: process, SIGKILL)
        } else {
            terminate()
            complete(.timedOut)
        }
    }

    private func terminate() {
        guard exitSource != nil, !isEnding else { return }
        isEnding = true
        Self.signalGroup(of: process, SIGTERM)
        timer?.schedule(after: Self.grace)
    }

    private func exited() {
        // The child is not reaped yet, so its number, which is also the number of its group, is not reused.
        // This kills the processes that are left in the group.
        kill(-process, SIGKILL)
        guard let seen = Self.reap(process) else { return }
        let ending =
            switch seen {
            case .lost: seen
            case .exited, .killed, .timedOut, .notStarted:
                report.flatMap(SandboxedProgram.failure).map { Ending.notStarted($0) } ?? seen
            }
        readOutput()
        release(ending)
        complete(ending)
    }

    /// Makes the kernel keep the statuses of children that have ended. A parent that ignores SIGCHLD passes
    /// that on to the programs that it executes (execve(2)), and waitpid(2) would fail in them. Call it once
    /// at the start.
    public static func keepStatuses() { signal(SIGCHLD, SIG_DFL) }

    /// Reaps a process and returns how it ended (waitpid(2)); nil if it still runs.
    static func reap(_ process: pid_t) -> Ending? {
        var status: Int32 = 0
        do {
            guard try check("waitpid", { waitpid(process, &status, WNOHANG) }) != 0 else { return nil }
        } catch {
            return .lost(error)
        }
        return Ending(status: status)
    }

    private func readOutput() {
        guard outputSource != nil else { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        // Limit the reads, so that a child that writes fast does not block the loop. The source fires again
        // for the rest.
        for _ in 0..<Self.readsAtOnce {
            let count = read(output, &bytes, bytes.count)
            if count > 0 {
                captured += bytes.prefix(min(count, limit - captured.count))
            } else if count == -1, errno == EAGAIN {
                return
            } else if count == 0 || errno != EINTR {
                // This is the end of the file, or an error. A source that stays would fire for ever.
                outputSource?.cancel()
                outputSource = nil
                return
            }
        }
    }

    private static let readsAtOnce = 16

    private func complete(_ ending: Ending) {
        let completion = completion
        self.completion = nil
        completion?(ending, captured)
    }

    private func release(_ ending: Ending) {
        exitSource?.cancel()
        outputSource?.cancel()
        timer?.cancel()
        (exitSource, outputSource, timer) = (nil, nil, nil)
        Self.hasEnded(process)
        Self.running -= 1
        // Another child may still need the processes that this one has started.
        if Self.running == 0 { StrayProcesses.endSoon() }
        if let report { close(report) }
        report = nil
        gone?(ending)
        gone = nil
    }
}
