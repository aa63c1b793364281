import CLinux
import Glibc

/// A program that runs beside the event loop: started without a shell, in a process group of its own,
/// inheriting only a pipe for its output, and ended at its deadline.
@MainActor public final class ChildProcess {
    /// How it ended.
    public enum Ending: Equatable, Sendable {
        /// By itself, with this exit status.
        case exited(status: Int32)
        /// By a signal that this program did not send.
        case killed(signal: Int32)
        /// Its time was over, and it is being ended.
        case timedOut
        /// It was not started: the step that failed, and why.
        case notStarted(SystemError)
        /// It ended, and the kernel does not report how.
        case lost(SystemError)
    }

    /// From TERM to KILL, for a child that ignores TERM.
    public static let grace: Duration = .seconds(2)

    /// The children that have not ended yet: they do not outlive this process. Used only by the main actor,
    /// and by exit(3), which comes after everything else.
    nonisolated(unsafe) private static var living: Set<pid_t> = []
    private static let endsThemAtExit: Void = {
        atexit { for process in ChildProcess.living { kill(-process, SIGKILL) } }
    }()

    /// Kills it, and its group, if it still lives when this process exits.
    static func endAtExit(_ process: pid_t) {
        _ = endsThemAtExit
        living.insert(process)
    }

    static func hasEnded(_ process: pid_t) { living.remove(process) }

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
    /// The pipe on which a sandboxed program reports why it was not started.
    private var report: Int32?
    private var gone: (@MainActor (Ending) -> Void)?

    /// Starts a program; `arguments` are those after its name, `environment` is all of it.
    ///
    /// Standard input contains these bytes, or is /dev/null. The first `limit` bytes of standard output are
    /// kept, the rest is read and dropped; standard error goes the same way, or to /dev/null. `completion`
    /// runs once, never inside this call; it keeps the child alive until it has ended, so the caller need
    /// not. `gone` runs once, when the process has ended.
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
        do {
            let process = try spawn(pipe.write)
            StrayProcesses.isOwn(process)
            let handle = try Self.handle(of: process)
            let child = ChildProcess(
                process: process, output: pipe.read, limit: limit, completion: completion)
            child.watch(handle, timeout: timeout)
            return child
        } catch {
            close(pipe.read)
            throw error
        }
    }

    /// The same for a sandboxed program. `gone` runs once, when the process has ended, with how it ended:
    /// after `completion` if it took too long, and even if it was cancelled.
    @discardableResult
    public static func start(
        _ program: SandboxedProgram, timeout: Duration, outputLimit limit: Int,
        gone: @escaping @MainActor (Ending) -> Void,
        completion: @escaping @MainActor (Ending, [UInt8]) -> Void
    ) throws(SystemError) -> ChildProcess {
        let report = try Spawn.pipe()
        defer { close(report.write) }
        do {
            let child = try start(timeout: timeout, limit, completion) { output throws(SystemError) in
                try program.start(output: output, report: report.write)
            }
            (child.report, child.gone) = (report.read, gone)
            return child
        } catch {
            close(report.read)
            throw error
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

    /// Ends the child if it still runs, as at its deadline; the completion does not run any more.
    public func cancel() {
        completion = nil
        terminate()
    }

    /// A descriptor that becomes readable when the process has ended (pidfd_open(2)).
    static func handle(of process: pid_t) throws(SystemError) -> Int32 {
        do {
            return try check("pidfd_open") { pidfd_open(process, 0) }
        } catch {
            // It cannot be watched, so it must not run: it is an unreaped child, so this is still its number.
            signalGroup(of: process, SIGKILL)
            waitpid(process, nil, 0)
            throw error
        }
    }

    /// A child that has not executed the program yet has no group of its own.
    private static func signalGroup(of process: pid_t, _ signal: Int32) {
        if kill(-process, signal) == -1, errno == ESRCH { kill(process, signal) }
    }

    private func watch(_ handle: Int32, timeout: Duration) {
        Self.endAtExit(process)
        Self.running += 1
        // The sources keep the child alive until it is reaped.
        exitSource = .reading(handle, owning: true) { self.exited() }
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
        // Not reaped yet, so its number, which is also its group's, is not reused. Its remaining descendants
        // are killed.
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

    /// How a process ended (waitpid(2)); nil: it still runs.
    static func reap(_ process: pid_t) -> Ending? {
        var status: Int32 = 0
        do {
            guard try check("waitpid", { waitpid(process, &status, WNOHANG) }) != 0 else { return nil }
        } catch {
            return .lost(error)
        }
        let signal = status & 0x7f
        return signal == 0 ? .exited(status: status >> 8 & 0xff) : .killed(signal: signal)
    }

    private func readOutput() {
        guard outputSource != nil else { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        // A child that writes fast must not block the loop; the source fires again for the rest.
        for _ in 0..<Self.readsAtOnce {
            let count = read(output, &bytes, bytes.count)
            if count > 0 {
                captured += bytes.prefix(min(count, limit - captured.count))
            } else if count == -1, errno == EAGAIN {
                return
            } else if count == 0 || errno != EINTR {
                // End of file, or an error: a source that stays would fire for ever.
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
        // Another one may still need what it has started.
        if Self.running == 0 { StrayProcesses.endSoon() }
        if let report { close(report) }
        report = nil
        gone?(ending)
        gone = nil
    }
}
