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

    private struct Pending {
        var deadline: DispatchTime
        var fail: @MainActor (Failure) -> Void
    }

    /// A piece of work that runs alone.
    private enum Job {
        case blocking(@Sendable () -> Void, _ ended: @MainActor () -> Void)
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

    init(_ place: NetlinkCommands.Place) {
        hasThread = place == .ownThread
        if hasThread { alarm = TimerSource { [weak self] in self?.failOverdue() } }
    }

    /// Runs `work`, and then calls `done` on the event loop. This happens exactly once, and never inside this
    /// call. With a thread, `done` is called at the deadline at the latest, and a later result is dropped.
    func perform<Value: Sendable>(
        _ effort: Effort, within timeout: Duration,
        _ work: @escaping @Sendable (_ deadline: DispatchTime) throws(Failure) -> Value,
        _ done: @escaping @MainActor (Result<Value, Failure>) -> Void
    ) {
        let deadline = DispatchTime.now() + .nanoseconds(Int(max(timeout, .zero).nanoseconds))
        // While the kernel waits for a driver, another request would block as well, so it waits in the queue.
        guard hasThread, effort == .blocking || isBusy else {
            let result = Result { () throws(Failure) in try work(deadline) }
            EventLoop.soon { done(result) }
            return
        }
        count += 1
        let id = count
        pending[id] = Pending(deadline: deadline) { done(.failure($0)) }
        setAlarm()
        let answer = Answer<Value>()
        let workAndKeep: @Sendable () -> Void = {
            let result = Result { () throws(Failure) in try work(deadline) }
            answer.result.withLock { $0 = result }
        }
        take(
            .blocking(workAndKeep) { [weak self] in
                guard let result = answer.result.withLock({ $0 }) else { return }
                self?.finish(id) { done(result) }
            })
    }

    /// Runs the body on the event loop, soon, at a time when the queue is idle and has no thread. If no other
    /// thread of the process runs Swift code, the event loop's thread alone is inside the Swift runtime at
    /// that time.
    func whileIdle(_ body: @escaping @MainActor () -> Void) {
        EventLoop.soon { [self] in take(.idle(body)) }
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
            case .blocking(let work, let ended):
                isAtWork = true
                WorkerThread.run(work) { [self] in
                    isAtWork = false
                    ended()
                    goOn()
                }
            }
        }
    }

    private func finish(_ id: UInt64, _ report: () -> Void) {
        guard pending.removeValue(forKey: id) != nil else { return }
        setAlarm()
        report()
    }

    private func failOverdue() {
        let now = DispatchTime.now()
        let overdue = pending.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
        for (id, request) in overdue { finish(id) { request.fail(.noAnswer) } }
        setAlarm()
    }

    private func setAlarm() {
        guard let nearest = pending.values.map(\.deadline).min() else {
            alarm?.cancel()
            return
        }
        let now = DispatchTime.now()
        let duration = nearest > now ? Int64(clamping: nearest.uptimeNanoseconds - now.uptimeNanoseconds) : 0
        alarm?.schedule(atBootNanoseconds: BootClock.now() + duration)
    }
}
