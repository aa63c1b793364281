import Dispatch

/// The timer of the schedule: a Dispatch timer for the next check, on a serial queue of its own, whose handler
/// wakes the event loop.
///
/// A serial queue's threads are not among those that Dispatch checks once a second for ever; but they end
/// after five seconds without work, so that each check of a longer interval starts one.
///
/// Setting it wakes the thread that keeps Dispatch's timers. Therefore it repeats with the interval between
/// the last two times, and asking for a time at which it fires anyway costs nothing: a schedule with a
/// constant interval sets it once.
@MainActor public final class ScheduleTimer: OneShotTimer {
    private let timer: any DispatchSourceTimer
    private let handler: @MainActor () -> Void
    /// The requested time (nanoseconds of CLOCK_BOOTTIME); nil: none.
    private var wanted: Int64?
    /// The last time at which it fired.
    private var last: Int64?
    /// When the timer fires next (nanoseconds of CLOCK_MONOTONIC, its own clock), and its interval; nil: not
    /// at all, or once.
    private var tick: Int64?
    private var period: Int64?

    /// How late it may fire, so that wake-ups can be shared.
    private static let leeway: Int64 = 1_000_000
    /// A year: far below where the sum with the present could overflow.
    private static let longest: Int64 = 365 * 86_400 * 1_000_000_000

    /// The handler must read the clock.
    public init(_ handler: @escaping @MainActor () -> Void) {
        self.handler = handler
        guard let inbox = LoopInbox.open() else { preconditionFailure("no descriptor is left") }
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "schedule"))
        timer.schedule(deadline: .distantFuture)
        timer.setEventHandler { @Sendable [weak self] in inbox.post { self?.fired() } }
        timer.activate()
    }

    isolated deinit { timer.cancel() }

    /// Replaces an earlier time (nanoseconds of CLOCK_BOOTTIME). A time in the past fires at once, though
    /// never inside this call.
    public func schedule(atBootNanoseconds instant: Int64) {
        wanted = instant
        let (duration, overflow) = instant.subtractingReportingOverflow(BootClock.now())
        let remaining = overflow ? (instant < 0 ? 0 : Self.longest) : min(max(0, duration), Self.longest)
        let due = BootClock.monotonic() + remaining
        if let tick, abs(due - tick) <= Self.leeway { return }
        set(
            due, after: remaining,
            every: last.map { instant.subtractingReportingOverflow($0) }
                .flatMap { $0.overflow ? nil : $0.partialValue })
    }

    /// Stops it until it is scheduled again.
    public func cancel() {
        wanted = nil
        guard tick != nil else { return }
        timer.schedule(deadline: .distantFuture)
        (tick, period) = (nil, nil)
    }

    private func set(_ due: Int64, after remaining: Int64, every period: Int64?) {
        let period = period.flatMap { $0 > Self.leeway && $0 < Self.longest ? $0 : nil }
        timer.schedule(
            deadline: .now() + .nanoseconds(Int(remaining)),
            repeating: period.map { .nanoseconds(Int($0)) } ?? .never, leeway: .nanoseconds(Int(Self.leeway)))
        (tick, self.period) = (due, period)
    }

    private func fired() {
        advance()
        guard let wanted else { return cancel() }
        // It was postponed meanwhile, or the machine was suspended.
        guard wanted <= BootClock.now() else { return schedule(atBootNanoseconds: wanted) }
        last = wanted
        self.wanted = nil
        handler()
    }

    /// To the first tick in the future.
    private func advance() {
        guard let tick, let period else {
            self.tick = nil
            return
        }
        let late = max(0, BootClock.monotonic() - tick)
        self.tick = tick + (late / period + 1) * period
    }
}
