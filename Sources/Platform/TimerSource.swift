import Dispatch

/// One deadline on the boot-time clock.
///
/// A Dispatch timer runs on CLOCK_MONOTONIC, which stands still in suspend, so it never fires early by the
/// boot-time clock but, after a suspend, late by up to what was left of it. What must happen directly after
/// a resume asks ``ResumeSource`` in addition; everything else is right as soon as it looks at the clock.
@MainActor public final class TimerSource {
    private var deadline: Int64?
    private var timer: MainQueueSource?
    private let handler: @MainActor () -> Void

    /// The handler says "look at the clock": the deadline has passed.
    public init(_ handler: @escaping @MainActor () -> Void) { self.handler = handler }

    /// Arms the timer for this moment (nanoseconds of CLOCK_BOOTTIME), in place of any earlier one; a moment
    /// in the past fires at once, though never inside this call.
    public func schedule(atBootNanoseconds moment: Int64) {
        deadline = moment
        let timer = timer ?? MainQueueSource.timer { [weak self] in self?.fired() }
        self.timer = timer
        let (remaining, overflow) = moment.subtractingReportingOverflow(BootClock.now())
        timer.schedule(afterNanoseconds: overflow ? (moment < 0 ? 0 : .max) : remaining, leeway: Self.leeway)
    }

    /// Disarms the timer; the handler does not run until it is scheduled again.
    public func cancel() {
        deadline = nil
        timer?.cancel()
        timer = nil
    }

    /// What a deadline may be late, so that wake-ups can be shared.
    private static let leeway: DispatchTimeInterval = .milliseconds(1)

    private func fired() {
        guard let deadline else { return }
        if BootClock.now() < deadline { return schedule(atBootNanoseconds: deadline) }
        self.deadline = nil
        handler()
    }
}
