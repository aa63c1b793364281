import Synchronization

/// Work that may block in a system call for seconds, such as unbinding a driver, beside the event loop.
///
/// Each piece has a thread (``WorkerThread``): there is none while nothing is under way.
@MainActor public enum BlockingWork {
    /// Pieces of work that have not ended, also those whose result is not wanted any more.
    private static var underWay = 0
    private static var waiting: [@MainActor () -> Void] = []

    /// Whether a thread of this process may be inside the Swift runtime: before a fork, wait for the end
    /// (``afterwards(_:)``, ``ForkedProcess``).
    public static var isUnderWay: Bool { underWay > 0 }

    /// Runs the body on the event loop, never inside this call, as soon as nothing is under way.
    public static func afterwards(_ body: @escaping @MainActor () -> Void) {
        guard isUnderWay else { return EventLoop.soon(body) }
        waiting.append(body)
    }

    /// Runs `work` on another thread, then `done` on the event loop with the result, or with nil at the
    /// deadline; a later result is dropped. `done` is called exactly once, never inside this call. The work
    /// itself cannot be ended: a process with a thread inside the kernel does not even exit before that
    /// thread returns.
    public static func perform<Value: Sendable>(
        within timeout: Duration, _ work: @escaping @Sendable () -> Value,
        _ done: @escaping @MainActor (Value?) -> Void
    ) {
        let answer = Answer(done)
        answer.expire(after: timeout)
        underWay += 1
        let result = Outcome<Value>()
        WorkerThread.run {
            result.value.withLock { $0 = work() }
        } ended: {
            answer.give(result.value.withLock { $0 })
            ended()
        }
    }

    private static func ended() {
        underWay -= 1
        guard !isUnderWay else { return }
        let bodies = waiting
        waiting = []
        for body in bodies { afterwards(body) }
    }

    /// The result of the work.
    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    /// Delivers the result once.
    @MainActor private final class Answer<Value: Sendable> {
        private var done: (@MainActor (Value?) -> Void)?
        private var timer: TimerSource?

        init(_ done: @escaping @MainActor (Value?) -> Void) { self.done = done }

        func expire(after timeout: Duration) {
            timer = TimerSource { self.give(nil) }
            timer?.schedule(after: timeout)
        }

        func give(_ value: Value?) {
            timer?.cancel()
            timer = nil
            let done = done
            self.done = nil
            done?(value)
        }
    }
}
