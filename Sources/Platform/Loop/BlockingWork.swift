import Synchronization

/// Work that may sit in a system call for seconds, such as taking a driver off its device, beside the event loop.
///
/// Each piece has a thread (``WorkerThread``): while nothing is under way there is none.
@MainActor public enum BlockingWork {
    /// Pieces whose work has not ended, also those that nobody waits for any more.
    private static var underWay = 0
    private static var waiting: [@MainActor () -> Void] = []

    /// Whether a thread of ours may be inside the Swift runtime: whoever forks waits for the end
    /// (``afterwards(_:)``, ``ForkedProcess``).
    public static var isUnderWay: Bool { underWay > 0 }

    /// Runs the body on the event loop, never inside this call, as soon as nothing is under way.
    public static func afterwards(_ body: @escaping @MainActor () -> Void) {
        guard isUnderWay else { return EventLoop.soon(body) }
        waiting.append(body)
    }

    /// Runs `work` on another thread, then `done` on the event loop with what came of it, or with nil at the
    /// deadline; what comes later is dropped. `done` is called exactly once, never inside this call. The work itself
    /// cannot be ended: a process of which one thread sits in the kernel does not even end before that thread does.
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

    /// What the work comes to.
    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    /// Given once.
    @MainActor private final class Answer<Value: Sendable> {
        private var done: (@MainActor (Value?) -> Void)?
        private var timer: TimerSource?

        init(_ done: @escaping @MainActor (Value?) -> Void) { self.done = done }

        func expire(after timeout: Duration) {
            let (seconds, attoseconds) = timeout.components
            timer = TimerSource { self.give(nil) }
            timer?.schedule(
                atBootNanoseconds: BootClock.now() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
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
