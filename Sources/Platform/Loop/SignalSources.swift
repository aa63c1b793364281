import CLinux
import Glibc

/// The signals that control the program, delivered on the main actor.
///
/// A signal handler writes the signal's number into a pipe that the event loop reads. Dispatch's signal
/// sources install their handler on another thread and some time later: until then a signal is fatal or lost.
@MainActor public final class SignalSources {
    private let numbers: [Int32]
    /// nil: not started yet.
    private var writing: Int32?
    private let handler: @MainActor (Int32) -> Void
    private var source: EventSource?

    /// The signals that `run` handles: TERM, INT, HUP, USR1, USR2 (signal(7)).
    nonisolated public static let all: [Int32] = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2]

    /// From now on each of these signals runs the handler, with its number, instead of its default action.
    /// - Parameter atOnce: false: the kernel keeps them until ``start()`` (sigprocmask(2)), for a process
    ///   that may end before it has to wait for anything. Call it while there is no other thread, which would
    ///   get them.
    /// - Throws: no pipe could be made (pipe(2)).
    public init(
        _ numbers: [Int32] = all, atOnce: Bool = true, _ handler: @escaping @MainActor (Int32) -> Void
    ) throws(SystemError) {
        self.numbers = numbers
        self.handler = handler
        if atOnce { try connect() } else { mask(SIG_BLOCK) }
    }

    /// Runs the handler for signals since the beginning, and for later ones.
    /// - Throws: no pipe could be made (pipe(2)).
    public func start() throws(SystemError) {
        guard writing == nil else { return }
        try connect()
        mask(SIG_UNBLOCK)
    }

    private func connect() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        try check("pipe2") { pipe2(&ends, O_CLOEXEC | O_NONBLOCK) }
        let (reading, writing) = (ends[0], ends[1])
        self.writing = writing
        for number in numbers { SignalPipe.connect(number, to: writing) }
        source = EventSource.reading(reading, owning: true) { [handler] in
            for number in Self.drain(reading) { handler(number) }
        }
    }

    private func mask(_ change: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        sigprocmask(change, &set, nil)
    }

    /// No handler runs after this; the signals are ignored then.
    public func cancel() {
        if let writing {
            for number in numbers { SignalPipe.disconnect(number, from: writing) }
            source?.cancel()
        } else {
            for number in numbers { signal(number, SIG_IGN) }
            mask(SIG_UNBLOCK)
        }
    }

    isolated deinit {
        cancel()
        if let writing { close(writing) }
    }

    /// The signals since the last call, each once, in the order of arrival.
    private static func drain(_ descriptor: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        var numbers: [Int32] = []
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return numbers }
            for number in bytes[..<count].map(Int32.init) where !numbers.contains(number) {
                numbers.append(number)
            }
        }
    }
}

/// What the signal handler accesses: a table of descriptors, which is never moved and never freed.
private enum SignalPipe {
    /// One more than the highest signal of Linux (_NSIG, signal(7)).
    private static let count = 65

    /// The descriptor for each signal, -1 for none. A word of memory each, written before the handler is
    /// installed and read only by it, which a signal handler may do (signal-safety(7)).
    nonisolated(unsafe) private static let descriptors: UnsafeMutablePointer<Int32> = {
        let table = UnsafeMutablePointer<Int32>.allocate(capacity: count)
        table.initialize(repeating: -1, count: count)
        return table
    }()

    static func connect(_ number: Int32, to descriptor: Int32) {
        let table = descriptors
        table[Int(number)] = descriptor
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            // A full pipe already holds enough signals; errno must not change for the interrupted code.
            let interrupted = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(SignalPipe.descriptors[Int(number)], &byte, 1)
            errno = interrupted
        }
        action.sa_flags = SA_RESTART
        sigemptyset(&action.sa_mask)
        sigaction(number, &action, nil)
    }

    /// Does nothing if another source handles the signal by now.
    static func disconnect(_ number: Int32, from descriptor: Int32) {
        guard descriptors[Int(number)] == descriptor else { return }
        signal(number, SIG_IGN)
        descriptors[Int(number)] = -1
    }
}
