import Model

/// One deadline on the boot-time clock.
///
/// The loop sleeps by CLOCK_MONOTONIC, which stands still in suspend, so a deadline never fires early by the
/// boot-time clock, but may fire late after a suspend, by up to the rest of the wait. To act directly after a
/// resume use ``ResumeSource`` in addition; everything else is correct once it has read the clock.
@MainActor public final class TimerSource {
    private let number = EventLoop.deadlines.number()
    private let handler: @MainActor () -> Void

    /// The handler must read the clock: the deadline has passed.
    public init(_ handler: @escaping @MainActor () -> Void) { self.handler = handler }

    isolated deinit { cancel() }

    /// Sets the timer to this time (nanoseconds of CLOCK_BOOTTIME), in place of any earlier one; a time in
    /// the past fires at once, though never inside this call. Costs no system call.
    public func schedule(atBootNanoseconds instant: Int64) {
        EventLoop.deadlines.set(number, at: instant) { [weak self] in self?.handler() }
    }

    /// The same, counted from now.
    public func schedule(after duration: Duration) {
        schedule(atBootNanoseconds: BootClock.now() + duration.nanoseconds)
    }

    /// The same for an instant.
    public func schedule(at instant: Instant) { schedule(atBootNanoseconds: instant.nanoseconds) }

    /// Stops the timer; the handler does not run until it is scheduled again.
    public func cancel() { EventLoop.deadlines.clear(number) }
}
