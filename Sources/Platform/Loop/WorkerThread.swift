import Glibc
import Model

/// Runs a piece of work that may block in a system call for seconds on a thread of its own. While there is no
/// work, there is no thread.
@MainActor public enum WorkerThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        let ended: @MainActor () -> Void
        let inbox: LoopInbox

        init(
            _ body: @escaping @Sendable () -> Void, _ ended: @escaping @MainActor () -> Void,
            _ inbox: LoopInbox
        ) {
            (self.body, self.ended, self.inbox) = (body, ended, inbox)
        }
    }

    /// Runs `work` on a new thread, and `ended` on the event loop after that thread has ended.
    /// - Throws: no thread can be created: the error of pthread_create(3), such as EAGAIN, or of eventfd(2).
    ///   Then neither of the two runs: work that blocks would stop the event loop.
    public static func run(
        _ work: @escaping @Sendable () -> Void, ended: @escaping @MainActor () -> Void
    ) throws(SystemError) {
        try start(Work(work, ended, try LoopInbox.open()))
    }

    // Not isolated to the main actor, because the new thread starts in this context.
    nonisolated private static func start(_ work: Work) throws(SystemError) {
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        // Block all signals in the new thread: they must interrupt only the event loop.
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(work)
        let code = pthread_create(&thread, nil, { WorkerThread.main($0) }, argument.toOpaque())
        guard code != 0 else { return }
        argument.release()
        throw SystemError(call: "pthread_create", code: code)
    }

    nonisolated private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        work.body()
        let thread = pthread_self()
        work.inbox.post {
            // The thread has nothing left to do, so this does not block.
            pthread_join(thread, nil)
            work.ended()
        }
        return nil
    }
}

extension Failure {
    /// The failure of work that was not begun because there was no thread for it. There is nothing to undo.
    public static func noThread(_ error: SystemError) -> Failure {
        Failure(kind: .unavailable, code: error.code, description: "\(error.call): \(error.description)")
    }
}
