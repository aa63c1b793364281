import CLinux
import Glibc

/// Starts programs by posix_spawn(3), so that they inherit nothing unwanted.
enum Spawn {
    /// Starts the program at an absolute path, in a process group of its own. Its standard input, output and
    /// error are `input`, `output` and `errors` (nil: /dev/null); it gets no other descriptors. All signals
    /// are unblocked and have their default actions: otherwise the program would inherit the signals that
    /// this process blocks or ignores.
    /// - Returns: the process ID.
    /// - Throws: the error of posix_spawn(3).
    static func start(
        _ path: String, _ arguments: [String], _ environment: [String: String], input: Int32? = nil,
        output: Int32? = nil, errors: Int32? = nil
    ) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (given, own, mode) in [
            (errors, STDERR_FILENO, O_WRONLY), (output, STDOUT_FILENO, O_WRONLY),
            (input, STDIN_FILENO, O_RDONLY),
        ] {
            if let given {
                posix_spawn_file_actions_adddup2(&actions, given, own)
            } else {
                posix_spawn_file_actions_addopen(&actions, own, "/dev/null", mode, 0)
            }
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let variables = environment.map { "\($0.key)=\($0.value)" }
        var process: pid_t = 0
        let code = withCStrings([path] + arguments) { argv in
            withCStrings(variables) { envp in
                // Unlike other calls, posix_spawn(3) returns its error number.
                posix_spawn(&process, path, &actions, &attributes, argv, envp)
            }
        }
        guard code == 0 else { throw SystemError(call: "posix_spawn", code: code) }
        return process
    }

    /// Creates a pipe for the output of a child (pipe2(2)). The read end does not block; both ends are closed
    /// on exec.
    static func pipe() throws(SystemError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        try check("pipe2") { pipe2(&ends, O_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }

    /// Passes the strings to `body` as a C array that ends with NULL. The array is valid only inside `body`.
    static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
    }
}
