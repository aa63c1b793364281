import Synchronization

/// Runs work that may block in a system call for seconds, such as unbinding a driver, without blocking the
/// event loop.
///
/// Each piece of work has a thread of its own (``WorkerThread``), but there is only one thread at a time for
/// each resource. Otherwise, if a driver hung, each attempt to use its device would block one more thread.
/// While there is no work, there is no thread.
@MainActor public enum BlockingWork {
    /// Why work has no result.
    public enum Problem: Error, Equatable, Sendable {
        /// The work had not ended by its deadline, or an earlier piece for the same resource had not, so that
        /// the work was not begun.
        case late
        /// The work was not begun, because no thread could be created.
        case noThread(SystemError)
    }

    /// The number of pieces of work that have not ended. Pieces that have timed out are included.
    private static var underWay = 0
    private static var waiting: [@MainActor () -> Void] = []
    /// For each resource that has a piece of work under way: the pieces that follow it.
    private static var resources: [String: [Successor]] = [:]

    /// A piece of work that begins when the earlier one has ended.
    private struct Successor {
        /// Whether its deadline has not passed yet.
        let isDue: @MainActor () -> Bool
        let start: @MainActor () -> Void
    }

    /// Whether a thread of this process may be inside the Swift runtime. If so, wait before a fork
    /// (``afterwards(_:)``, ``ForkedProcess``).
    public static var isUnderWay: Bool { underWay > 0 }

    /// Runs the body on the event loop when no work is under way; never inside this call.
    public static func afterwards(_ body: @escaping @MainActor () -> Void) {
        guard !isUnderWay else { return waiting.append(body) }
        // What runs before the body in the same turn may begin new work.
        EventLoop.soon { isUnderWay ? afterwards(body) : body() }
    }

    /// Runs `work` on another thread, then `done` on the event loop: with the result, or with a problem, at
    /// the deadline at the latest. A later result is dropped. `done` is called exactly once, and never inside
    /// this call. The work itself cannot be stopped: a process with a thread inside the kernel cannot even
    /// exit before that thread returns.
    /// - Parameters:
    ///   - resource: what the work may wait for, such as a device. The work begins when earlier work for the
    ///     same resource has ended, and never if that is after the deadline. nil: the work begins at once.
    ///   - timeout: the time until the deadline, from this call.
    public static func perform<Value: Sendable>(
        on resource: String? = nil, within timeout: Duration, _ work: @escaping @Sendable () -> Value,
        _ done: @escaping @MainActor (Result<Value, Problem>) -> Void
    ) {
        let answer = Answer(done)
        answer.expire(after: timeout)
        guard let resource, var successors = resources[resource] else {
            if let resource { resources[resource] = [] }
            return start(work, on: resource, answer)
        }
        // While the earlier work hangs, successors whose deadline has passed must not pile up.
        successors.removeAll { !$0.isDue() }
        let successor = Successor(isDue: { answer.isAwaited }, start: { start(work, on: resource, answer) })
        resources[resource] = successors + [successor]
    }

    private static func start<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value, on resource: String?, _ answer: Answer<Value>
    ) {
        underWay += 1
        let result = Outcome<Value>()
        do throws(SystemError) {
            try WorkerThread.run {
                result.value.withLock { $0 = .success(work()) }
            } ended: {
                answer.give(result.value.withLock { $0 })
                ended(on: resource)
            }
        } catch {
            EventLoop.soon {
                answer.give(.failure(.noThread(error)))
                ended(on: resource)
            }
        }
    }

    private static func ended(on resource: String?) {
        if let resource, let successors = resources[resource] {
            let due = successors.drop { !$0.isDue() }
            resources[resource] = due.isEmpty ? nil : Array(due.dropFirst())
            due.first?.start()
        }
        underWay -= 1
        guard !isUnderWay else { return }
        let bodies = waiting
        waiting = []
        for body in bodies { afterwards(body) }
    }

    /// The result of the work, shared by two threads.
    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Result<Value, Problem>>(.failure(.late))
    }

    /// Delivers the result at most once.
    @MainActor private final class Answer<Value: Sendable> {
        private var done: (@MainActor (Result<Value, Problem>) -> Void)?
        private var timer: TimerSource?
        var isAwaited: Bool { done != nil }

        init(_ done: @escaping @MainActor (Result<Value, Problem>) -> Void) { self.done = done }

        func expire(after timeout: Duration) {
            timer = TimerSource { self.give(.failure(.late)) }
            timer?.schedule(after: timeout)
        }

        func give(_ result: Result<Value, Problem>) {
            timer?.cancel()
            timer = nil
            let done = done
            self.done = nil
            done?(result)
        }
    }
}
