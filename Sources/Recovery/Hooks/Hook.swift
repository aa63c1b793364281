import Glibc
import Model
import Platform

/// Runs the administrator's program that repairs the link (the method `hook`). Exit status 0 means success.
///
/// If this process is root and no other user is given, the hook runs as root, unlike a command probe, because
/// it may have to reload a driver's module. Therefore root must own its file and every directory on the path,
/// and no other user may write to them. It runs in its own process group, with standard input and standard
/// error on /dev/null. At its deadline it is ended: SIGTERM, then SIGKILL after ``ChildProcess/grace``.
@MainActor public final class Hook {
    public typealias Completion = @MainActor (Result<Void, Failure>) -> Void

    /// The paths of hooks that have not ended yet. A hook that is being ended may ignore SIGTERM.
    private var running: Set<String> = []

    /// The directories in which hooks of a service that is not root must not change anything, as absolute
    /// paths.
    public var protected: [String] = []

    public init() {}

    /// Runs a hook.
    /// - Parameters:
    ///   - path: the absolute path of the program.
    ///   - interface: the name of the interface, which the program finds in the environment variable
    ///     INTERFACE.
    ///   - user: the user as whom it runs, without this process's privileges; nil for the user of this
    ///     process.
    ///   - timeout: the time limit for the whole run.
    ///   - done: called once, never inside this call. Fails with `unavailable` if there is no such file, with
    ///     `busy` if the same program still runs, for any interface, with `timedOut` at the deadline, and
    ///     with `other` or `lost` after other errors.
    /// - Returns: the process of the hook; nil if it was not started. After ``ChildProcess/cancel()``, `done`
    ///   is not called any more.
    @discardableResult
    public func run(
        _ path: String, for interface: String, as user: String? = nil, timeout: Duration,
        _ done: @escaping Completion
    ) -> ChildProcess? {
        do throws(Failure) {
            return try start(path, interface, user, timeout, done)
        } catch {
            EventLoop.soon { done(.failure(error)) }
            return nil
        }
    }

    private func start(
        _ path: String, _ interface: String, _ user: String?, _ timeout: Duration,
        _ done: @escaping Completion
    ) throws(Failure) -> ChildProcess {
        guard !running.contains(path) else { throw Self.busy(path) }
        let account = try user.map { user throws(Failure) in try Self.account(user) }
        if let problem = TrustedProgram.problem(of: path, owners: []) { throw Self.failure(problem) }
        let environment = CommandEnvironment.about(interface)
        let gone: @MainActor (ChildProcess.Ending) -> Void = { [weak self] _ in
            _ = self?.running.remove(path)
        }
        let completion: @MainActor (ChildProcess.Ending, [UInt8]) -> Void = {
            done(Self.result(of: $0, $1))
        }
        let child: ChildProcess
        do throws(SystemError) {
            if account != nil || UserAccount.ofProcess != 0 {
                let program = SandboxedProgram(
                    path, environment: environment, account: account?.account,
                    protected: account?.account == nil ? protected : [])
                child = try ChildProcess.start(
                    program, timeout: timeout, outputLimit: Self.outputLimit, gone: gone,
                    completion: completion)
            } else {
                child = try ChildProcess.start(
                    path, arguments: [], environment: environment, timeout: timeout,
                    outputLimit: Self.outputLimit, gone: gone, completion: completion)
            }
        } catch {
            throw Failure(
                kind: .other, code: error.code, description: "\(path) could not be run: \(error.description)")
        }
        running.insert(path)
        return child
    }

    /// The most bytes of output that are kept. Only the first line is shown.
    private static let outputLimit = 4096

    private static func account(_ user: String) throws(Failure) -> CommandIdentity {
        do throws(CommandIdentity.Problem) {
            return try .of(user)
        } catch {
            throw Failure(kind: .other, description: "the hook was not run: \(error.description)")
        }
    }

    static func busy(_ path: String) -> Failure {
        Failure(kind: .busy, description: "the hook was not run: the last run of \(path) has not ended")
    }

    static func failure(_ problem: TrustedProgram.Problem) -> Failure {
        switch problem {
        case .unreadable(_, let error) where error.code == ENOENT:
            Failure(kind: .unavailable, description: problem.description)
        case .symbolicLink, .notADirectory, .notRegular, .foreign, .writable, .unreadable:
            Failure(kind: .other, description: "the hook was not run: \(problem.description)")
        }
    }

    nonisolated static func result(
        of ending: ChildProcess.Ending, _ output: [UInt8]
    ) -> Result<Void, Failure> {
        switch ending {
        case .exited(status: 0): return .success(())
        case .exited(let status):
            let line = CommandOutput.firstLine(of: output).map { ": \($0)" } ?? ""
            return .failure(Failure(kind: .other, description: "the hook ended with status \(status)\(line)"))
        case .killed(let signal):
            return .failure(Failure(kind: .other, description: "the hook was ended by signal \(signal)"))
        case .timedOut: return .failure(Failure(kind: .timedOut, description: "the hook did not end in time"))
        case .notStarted(let error):
            let words = "the hook could not be run: \(error.call): \(error.description)"
            return .failure(Failure(kind: .other, code: error.code, description: words))
        case .lost(let error):
            let words = "the result of the hook is not known: \(error.call): \(error.description)"
            return .failure(Failure(kind: .lost, description: words))
        }
    }
}
