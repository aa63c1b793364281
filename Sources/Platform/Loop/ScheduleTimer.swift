import Dispatch

/// The clock of the schedule: a Dispatch timer for the next moment that something is to be done.
///
/// Setting it wakes the thread that keeps Dispatch's timers. It repeats therefore by the span between the last two
/// moments, and who asks for what it does anyway costs nothing: a schedule that keeps its interval sets it once.
@MainActor public final class ScheduleTimer: OneShotTimer {
    private let timer: any DispatchSourceTimer
    private let handler: @MainActor () -> Void
    /// What was asked for (nanoseconds of CLOCK_BOOTTIME); nil: nothing.
    private var wanted: Int64?
    /// The last moment that came.
    private var last: Int64?
    /// When the timer fires next (nanoseconds of CLOCK_MONOTONIC, its own clock), and every how many; nil: not at all, or
    /// once.
    private var tick: Int64?
    private var period: Int64?

    /// What a moment may be late, so that wake-ups can be shared.
    private static let leeway: Int64 = 1_000_000
    /// A year: far below where the sum with the present could overflow.
    private static let longest: Int64 = 365 * 86_400 * 1_000_000_000

    /// The handler says "look at the clock".
    public init(_ handler: @escaping @MainActor () -> Void) {
        self.handler = handler
        DispatchHandle.watch()
        timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .distantFuture)
        timer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.fired() } }
        timer.activate()
    }

    isolated deinit { timer.cancel() }

    /// In place of an earlier moment (nanoseconds of CLOCK_BOOTTIME). One in the past comes at once, though never
    /// inside this call.
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

    /// Nothing comes until it is scheduled again.
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
        // Put off meanwhile, or the machine has slept.
        guard wanted <= BootClock.now() else { return schedule(atBootNanoseconds: wanted) }
        last = wanted
        self.wanted = nil
        handler()
    }

    /// To the first tick that has not come.
    private func advance() {
        guard let tick, let period else {
            self.tick = nil
            return
        }
        let late = max(0, BootClock.monotonic() - tick)
        self.tick = tick + (late / period + 1) * period
    }
}
