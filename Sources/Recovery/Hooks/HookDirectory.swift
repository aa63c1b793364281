import Glibc
import Platform

/// The administrator's hooks, a directory of programs that are informed of events. They run one after the
/// other in the order of their names, and each event is finished before the next. Meanwhile only the latest
/// event of each interface waits.
///
/// Those of a service that runs as root have root's rights; those of a service that is not root have none of its capabilities, and cannot change
/// its own files (``SandboxedProgram``). Root must own each file and every directory on the path, and no other user
/// may write them (``TrustedProgram``). They run in their own process groups, with the event on
/// standard input and standard error on /dev/null, and are terminated at their deadline (TERM, then KILL to
/// the group after ``ChildProcess/grace``). No decision depends on their results.
@MainActor public final class HookDirectory {
    /// The input of a program.
    public struct Message: Sendable {
        /// On standard input.
        public var input: [UInt8]
        /// In its environment, in addition to PATH and LANG.
        public var variables: [String: String]

        public init(input: [UInt8], variables: [String: String]) {
            self.input = input
            self.variables = variables
        }
    }

    /// For one program and one event.
    public static let timeout: Duration = .seconds(30)
    /// The most programs that are run, and the most names that are read.
    private static let (most, mostNames) = (64, 4096)
    /// More than the line that is shown.
    private static let outputLimit = 4096

    private var directory: String?
    private let timeout: Duration
    private let protected: [String]
    /// Called with a sentence about a program, by its path.
    private let complain: (String) -> Void
    private var queue = CoalescingQueue<(Int) -> Message>()
    private var isRunning = false
    /// The last complaint about each program that failed, until it succeeds.
    private var said: [String: String] = [:]

    /// - Parameters:
    ///   - directory: absolute. It need not exist, and is read only when there is an event. nil: no hooks.
    ///   - protected: what the programs of a service that is not root may not change.
    ///   - complain: called for a program that was not run or failed, once until it succeeds.
    public init(
        _ directory: String?, timeout: Duration = HookDirectory.timeout, protected: [String] = [],
        complain: @escaping (String) -> Void
    ) {
        self.directory = directory
        self.protected = protected
        self.timeout = timeout
        self.complain = complain
    }

    /// Changes the directory; nil: no hooks. The programs of the old one still receive the current event, so
    /// that only one event runs at a time; waiting events go to the programs of the new one.
    public func move(to directory: String?) { self.directory = directory }

    /// Queues an event of a subject. Does not wait.
    /// - Parameter message: makes the message when it is its turn; receives the number of earlier events of
    ///   the same subject that it replaced.
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

    /// Starts the first program that can be started; the others follow after it has ended.
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

    /// Reports it, unless it was the last report; nil: the program has succeeded.
    private func note(_ path: String, _ description: String?) {
        defer { said[path] = description }
        if let description, said[path] != description { complain("the hook \(path): \(description)") }
    }

    /// nil: it succeeded.
    private static func description(for ending: ChildProcess.Ending, _ output: [UInt8]) -> String? {
        switch ending {
        case .exited(status: 0): nil
        case .exited(let status):
            "ended with status \(status)" + (CommandOutput.firstLine(of: output).map { ": \($0)" } ?? "")
        case .killed(let signal): "ended by signal \(signal)"
        case .timedOut: "did not end in time, and is ended"
        case .notStarted(let error), .lost(let error): "\(error.call): \(error.description)"
        }
    }

    // MARK: The directory

    /// Absolute paths, in the order of their names' bytes.
    private var programs: [String] {
        guard let directory else { return [] }
        let names = DirectoryListing.of(directory, atMost: Self.mostNames).filter(Self.isMeant)
        let inOrder = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        return Array(inOrder.map { "\(directory)/\($0)" }.filter(Self.isExecutable).prefix(Self.most))
    }

    /// Neither hidden nor a backup of an editor or of dpkg(1).
    private static func isMeant(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isLeftover = parts.dropFirst().contains { Substring($0).hasPrefix("dpkg-") }
        return name.utf8.first != UInt8(ascii: ".") && name.utf8.last != UInt8(ascii: "~") && !isLeftover
    }

    /// A file without execute permission, such as a README, is not a hook. For a symbolic link its own mode
    /// counts: it is reported and refused.
    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
            && status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH) != 0
    }
}
