import CLinux
import Glibc

/// A program that runs without the privileges of this process: without capabilities or a way to gain them,
/// with no descriptors but standard input, output and error, as another user where that is possible, and in a
/// session and process group of its own.
public struct SandboxedProgram: Sendable {
    /// The absolute path of the program.
    public var path: String
    /// The whole environment of the program.
    public var environment: [String: String]
    /// The user of the program; nil for the user of this process.
    public var account: UserAccount?
    /// The content of standard input; nil for /dev/null.
    public var input: [UInt8]?
    /// Absolute paths of directories in which the program must not change anything (``Landlock``). If the
    /// kernel has no Landlock, only file permissions protect them.
    public var protected: [String]

    public init(
        _ path: String, environment: [String: String], account: UserAccount?, input: [UInt8]? = nil,
        protected: [String] = []
    ) {
        self.path = path
        self.environment = environment
        self.account = account
        self.input = input
        self.protected = protected
    }

    /// Forks this process; the copy executes the program.
    /// - Parameter report: the write end of a pipe. If the program cannot be executed, the copy writes the
    ///   reason to it (``failure(in:)``); otherwise nothing.
    /// - Returns: the process ID.
    func start(output: Int32, report: Int32) throws(SystemError) -> pid_t {
        var given: [Int32] = []
        defer { for descriptor in given { close(descriptor) } }
        func give(_ descriptor: Int32) throws(SystemError) -> Int32 {
            // The duplicate must have a number above 4: the child moves its descriptors to 0 to 4.
            let copy = try check("fcntl") { fcntl(descriptor, F_DUPFD_CLOEXEC, Self.firstFree) }
            given.append(copy)
            return copy
        }
        func giveAway(_ descriptor: Int32?) throws(SystemError) -> Int32 {
            guard let descriptor else { return -1 }
            defer { close(descriptor) }
            return try give(descriptor)
        }
        let (output, report) = (try give(output), try give(report))
        let file = try giveAway(try input.map { bytes throws(SystemError) in try MemFD.holding(bytes) })
        let ruleset = try giveAway(protected.isEmpty ? nil : try Landlock.protecting(protected))
        let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
        let result = Spawn.withCStrings([path]) { arguments in
            Spawn.withCStrings(variables) { environment in
                var program = confined_program(
                    path: arguments[0], arguments: arguments, environment: environment, input: file,
                    output: output, report: report, ruleset: ruleset, changes_user: account == nil ? 0 : 1,
                    user: account?.user ?? 0, group: account?.group ?? 0)
                return Self.fork(&program)
            }
        }
        return try result.get()
    }

    /// The lowest number for descriptors in `confined_program`.
    private static let firstFree: Int32 = 5

    private static func fork(_ program: UnsafePointer<confined_program>) -> Result<pid_t, SystemError> {
        Result { () throws(SystemError) in
            try ForkedProcess.start {
                become_confined(program)
                _exit(127)
            }
        }
    }

    /// Reads the report of a program that has ended, without waiting; nil if the program was executed.
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
        case confined_files: "landlock_restrict_self"
        default: "execve"
        }
    }
}
