/// The event loop of the main thread. It sleeps in epoll_wait(2) until a descriptor is ready, another thread
/// sends a closure (``LoopInbox``), or the nearest deadline has passed.
///
/// The program runs the loop until the process ends. A test runs single turns of the same loop until the
/// expected event has happened.
///
/// All timers belong to the loop (``TimerSource``), including that of the schedule. Timers of Dispatch were
/// rejected. Their handlers need Dispatch's main queue, which only private functions of libdispatch can run
/// inside this loop, or Dispatch's thread pool. With a global queue, the pool wakes the process every second.
/// With a serial queue, the thread ends after five idle seconds, and each check starts a new one.
/// contrib/docs/PERFORMANCE.md has the costs.
@MainActor public enum EventLoop {
    private static var soonest: [@MainActor () -> Void] = []
    private static var ofNextTurn: [@MainActor () -> Void] = []
    /// The most closures that ``doSoonest()`` runs. It runs twice before the descriptors are checked again.
    private static let mostAtOnce = 1024
    /// The most closures for which memory is kept.
    private static let mostKept = 16
    static let poll = EpollSet()
    static let deadlines = LoopTimers()

    /// Runs the closure soon, but never inside this call.
    public static func soon(_ closure: @escaping @MainActor () -> Void) { soonest.append(closure) }

    /// Runs the closure after the handlers of all ready descriptors. Use it to split long work into parts.
    public static func nextTurn(_ closure: @escaping @MainActor () -> Void) { ofNextTurn.append(closure) }

    /// Prepares the loop. Call it before the first descriptor is watched.
    /// - Throws: the error of epoll_create1(2).
    public static func open() throws(SystemError) {
        if let error = poll.openingError { throw error }
    }

    /// Runs the loop until the process ends.
    public static func run() -> Never {
        // A one-shot command that never has to wait ends in this call.
        work()
        while true { turn() }
    }

    /// Waits until something is ready or due, for at most this time (nil: without limit), and runs its
    /// handlers.
    public static func turn(within limit: Duration? = nil) {
        let isIdle = soonest.isEmpty && ofNextTurn.isEmpty
        poll.wait(isIdle ? [deadlines.remaining(), limit].compactMap(\.self).min() : .zero)
        soonest += ofNextTurn
        ofNextTurn = []
        work()
    }

    /// Runs the queued closures, then the timers: an answer that has arrived is delivered before its
    /// time-out.
    private static func work() {
        doSoonest()
        deadlines.passed()
        doSoonest()
    }

    private static func doSoonest() {
        var count = 0
        while count < soonest.count, count < mostAtOnce {
            soonest[count]()
            count += 1
        }
        // Free the memory that the start of many interfaces needed.
        if count == soonest.count, count > mostKept { soonest = [] } else { soonest.removeFirst(count) }
    }
}
