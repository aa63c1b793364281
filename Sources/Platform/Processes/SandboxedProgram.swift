import CLinux
import Glibc

/// A program that runs with none of this process's privileges: no capability and no way to gain one, no
/// descriptor but standard input, output and error, another user if this process may choose one, and a
/// session and process group of its own.
public struct SandboxedProgram: Sendable {
    /// Absolute.
    public var path: String
    /// The whole environment.
    public var environment: [String: String]
    /// The user that it runs as; nil: this process's.
    public var account: UserAccount?

    public init(_ path: String, environment: [String: String], account: UserAccount?) {
        self.path = path
        self.environment = environment
        self.account = account
    }

    /// Forks a copy of this process that executes the program.
    /// - Parameter report: the end of a pipe to which it writes why it could not (``failure(in:)``): nothing,
    ///   if it did.
    func start(output: Int32, report: Int32) throws(SystemError) -> pid_t {
        // Above the numbers of the standard streams.
        let output = try check("fcntl") { fcntl(output, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
        defer { close(output) }
        let report = try check("fcntl") { fcntl(report, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
        defer { close(report) }
        let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
        let result = Spawn.withCStrings([path]) { arguments in
            Spawn.withCStrings(variables) { environment in
                var program = confined_program(
                    path: arguments[0], arguments: arguments, environment: environment, output: output,
                    report: report, changes_user: account == nil ? 0 : 1, user: account?.user ?? 0,
                    group: account?.group ?? 0)
                return Self.fork(&program)
            }
        }
        return try result.get()
    }

    private static func fork(_ program: UnsafePointer<confined_program>) -> Result<pid_t, SystemError> {
        Result { () throws(SystemError) in
            try ForkedProcess.start {
                become_confined(program)
                _exit(127)
            }
        }
    }

    /// Reads the report of a program that has ended, without waiting; nil: it was executed.
    static func failure(in report: Int32) -> SystemError? {
        var failure = confined_failure()
        let size = MemoryLayout<confined_failure>.size
        guard read(report, &failure, size) == size else { return nil }
        return SystemError(call: call(confined_step(UInt32(bitPattern: failure.step))), code: failure.code)
    }

    private static func call(_ step: confined_step) -> String {
        switch step {
        case confined_descriptors: "dup2"
        case confined_directory: "chdir"
        case confined_groups: "setgroups"
        case confined_group: "setresgid"
        case confined_user: "setresuid"
        case confined_privileges: "prctl"
        case confined_capabilities: "capset"
        default: "execve"
        }
    }
}
