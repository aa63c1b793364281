import Dispatch
import Glibc

/// A thread for one piece of work that may block in a system call for seconds. There is none while nothing is
/// under way.
///
/// It is not one of Dispatch's: once its pool has had a thread, libdispatch checks it once a second for as
/// long as the process lives (`_dispatch_workq_init_once`, src/event/workqueue.c), which would wake a service
/// with an interval of a minute sixty times.
@MainActor public enum WorkerThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        let ended: @MainActor () -> Void

        init(_ body: @escaping @Sendable () -> Void, _ ended: @escaping @MainActor () -> Void) {
            (self.body, self.ended) = (body, ended)
        }
    }

    /// Runs `work` on a new thread, and `ended` on the event loop when that thread has ended. If no thread
    /// can be created (EAGAIN, pthread_create(3)), the calling thread does the work, within this call.
    public static func run(_ work: @escaping @Sendable () -> Void, ended: @escaping @MainActor () -> Void) {
        let work = Unmanaged.passRetained(Work(work, ended))
        guard !start(work) else { return }
        let inHere = work.takeRetainedValue()
        inHere.body()
        EventLoop.soon { inHere.ended() }
    }

    // Not isolated to the main actor, since it starts the new thread.
    nonisolated private static func start(_ work: Unmanaged<Work>) -> Bool {
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        // A signal must interrupt only the loop.
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        return pthread_create(&thread, nil, { WorkerThread.main($0) }, work.toOpaque()) == 0
    }

    nonisolated private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        work.body()
        let thread = pthread_self()
        DispatchQueue.main.async {
            // The thread has nothing left to do, so this does not wait.
            pthread_join(thread, nil)
            MainActor.assumeIsolated { work.ended() }
        }
        return nil
    }
}
