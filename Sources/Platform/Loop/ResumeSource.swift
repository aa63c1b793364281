import CLinux
import Glibc

/// Wakes the loop directly after a resume from suspend, when a ``TimerSource`` would still wait for the rest
/// of its time.
///
/// A timer descriptor on CLOCK_REALTIME that never fires, and is cancelled when that clock jumps
/// (TFD_TIMER_CANCEL_ON_SET, timerfd_create(2)): the kernel counts a resume as a jump. Setting the clock is
/// one, too, which costs a wake-up and no more.
@MainActor public final class ResumeSource {
    private let descriptor: Int32
    private var source: EventSource?

    /// The handler must read the clock.
    /// - Throws: the timer descriptor could not be made, or not be watched.
    public init(_ handler: @escaping @MainActor () -> Void) throws(SystemError) {
        let descriptor = try check("timerfd_create") {
            timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        }
        self.descriptor = descriptor
        do throws(SystemError) {
            try Self.arm(descriptor)
            source = try EventSource.polling(descriptor, for: .reading, owning: true) {
                // ECANCELED. A cancelled timer reports no further jump: set it again.
                var expirations: UInt64 = 0
                guard read(descriptor, &expirations, MemoryLayout<UInt64>.size) == -1, errno == ECANCELED
                else { return }
                try? Self.arm(descriptor)
                handler()
            }
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// The latest time that the kernel accepts (KTIME_SEC_MAX, include/linux/ktime.h): the year 2262.
    private static let never = Int(Int64.max / 1_000_000_000)

    private static func arm(_ descriptor: Int32) throws(SystemError) {
        var setting = itimerspec()
        setting.it_value.tv_sec = never
        try check("timerfd_settime") {
            timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME) | Self.cancelOnSet, &setting, nil)
        }
    }

    /// TFD_TIMER_CANCEL_ON_SET (linux/timerfd.h).
    private static let cancelOnSet: Int32 = 1 << 1
}
