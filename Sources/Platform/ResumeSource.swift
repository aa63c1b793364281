import CLinux
import Glibc

/// Wakes the loop directly after a resume from suspend, where a ``TimerSource`` would still wait for what
/// was left of it: a timer descriptor on CLOCK_BOOTTIME (timerfd_create(2)), which counts the suspended time.
///
/// It stands a ``grace`` behind the deadline. Who schedules both again at each deadline is therefore never
/// woken by it while the machine is awake.
@MainActor public final class ResumeSource {
    /// How far behind the deadline it fires.
    public static let grace: Duration = .seconds(1)

    private let descriptor: Int32
    private var source: MainQueueSource?

    /// The handler says "look at the clock".
    /// - Throws: the timer descriptor could not be made.
    public init(_ handler: @escaping @MainActor () -> Void) throws(SystemError) {
        let descriptor = try check("timerfd_create") {
            timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        }
        self.descriptor = descriptor
        source = MainQueueSource.reading(descriptor, owning: true) {
            var expirations: UInt64 = 0
            guard read(descriptor, &expirations, MemoryLayout<UInt64>.size) > 0 else { return }
            handler()
        }
    }

    /// Arms it for this deadline (nanoseconds of CLOCK_BOOTTIME), in place of any earlier one.
    public func schedule(atBootNanoseconds deadline: Int64) {
        let (moment, overflow) = max(0, deadline).addingReportingOverflow(Self.graceNanoseconds)
        if overflow { cancel() } else { set(moment) }
    }

    /// Disarms it.
    public func cancel() { set(0) }

    private static let graceNanoseconds = grace.components.seconds * 1_000_000_000

    private func set(_ moment: Int64) {
        var setting = itimerspec()
        setting.it_value.tv_sec = Int(moment / 1_000_000_000)
        setting.it_value.tv_nsec = Int(moment % 1_000_000_000)
        // Cannot fail: the descriptor is ours, and the time is normalised.
        _ = timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
}
