import Glibc
import Model
import Platform

/// Runs a command line tool of an owner, or of a system service such as systemd, once.
///
/// The tool runs without a shell, by an absolute path, in its own process group. At the deadline the group is
/// ended: SIGTERM, then SIGKILL after ``ChildProcess/grace``. Root must own the program and every directory
/// on the path, and no other user may write to them.
public struct OwnerCommand {
    /// The directories in which most distributions install programs.
    public static let directories = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    /// The directory of service scripts, such as those of procd.
    public static let serviceScripts = "/etc/init.d"
    /// The environment. It keeps programs from translating their messages.
    private static let environment = [
        "PATH": directories.joined(separator: ":"), "LANG": "C", "LC_ALL": "C",
    ]
    /// The most bytes of output that are kept. No answer is longer.
    private static let outputLimit = 65_536

    /// The name of the program, without a directory.
    let program: String
    let arguments: [String]
    let timeout: Duration

    enum Outcome {
        /// The program exited with status 0 and printed this.
        case answered([UInt8])
        /// The program ended otherwise. The status is nil if it was killed, timed out, or is not known.
        case ended(status: Int32?, Failure)
        case notRun(Failure)
    }

    /// Starts the program.
    /// - Parameters:
    ///   - directories: where to look for the program, in this order.
    ///   - done: called once, never inside this call.
    /// - Throws: `unavailable` if no trusted program has this name, `other` if it could not be started.
    @MainActor func start(
        in directories: [String], _ done: @escaping @MainActor (Outcome) -> Void
    ) throws(Failure) -> ChildProcess {
        let path = try Self.path(of: program, in: directories)
        do throws(SystemError) {
            return try ChildProcess.start(
                path, arguments: arguments, environment: Self.environment, keepsErrors: true,
                timeout: timeout, outputLimit: Self.outputLimit
            ) { [program] in done(Self.outcome(of: $0, $1, program)) }
        } catch {
            throw Failure(
                kind: .other, code: error.code, description: "\(path) could not be run: \(error.description)")
        }
    }

    /// Starts the program, and reports through `done`, too, that it was not started.
    /// - Parameter done: called once, never inside this call.
    /// - Returns: the process; nil if the program was not started.
    @MainActor @discardableResult func run(
        in directories: [String], _ done: @escaping @MainActor (Outcome) -> Void
    ) -> ChildProcess? {
        do throws(Failure) { return try start(in: directories, done) } catch {
            EventLoop.soon { done(.notRun(error)) }
            return nil
        }
    }

    /// The path of the first trusted program with this name.
    static func path(of program: String, in directories: [String]) throws(Failure) -> String {
        var distrust: TrustedProgram.Problem?
        for directory in directories {
            let path = "\(directory)/\(program)"
            guard let problem = TrustedProgram.problem(of: path, owners: []) else { return path }
            if !problem.isAbsence { distrust = distrust ?? problem }
        }
        let words =
            distrust?.description
            ?? "\(program) is not installed (looked in \(directories.joined(separator: ", ")))"
        throw Failure(kind: .unavailable, description: words)
    }

    static func outcome(
        of ending: ChildProcess.Ending, _ output: [UInt8], _ program: String
    ) -> Outcome {
        switch ending {
        case .exited(status: 0): return .answered(output)
        case .exited(let status):
            let words = errorMessage(in: output).map { ": \($0)" } ?? ""
            return .ended(
                status: status,
                Failure(kind: .other, description: "\(program) ended with status \(status)\(words)")
            )
        case .killed(let signal):
            return .ended(
                status: nil, Failure(kind: .lost, description: "\(program) was ended by signal \(signal)"))
        case .timedOut:
            return .ended(
                status: nil, Failure(kind: .timedOut, description: "\(program) did not end in time"))
        case .notStarted(let error):
            let words = "\(program) could not be run: \(error.description)"
            return .notRun(Failure(kind: .other, code: error.code, description: words))
        case .lost(let error):
            let words = "the result of \(program) is not known: \(error.call): \(error.description)"
            return .ended(status: nil, Failure(kind: .lost, code: error.code, description: words))
        }
    }

    /// The line with an error, or else the first line. Warnings may come before the error.
    private static func errorMessage(in output: [UInt8]) -> String? {
        let lines = output.split(separator: UInt8(ascii: "\n"))
        let telling = lines.first { $0.starts(with: "Error".utf8) } ?? lines.first
        return telling.flatMap { CommandOutput.firstLine(of: $0) }
    }
}

extension TrustedProgram.Problem {
    /// Whether the program does not exist, or a component of its path is a symbolic link. Usually the link is
    /// the directory, and leads to another directory that is also searched.
    fileprivate var isAbsence: Bool {
        switch self {
        case .unreadable(_, let error): error.code == ENOENT
        case .symbolicLink: true
        case .notADirectory, .notRegular, .foreign, .writable: false
        }
    }
}
