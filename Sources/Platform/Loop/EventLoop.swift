import CLinux
import Dispatch
import Glibc

/// The event loop: one thread that sleeps in epoll_wait(2) until a descriptor is ready, the nearest deadline has
/// passed, or Dispatch's main queue has work.
///
/// Dispatch would serve its main queue, and each source on it, with threads that wake one another: three times the
/// context switches and twice the system calls of this. It keeps the clock of the schedule (``ScheduleTimer``), and hands
/// its main queue over as it does to CFRunLoop (``DispatchHandle``).
@MainActor public enum EventLoop {
    private static var soonest: [@MainActor () -> Void] = []
    /// What the loop does one after the other before it looks at the descriptors again.
    private static let mostAtOnce = 1024
    /// For so many it keeps room.
    private static let mostKept = 16
    private static var host: EventLoopHost? = EventLoopHost()
    static var isOurs: Bool { host == nil }
    static let poll = EpollSet()
    static let deadlines = LoopTimers()

    /// From now on the loop is this process's own, to be served by ``run()``. Otherwise whoever serves Dispatch's main
    /// queue serves it, such as a program of tests.
    public static func prepare() { host = nil }

    /// Runs the closure soon, never inside this call.
    public static func soon(_ closure: @escaping @MainActor () -> Void) {
        soonest.append(closure)
        rearrange()
    }

    /// Serves the loop until the process ends.
    public static func run() -> Never {
        work()
        // Not earlier: a one-shot that never has to wait is over before Dispatch is needed.
        DispatchHandle.watch()
        while true {
            poll.wait(soonest.isEmpty ? deadlines.remaining() : .zero)
            work()
        }
    }

    /// What waits for nothing, and what is due: an answer that is there is given before its time is said to be over.
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
        // The start of many interfaces leaves room that nothing needs again.
        if count == soonest.count, count > mostKept { soonest = [] } else { soonest.removeFirst(count) }
    }

    /// One turn within somebody else's main queue.
    /// - Parameter meetsDeadlines: what is due is done, too. That queue may be so long that whoever was told something has
    ///   not heard it when his next deadline passes: only the timer's own turn comes behind him.
    static func turn(meetsDeadlines: Bool) {
        poll.wait(.zero)
        if meetsDeadlines { work() } else { doSoonest() }
        rearrange()
    }

    /// There is something else to wait for.
    static func rearrange() {
        guard let host else { return }
        host.wake(isAtOnce: !soonest.isEmpty || poll.isNeverIdle, at: deadlines.nearest, poll)
    }
}
