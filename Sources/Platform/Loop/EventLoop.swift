/// The event loop: one thread that sleeps in epoll_wait(2) until a descriptor is ready, another thread has
/// something for it (``LoopInbox``), or the nearest deadline has passed.
///
/// The program runs it for ever on its main thread; a test turns the same loop until what it waits for has
/// happened.
///
/// It keeps all timers itself (``TimerSource``), that of the schedule too. The handler of a Dispatch timer
/// would run on Dispatch's main queue, which only private functions of libdispatch can run within this loop,
/// or on a thread of Dispatch's pool. On a global queue, that pool wakes the process every second for ever;
/// on a serial queue, its thread ends after five seconds without work, and each check starts another one.
/// contrib/docs/PERFORMANCE.md has what each of these costs.
@MainActor public enum EventLoop {
    private static var soonest: [@MainActor () -> Void] = []
    private static var ofNextTurn: [@MainActor () -> Void] = []
    /// The most closures that run before the loop checks the descriptors again.
    private static let mostAtOnce = 1024
    /// Room that is kept for closures.
    private static let mostKept = 16
    static let poll = EpollSet()
    static let deadlines = LoopTimers()

    /// Runs the closure soon, never inside this call.
    public static func soon(_ closure: @escaping @MainActor () -> Void) { soonest.append(closure) }

    /// Runs the closure after every descriptor that is ready has had its turn: for the next part of long work.
    public static func nextTurn(_ closure: @escaping @MainActor () -> Void) { ofNextTurn.append(closure) }

    /// Opens what the loop sleeps in, before anything is to be watched.
    /// - Throws: epoll_create1(2) has failed.
    public static func open() throws(SystemError) {
        if let error = poll.openingError { throw error }
    }

    /// Runs the loop until the process ends.
    public static func run() -> Never {
        // A one-shot that never has to wait ends here.
        work()
        while true { turn() }
    }

    /// Waits until something is ready or due, at most this long (nil: for ever), and runs it.
    public static func turn(within limit: Duration? = nil) {
        let isIdle = soonest.isEmpty && ofNextTurn.isEmpty
        poll.wait(isIdle ? [deadlines.remaining(), limit].compactMap(\.self).min() : .zero)
        soonest += ofNextTurn
        ofNextTurn = []
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
