/// The event loop: one thread that sleeps in epoll_wait(2) until a descriptor is ready, another thread has
/// something for it (``LoopInbox``), or the nearest deadline has passed.
///
/// The program runs it for ever on its main thread; a test turns the same loop until what it waits for has
/// happened.
///
/// It keeps all timers itself (``TimerSource``), the one of the schedule too, since what a timer of Dispatch
/// costs has been measured (contrib/docs/PERFORMANCE.md). Its handler runs on the main queue or on a thread
/// of Dispatch's pool. Nothing but libdispatch's private functions, or CoreFoundation, runs the main queue in
/// a loop of another's. The pool wakes the process every second for ever once it was used by way of a global
/// queue; a serial queue avoids that, but its thread ends after five seconds without work, so that each check
/// starts a thread.
@MainActor public enum EventLoop {
    private static var soonest: [@MainActor () -> Void] = []
    /// The most closures that run before the loop checks the descriptors again.
    private static let mostAtOnce = 1024
    /// Room that is kept for closures.
    private static let mostKept = 16
    static let poll = EpollSet()
    static let deadlines = LoopTimers()

    /// Runs the closure soon, never inside this call.
    public static func soon(_ closure: @escaping @MainActor () -> Void) { soonest.append(closure) }

    /// Runs the loop until the process ends.
    public static func run() -> Never {
        // A one-shot that never has to wait ends here.
        work()
        while true { turn() }
    }

    /// Waits until something is ready or due, at most this long (nil: for ever), and runs it.
    public static func turn(within limit: Duration? = nil) {
        poll.wait(soonest.isEmpty ? [deadlines.remaining(), limit].compactMap(\.self).min() : .zero)
        work()
    }

    /// Runs what is queued, then what is due: an answer that has arrived is delivered before its time-out.
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
        // Free the room that the start of many interfaces needed.
        if count == soonest.count, count > mostKept { soonest = [] } else { soonest.removeFirst(count) }
    }
}
