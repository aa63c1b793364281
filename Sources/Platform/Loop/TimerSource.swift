import Model

/// A timer with one deadline on CLOCK_BOOTTIME.
///
/// The event loop sleeps by CLOCK_MONOTONIC, which stops in suspend. So a timer never fires early, but after
/// a suspend it may fire late, by up to the rest of the wait. Use ``ResumeSource`` as well if something must
/// happen directly after a resume.
@MainActor public final class TimerSource {
    private let number = EventLoop.deadlines.number()
    private let handler: @MainActor () -> Void

    /// - Parameter handler: called after the deadline has passed, possibly much later; so it must read the
    ///   clock.
    public init(_ handler: @escaping @MainActor () -> Void) { self.handler = handler }

    isolated deinit { cancel() }

    /// Sets the deadline in place of an earlier one. A deadline in the past fires soon, but never inside this
    /// call. Needs no system call.
    public func schedule(at instant: Instant) {
        EventLoop.deadlines.set(number, at: instant.nanoseconds) { [weak self] in self?.handler() }
    }

    /// Sets the deadline to this duration from now.
    public func schedule(after duration: Duration) { schedule(at: .now + duration) }

    /// Clears the deadline. The handler does not run until the timer is scheduled again.
    public func cancel() { EventLoop.deadlines.clear(number) }
}
