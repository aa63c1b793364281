import Dispatch
import Model
import Platform
import Synchronization

/// Runs requests to the kernel one after the other and returns their results on the event loop.
@MainActor
final class RequestQueue {
    /// How long the kernel may take for a request.
    enum Effort: Sendable {
        /// The kernel only reads its tables.
        case nonBlocking
        /// The kernel waits for a driver, or reads much.
        case blocking
    }

    /// A request that a thread works on, or that waits for it.
    private struct Pending {
        var deadline: DispatchTime
        /// Called once, with the failure of the queue; nil: the work has ended.
        var done: @MainActor (Failure?) -> Void
    }

    /// A piece of work that runs alone.
    private enum Job {
        case blocking(@Sendable () -> Void, _ ended: @MainActor (Failure?) -> Void)
        case idle(@MainActor () -> Void)
    }

    private final class Answer<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, Failure>?>(nil)
    }

    private let hasThread: Bool
    /// Fires at the nearest deadline; nil without a thread.
    private var alarm: TimerSource?
    private var pending: [UInt64: Pending] = [:]
    private var count: UInt64 = 0
    private var jobs: [Job] = []
    /// Whether a thread is working, possibly for a request that has timed out already.
    private var isAtWork = false
    /// Whether the last work took long. A driver whose firmware hangs delays even the requests that read: then
    /// the next request has a thread, too.
    private var isSlow = false
    private static let long: Duration = .milliseconds(100)

    init(_ place: NetlinkCommands.Place) {
        hasThread = place == .ownThread
        if hasThread { alarm = TimerSource { [weak self] in self?.failOverdue() } }
    }

    /// Runs `work`, possibly inside this call. Then calls `done` on the event loop, exactly once and never
    /// inside this call. With a thread, `done` is called at the deadline at the latest, and a later result is
    /// dropped.
    func perform<Value: Sendable>(
        _ effort: Effort, within timeout: Duration,
        _ work: @escaping @Sendable (_ deadline: DispatchTime) throws(Failure) -> Value,
        _ done: @escaping @MainActor (Result<Value, Failure>) -> Void
    ) {
        let answer = Answer<Value>()
        run(
            effort, within: timeout,
            { deadline in
                let result = Result { () throws(Failure) in try work(deadline) }
                answer.result.withLock { $0 = result }
            },
            { failure in
                let answered = answer.result.withLock { $0 }
                guard let result = failure.map(Result.failure) ?? answered else { return }
                done(result)
            })
    }

    /// As `perform`, but without the type of the result: the compiler copies a generic function for each
    /// type.
    private func run(
        _ effort: Effort, within timeout: Duration, _ work: @escaping @Sendable (DispatchTime) -> Void,
        _ done: @escaping @MainActor (Failure?) -> Void
    ) {
        let deadline = DispatchTime.now() + .nanoseconds(Int(max(timeout, .zero).nanoseconds))
        // While the kernel waits for a driver, another request would block as well, so it waits in the queue.
        guard hasThread, effort == .blocking || isBusy || isSlow else {
            let begin = DispatchTime.now()
            work(deadline)
            note(since: begin)
            EventLoop.soon { done(nil) }
            return
        }
        count += 1
        let id = count
        pending[id] = Pending(deadline: deadline, done: done)
        setAlarm()
        take(.blocking({ work(deadline) }) { [weak self] in self?.finish(id, $0) })
    }

    /// Runs the body on the event loop, soon, at a time when neither this queue nor ``BlockingWork`` has a
    /// thread. If no other thread of the process runs Swift code, the event loop's thread alone is inside the
    /// Swift runtime at that time.
    func whileIdle(_ body: @escaping @MainActor () -> Void) {
        BlockingWork.afterwards { [self] in
            // While the body waits for the queue, other work may begin.
            take(.idle { [self] in BlockingWork.isUnderWay ? whileIdle(body) : body() })
        }
    }

    /// Whether a new request has to wait.
    var isBusy: Bool { isAtWork || !jobs.isEmpty }

    private func take(_ job: Job) {
        jobs.append(job)
        goOn()
    }

    private func goOn() {
        while !isAtWork, !jobs.isEmpty {
            let job = jobs.removeFirst()
            // Free the array's memory: the array is largest when many interfaces start, and does not grow to
            // that size again.
            if jobs.isEmpty { jobs = [] }
            switch job {
            case .idle(let body): body()
            case .blocking(let work, let ended): run(work, ended)
            }
        }
    }

    private func run(
        _ work: @escaping @Sendable () -> Void, _ ended: @escaping @MainActor (Failure?) -> Void
    ) {
        isAtWork = true
        let begin = DispatchTime.now()
        let finish: @MainActor (Failure?) -> Void = { [self] in
            isAtWork = false
            note(since: begin)
            ended($0)
            goOn()
        }
        do throws(SystemError) { try WorkerThread.run(work) { finish(nil) } } catch {
            let failure = Failure.noThread(error)
            EventLoop.soon { finish(failure) }
        }
    }

    private func note(since begin: DispatchTime) {
        let taken = DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds
        isSlow = taken > UInt64(Self.long.nanoseconds)
    }

    private func finish(_ id: UInt64, _ failure: Failure?) {
        guard let request = pending.removeValue(forKey: id) else { return }
        setAlarm()
        request.done(failure)
    }

    private func failOverdue() {
        let now = DispatchTime.now()
        let overdue = pending.filter { $0.value.deadline <= now }.keys.sorted()
        for id in overdue { finish(id, .noAnswer) }
        setAlarm()
    }

    private func setAlarm() {
        guard let nearest = pending.values.map(\.deadline).min() else {
            alarm?.cancel()
            return
        }
        let now = DispatchTime.now()
        let duration = nearest > now ? Int64(clamping: nearest.uptimeNanoseconds - now.uptimeNanoseconds) : 0
        alarm?.schedule(after: .nanoseconds(duration))
    }
}
