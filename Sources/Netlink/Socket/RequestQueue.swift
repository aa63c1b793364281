import Dispatch
import Platform
import Toggling

/// Carries work that may block, one piece after the other, and its results back to the event loop (Dispatch's
/// main queue).
@MainActor
final class RequestQueue {
    private struct Pending {
        var deadline: DispatchTime
        var fail: @MainActor (Failure) -> Void
    }

    private let worker: DispatchQueue?
    /// One timer for the nearest deadline; never set while nothing is under way. Only beside a thread.
    private let alarm: (any DispatchSourceTimer)?
    /// A deadline is a bound, not a date: it may be late by so much.
    private static let leeway = DispatchTimeInterval.milliseconds(20)
    private var pending: [UInt64: Pending] = [:]
    private var count: UInt64 = 0
    private var alarmTime = DispatchTime.distantFuture

    init(_ place: NetlinkCommands.Place) {
        guard place == .ownThread else {
            (worker, alarm) = (nil, nil)
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: .main)
        (worker, alarm) = (DispatchQueue(label: "netlink requests"), timer)
        timer.schedule(deadline: .distantFuture)
        timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.failOverdue() } }
        timer.activate()
    }

    isolated deinit { alarm?.cancel() }

    /// Runs `work`, then `done` on the main queue; or `done` alone at the deadline, and what the work says
    /// later is dropped. `done` is called exactly once, never from inside this call.
    func perform<Value: Sendable>(
        within timeout: Duration,
        _ work: @escaping @Sendable (_ deadline: DispatchTime) throws(Failure) -> Value,
        _ done: @escaping @MainActor (Result<Value, Failure>) -> Void
    ) {
        let deadline = DispatchTime.now() + .nanoseconds(Int(max(timeout, .zero).nanoseconds))
        guard let worker else {
            let result = Result { () throws(Failure) in try work(deadline) }
            EventLoop.soon { done(result) }
            return
        }
        count += 1
        let id = count
        pending[id] = Pending(deadline: deadline) { done(.failure($0)) }
        if deadline < alarmTime { setAlarm(deadline) }
        worker.async {
            let result = Result { () throws(Failure) in try work(deadline) }
            DispatchQueue.main.async {
                MainActor.assumeIsolated { self.finish(id) { done(result) } }
            }
        }
    }

    /// Runs the body on the main queue, soon, while this queue does nothing: then no thread but the calling one
    /// is inside the Swift runtime, as long as all work is done on these two queues.
    func whileIdle(_ body: @escaping @MainActor () -> Void) {
        guard let worker else {
            return EventLoop.soon(body)
        }
        worker.async { DispatchQueue.main.sync { MainActor.assumeIsolated { body() } } }
    }

    private func finish(_ id: UInt64, _ report: () -> Void) {
        guard pending.removeValue(forKey: id) != nil else { return }
        report()
        // Whoever was answered may have asked anew. An alarm that comes too early for that is set again then:
        // each setting costs a wake-up of the thread that keeps the timers.
        if pending.isEmpty { setAlarm(.distantFuture) }
    }

    private func failOverdue() {
        let now = DispatchTime.now()
        let overdue = pending.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
        for (id, request) in overdue { finish(id) { request.fail(.noAnswer) } }
        setAlarm(pending.values.map(\.deadline).min() ?? .distantFuture)
    }

    private func setAlarm(_ time: DispatchTime) {
        guard time != alarmTime else { return }
        alarmTime = time
        alarm?.schedule(deadline: time, leeway: Self.leeway)
    }
}
