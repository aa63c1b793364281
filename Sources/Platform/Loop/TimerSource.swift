/// One deadline on the boot-time clock.
///
/// The loop sleeps by CLOCK_MONOTONIC, which stands still in suspend, so a deadline is never met early by the boot-time
/// clock but, after a suspend, late by up to what was left of it. What must happen directly after a resume asks
/// ``ResumeSource`` in addition; everything else is right as soon as it looks at the clock.
@MainActor public final class TimerSource: OneShotTimer {
    private let number = EventLoop.deadlines.number()
    private let handler: @MainActor () -> Void

    /// The handler says "look at the clock": the deadline has passed.
    public init(_ handler: @escaping @MainActor () -> Void) { self.handler = handler }

    isolated deinit { cancel() }

    /// Arms the timer for this moment (nanoseconds of CLOCK_BOOTTIME), in place of any earlier one; a moment
    /// in the past fires at once, though never inside this call. Costs no system call.
    public func schedule(atBootNanoseconds instant: Int64) {
        EventLoop.deadlines.set(number, at: instant) { [weak self] in self?.handler() }
    }

    /// Disarms the timer; the handler does not run until it is scheduled again.
    public func cancel() { EventLoop.deadlines.clear(number) }
}
