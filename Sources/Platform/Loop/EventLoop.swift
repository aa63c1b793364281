import CLinux
import Dispatch
import Glibc

/// The event loop: one thread that sleeps in epoll_wait(2) until a descriptor is ready, the nearest deadline
/// has passed, or Dispatch's main queue has work.
///
/// Dispatch would run its main queue, and each source on it, with threads that wake one another: three times
/// the context switches and twice the system calls of this loop. Dispatch still runs the timer of the
/// schedule (``ScheduleTimer``), and its main queue is run here as CFRunLoop would do it
/// (``DispatchHandle``).
@MainActor public enum EventLoop {
    private static var soonest: [@MainActor () -> Void] = []
    /// The most closures that run before the loop checks the descriptors again.
    private static let mostAtOnce = 1024
    /// Room that is kept for closures.
    private static let mostKept = 16
    private static var host: EventLoopHost? = EventLoopHost()
    static var isOurs: Bool { host == nil }
    static let poll = EpollSet()
    static let deadlines = LoopTimers()

    /// From now on ``run()`` drives the loop of this process. Otherwise it runs inside Dispatch's main queue,
    /// as in the test program.
    public static func prepare() { host = nil }

    /// Runs the closure soon, never inside this call.
    public static func soon(_ closure: @escaping @MainActor () -> Void) {
        soonest.append(closure)
        rearrange()
    }

    /// Runs the loop until the process ends.
    public static func run() -> Never {
        work()
        // Not earlier: a one-shot that never has to wait ends before Dispatch is needed.
        DispatchHandle.watch()
        while true {
            poll.wait(soonest.isEmpty ? deadlines.remaining() : .zero)
            work()
        }
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

    /// One turn within Dispatch's main queue.
    /// - Parameter meetsDeadlines: also run what is due. That queue may be so long that a receiver has not
    ///   got its answer when its next deadline passes: only the timer's own turn comes after it.
    static func turn(meetsDeadlines: Bool) {
        poll.wait(.zero)
        if meetsDeadlines { work() } else { doSoonest() }
        rearrange()
    }

    /// The earliest deadline has changed.
    static func rearrange() {
        guard let host else { return }
        host.wake(isAtOnce: !soonest.isEmpty || poll.isNeverIdle, at: deadlines.nearest, poll)
    }
}
