import Glibc

/// The signals that steer the program, delivered on the main actor.
@MainActor public final class SignalSources {
    private let sources: [MainQueueSource]

    /// The signals that `run` knows: TERM, INT, HUP, USR1, USR2 (signal(7)).
    nonisolated public static let all: [Int32] = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2]

    /// From now on each of these signals runs the handler, with its number, instead of its default action.
    ///
    /// Dispatch puts its own signal handler in place, but on a thread of its own and some time after the
    /// source is activated. Until then the default action is ignored and the signals are blocked here, so
    /// that one that comes in between is neither fatal nor lost (made on the main thread before others
    /// exist). This waits for it, which takes a fraction of a millisecond.
    public init(_ numbers: [Int32] = all, _ handler: @escaping @MainActor (Int32) -> Void) {
        var (blocked, before) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        for number in numbers { sigaddset(&blocked, number) }
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        for number in numbers where !Self.isCaught(number) { signal(number, SIG_IGN) }
        sources = numbers.map { number in MainQueueSource.signal(number) { handler(number) } }
        let end = BootClock.now() + Self.patience
        while !numbers.allSatisfy(Self.isCaught), BootClock.now() < end { sched_yield() }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// No handler runs after this; the signals have no effect then.
    public func cancel() { for source in sources { source.cancel() } }

    /// A second in nanoseconds: far beyond what Dispatch ever takes.
    private static let patience: Int64 = 1_000_000_000

    /// Whether the signal has a handler, rather than its default action or none (sigaction(2)).
    private static func isCaught(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0, let handler = action.__sigaction_handler.sa_handler else {
            return false
        }
        let ignore = 1
        return unsafeBitCast(handler, to: Int.self) != ignore
    }
}
