import Glibc
import Platform

/// Runs the administrator's hooks: a directory of programs that are told of events. They run one after the
/// other in the order of their names. The next event waits until all hooks have ended; of several waiting
/// events of one interface, only the latest is kept.
///
/// If the service runs as root, its hooks have root's rights. Otherwise they have none of the service's
/// capabilities, and cannot change the service's files (``SandboxedProgram``). Root must own each file and
/// every directory on the path, and no other user may write to them (``TrustedProgram``). Each hook runs in
/// its own process group, with the event on standard input and with standard error on /dev/null. At its
/// deadline it is ended: SIGTERM, then SIGKILL to the group after ``ChildProcess/grace``. No decision depends
/// on the results.
@MainActor public final class HookDirectory {
    /// The input of a hook.
    public struct Message: Sendable {
        /// The content of standard input.
        public var input: [UInt8]
        /// Environment variables in addition to PATH and LANG.
        public var variables: [String: String]

        public init(input: [UInt8], variables: [String: String]) {
            self.input = input
            self.variables = variables
        }
    }

    /// The time limit for one program and one event. After a router has restarted, the link is healthy minutes
    /// before a message can leave.
    public static let timeout: Duration = .seconds(300)
    /// The most programs that are run, and the most names that are read.
    private static let (most, mostNames) = (64, 4096)
    /// The most bytes of output that are kept. Only the first line is shown.
    private static let outputLimit = 4096

    private var directory: String?
    private let timeout: Duration
    private let protected: [String]
    /// Called with a sentence about a program that failed.
    private let complain: (String) -> Void
    private var queue = CoalescingQueue<(Int) -> Message>()
    private var isRunning = false
    /// The last report about each program that failed, by its path. Removed when the program succeeds.
    private var said: [String: String] = [:]

    /// - Parameters:
    ///   - directory: an absolute path, which need not exist. The directory is read only when there is an
    ///     event. nil means no hooks.
    ///   - protected: the directories in which hooks of a service that is not root must not change anything.
    ///   - complain: called when a program was not run or has failed; not again while its problem stays the
    ///     same.
    public init(
        _ directory: String?, timeout: Duration = HookDirectory.timeout, protected: [String] = [],
        complain: @escaping (String) -> Void
    ) {
        self.directory = directory
        self.protected = protected
        self.timeout = timeout
        self.complain = complain
    }

    /// Changes the directory; nil means no hooks. The programs of the old directory still get the current
    /// event. Waiting events go to the programs of the new directory.
    public func move(to directory: String?) { self.directory = directory }

    /// Queues an event of an interface, without waiting.
    /// - Parameter message: creates the message when the event's turn comes. Its argument is the number of
    ///   earlier events of the same interface that this one has replaced.
    public func post(about interfaceRef: String, _ message: @escaping (_ dropped: Int) -> Message) {
        queue.post(message, about: interfaceRef)
        if !isRunning { runNextEvent() }
    }

    private func runNextEvent() {
        isRunning = false
        while let (message, dropped) = queue.next() {
            let programs = programs
            if programs.isEmpty { continue }
            isRunning = true
            return run(programs[...], message(dropped))
        }
    }

    /// Starts the first program that can be started. The others follow when it has ended.
    private func run(_ programs: ArraySlice<String>, _ message: Message) {
        var rest = programs
        while let path = rest.popFirst() {
            let others = rest
            if let problem = TrustedProgram.problem(of: path, owners: []) {
                note(path, "not run: \(problem.description)")
                continue
            }
            do throws(SystemError) {
                try start(path, message) { [weak self] in self?.run(others, message) }
                return
            } catch {
                note(path, "could not be run: \(error.description)")
            }
        }
        runNextEvent()
    }

    private func start(
        _ path: String, _ message: Message, then next: @escaping @MainActor () -> Void
    ) throws(SystemError) {
        var environment = CommandEnvironment.common
        environment.merge(message.variables) { $1 }
        let completion: @MainActor (ChildProcess.Ending, [UInt8]) -> Void = { [weak self] in
            self?.note(path, Self.description(for: $0, $1))
        }
        if UserAccount.ofProcess == 0 {
            try ChildProcess.start(
                path, arguments: [], environment: environment, input: message.input, timeout: timeout,
                outputLimit: Self.outputLimit, gone: { _ in next() }, completion: completion)
        } else {
            let program = SandboxedProgram(
                path, environment: environment, account: nil, input: message.input, protected: protected)
            try ChildProcess.start(
                program, timeout: timeout, outputLimit: Self.outputLimit, gone: { _ in next() },
                completion: completion)
        }
    }

    /// Reports a problem unless it was already reported. nil means that the program has succeeded.
    private func note(_ path: String, _ description: String?) {
        defer { said[path] = description }
        if let description, said[path] != description { complain(Self.description(path, description)) }
    }

    static func description(_ path: String, _ description: String) -> String {
        "the hook \(path): \(description)"
    }

    /// Describes how a program failed; nil if it has succeeded.
    static func description(for ending: ChildProcess.Ending, _ output: [UInt8]) -> String? {
        switch ending {
        case .exited(status: 0): nil
        case .exited(let status):
            "ended with status \(status)" + (CommandOutput.firstLine(of: output).map { ": \($0)" } ?? "")
        case .killed(let signal): "ended by signal \(signal)"
        case .timedOut: "did not end in time, and was ended"
        case .notStarted(let error): "could not be run: \(error.call): \(error.description)"
        case .lost(let error): "its result is not known: \(error.call): \(error.description)"
        }
    }

    // MARK: The directory

    /// The absolute paths of the programs, in the byte order of their names.
    private var programs: [String] {
        guard let directory else { return [] }
        let names = DirectoryListing.of(directory, atMost: Self.mostNames).filter(Self.isMeant)
        let inOrder = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        return Array(inOrder.map { "\(directory)/\($0)" }.filter(Self.isExecutable).prefix(Self.most))
    }

    /// Whether a name can be that of a hook: it is neither hidden nor a backup of an editor or of dpkg(1).
    private static func isMeant(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isLeftover = parts.dropFirst().contains { Substring($0).hasPrefix("dpkg-") }
        return name.utf8.first != UInt8(ascii: ".") && name.utf8.last != UInt8(ascii: "~") && !isLeftover
    }

    /// Whether a file has execute permission. A file without it, such as a README, is not a hook. For a
    /// symbolic link, the mode of the link itself counts: a link is reported and refused later.
    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
            && status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH) != 0
    }
}
