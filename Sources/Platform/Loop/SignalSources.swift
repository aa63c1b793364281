import CLinux
import Glibc

/// Handles the signals that control the program, on the main actor.
///
/// A signal handler writes the number of the signal into a pipe that the event loop reads. The signal sources
/// of Dispatch are no alternative: they install their handler later and on another thread, and until then a
/// signal is fatal or lost.
@MainActor public final class SignalSources {
    private let numbers: [Int32]
    /// The write end of the pipe; nil until the signals are connected.
    private var writing: Int32?
    private let handler: @MainActor (Int32) -> Void
    private var source: EventSource?
    private var isReleased = false

    /// The signals that the command `run` handles (signal(7)).
    nonisolated public static let all: [Int32] = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2]

    /// The signals that end a command. A program started by nohup(1) ignores SIGHUP, and must go on to do so.
    nonisolated public static var ending: [Int32] {
        [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP])
    }

    nonisolated private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // A Swift function cannot be compared with SIG_IGN, whose address is 1 (signal.h).
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Calls the handler with the number of each of these signals, instead of their default actions.
    /// - Parameter atOnce: false for a process that may end before it has to wait for anything. The kernel
    ///   then keeps the signals until ``start()`` is called (sigprocmask(2)). There must be no other thread:
    ///   it would receive them.
    /// - Throws: the error of pipe2(2).
    public init(
        _ numbers: [Int32] = all, atOnce: Bool = true, _ handler: @escaping @MainActor (Int32) -> Void
    ) throws(SystemError) {
        self.numbers = numbers
        self.handler = handler
        if atOnce { try connect() } else { mask(SIG_BLOCK) }
    }

    /// Handles the signals that have arrived since the object was created, and later ones.
    /// - Throws: the error of pipe2(2).
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

    /// Leaves the signals to their default actions, also those that have arrived. Call this instead of
    /// ``start()``.
    public func release() {
        isReleased = true
        mask(SIG_UNBLOCK)
    }

    /// Stops handling. From then on the signals are ignored.
    public func cancel() {
        if isReleased { return }
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

    /// The signals since the last call, each once, in the order of their arrival.
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

/// The data of the signal handler: a table of descriptors that is never moved or freed.
private enum SignalPipe {
    /// One more than the highest signal of Linux (_NSIG, signal(7)).
    private static let count = 65

    /// The descriptor for each signal; -1 if there is none. Each entry is one word of memory, written before
    /// the handler is installed. A signal handler may read it (signal-safety(7)).
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
            // A full pipe already reports enough signals. The interrupted code must find its errno unchanged.
            let interrupted = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(SignalPipe.descriptors[Int(number)], &byte, 1)
            errno = interrupted
        }
        action.sa_flags = SA_RESTART
        sigemptyset(&action.sa_mask)
        sigaction(number, &action, nil)
    }

    /// Stops the handler of a signal, unless another object handles the signal by now.
    static func disconnect(_ number: Int32, from descriptor: Int32) {
        guard descriptors[Int(number)] == descriptor else { return }
        signal(number, SIG_IGN)
        descriptors[Int(number)] = -1
    }
}
