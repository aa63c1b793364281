import Glibc
import Model
import Platform

/// One run of an owner's command line tool.
///
/// It runs without a shell and by an absolute path, in its own process group, which is terminated at the
/// deadline (TERM, then KILL after ``ChildProcess/grace``). Root must own the program and every directory on
/// the path, and no other user may write them.
public struct OwnerCommand {
    /// The directories in which Debian and most others install root's programs.
    public static let directories = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    /// The directory of the services' own scripts, of procd and others.
    public static let serviceScripts = "/etc/init.d"
    /// Keeps programs from translating their messages and from reading other files.
    private static let environment = [
        "PATH": directories.joined(separator: ":"), "LANG": "C", "LC_ALL": "C",
    ]
    /// More than any answer has, in bytes.
    private static let outputLimit = 65_536

    /// Its name, without a directory.
    let program: String
    let arguments: [String]
    let timeout: Duration

    enum Outcome {
        /// It exited with status 0, and printed this.
        case answered([UInt8])
        /// It ended otherwise; status nil: it was killed.
        case ended(status: Int32?, Failure)
        case notRun(Failure)
    }

    /// - Parameters:
    ///   - directories: where to look for the program, in this order.
    ///   - done: called once, never inside this call.
    /// - Throws: `unavailable` if there is no program that can be trusted, `other` if it could not be started.
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

    /// The first program of this name that can be trusted.
    private static func path(of program: String, in directories: [String]) throws(Failure) -> String {
        var distrust: TrustedProgram.Problem?
        for directory in directories {
            let path = "\(directory)/\(program)"
            guard let problem = TrustedProgram.problem(of: path, owners: []) else { return path }
            if !problem.isAbsence { distrust = distrust ?? problem }
        }
        let words =
            distrust?.description
            ?? "there is no \(program) of root's in \(directories.joined(separator: ", "))"
        throw Failure(kind: .unavailable, description: words)
    }

    private static func outcome(
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
            let words = "\(program): \(error.call): \(error.description)"
            return .ended(status: nil, Failure(kind: .lost, code: error.code, description: words))
        }
    }

    /// The line with an error, or else the first; warnings may come before it.
    private static func errorMessage(in output: [UInt8]) -> String? {
        let lines = output.split(separator: UInt8(ascii: "\n"))
        let telling = lines.first { $0.starts(with: "Error".utf8) } ?? lines.first
        return telling.flatMap { CommandOutput.firstLine(of: $0) }
    }
}

extension TrustedProgram.Problem {
    /// The program does not exist, or the directory is another name of one that is also searched.
    fileprivate var isAbsence: Bool {
        switch self {
        case .unreadable(_, let error): error.code == ENOENT
        case .symbolicLink: true
        case .notADirectory, .notRegular, .foreign, .writable: false
        }
    }
}
