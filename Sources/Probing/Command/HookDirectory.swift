import Glibc
import Model
import Platform

/// The administrator's programs that are told of events, in a directory: one after the other in the order of
/// their names, each event to its end before the next. What comes meanwhile waits, of each interface the
/// latest alone.
///
/// They run with our powers, so each file, and every directory on the way there, must be root's and nobody
/// else's to write (``TrustedProgram``). They have a process group of their own, the event as standard input,
/// and standard error on /dev/null, and are ended when their time is over (TERM, then KILL to the group after
/// ``ChildProcess/grace``). However they end, nothing depends on it.
@MainActor public final class HookDirectory {
    /// What a program is told.
    public struct Message: Sendable {
        /// On standard input.
        public var input: [UInt8]
        /// In its environment, beside PATH and LANG.
        public var variables: [String: String]

        public init(input: [UInt8], variables: [String: String]) {
            self.input = input
            self.variables = variables
        }
    }

    /// For one program and one event.
    public static let timeout: Duration = .seconds(30)
    /// More are not run, and so many names are read at most.
    private static let (most, mostNames) = (64, 4096)
    /// More than a line that is shown.
    private static let outputLimit = 4096

    private var directory: String?
    private let timeout: Duration
    /// Is told a sentence about a program, by its path.
    private let complain: (String) -> Void
    private var queue = CoalescingQueue<(Int) -> Message>()
    private var isRunning = false
    /// What was said last of each program that has failed since it last did not.
    private var said: [String: String] = [:]

    /// - Parameters:
    ///   - directory: absolute. It need not be there, and is looked at only when there is an event. nil:
    ///     nobody is told.
    ///   - complain: is told of a program that was not run or failed, once until it succeeds.
    public init(
        _ directory: String?, timeout: Duration = HookDirectory.timeout, complain: @escaping (String) -> Void
    ) {
        self.directory = directory
        self.timeout = timeout
        self.complain = complain
    }

    /// From now on it is another directory; nil: nobody is told. An event that is being told goes on to the
    /// programs of the old one, so that there still is one at a time; what waits is for those of the new one.
    public func move(to directory: String?) { self.directory = directory }

    /// Something happened to a subject. Nothing is waited for.
    /// - Parameter message: makes it, when its time has come; is given how many events of the same subject it
    ///   took the place of.
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

    /// Starts the first of them that can be started; the others follow when it is gone.
    private func run(_ programs: ArraySlice<String>, _ message: Message) {
        var rest = programs
        while let path = rest.popFirst() {
            let others = rest
            if let problem = TrustedProgram.problem(of: path, owners: []) {
                note(path, "not run: \(problem.words)")
                continue
            }
            do throws(SystemError) {
                try start(path, message) { [weak self] in self?.run(others, message) }
                return
            } catch {
                note(path, "could not be run: \(error.words)")
            }
        }
        runNextEvent()
    }

    private func start(
        _ path: String, _ message: Message, then next: @escaping @MainActor () -> Void
    ) throws(SystemError) {
        var environment = CommandProbes.commonEnvironment
        environment.merge(message.variables) { $1 }
        try ChildProcess.start(
            path, arguments: [], environment: environment, input: message.input, timeout: timeout,
            outputLimit: Self.outputLimit, gone: { _ in next() },
            completion: { [weak self] in self?.note(path, Self.words(for: $0, $1)) })
    }

    /// Says it, unless it was what was said last; nil: all is well again.
    private func note(_ path: String, _ words: String?) {
        defer { said[path] = words }
        if let words, said[path] != words { complain("the hook \(path): \(words)") }
    }

    /// nil: it did what it should.
    private static func words(for ending: ChildProcess.Ending, _ output: [UInt8]) -> String? {
        switch ending {
        case .exited(status: 0): nil
        case .exited(let status):
            "ended with status \(status)" + (CommandOutput.firstLine(of: output).map { ": \($0)" } ?? "")
        case .killed(let signal): "ended by signal \(signal)"
        case .timedOut: "did not end in time, and is ended"
        case .notStarted(let error), .lost(let error): "\(error.call): \(error.words)"
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

    /// Neither hidden nor what editors and dpkg(1) leave behind.
    private static func isMeant(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isLeftover = parts.dropFirst().contains { Substring($0).hasPrefix("dpkg-") }
        return name.utf8.first != UInt8(ascii: ".") && name.utf8.last != UInt8(ascii: "~") && !isLeftover
    }

    /// What is not, such as a README, is not meant to be run. Of a link its own mode counts: it is named, and
    /// refused.
    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
            && status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH) != 0
    }
}
