import CLinux
import Glibc

/// Wakes the event loop directly after the machine resumes from suspend. A ``TimerSource`` alone would wait
/// out its remaining time.
///
/// This uses a timer descriptor on CLOCK_REALTIME that never expires. The kernel cancels it when the clock
/// jumps (TFD_TIMER_CANCEL_ON_SET, timerfd_create(2)), and counts a resume as a jump. Setting the clock also
/// counts as a jump, which causes only an unnecessary wake-up.
@MainActor public final class ResumeSource {
    private let descriptor: Int32
    private var source: EventSource?

    /// Calls the handler after each jump of the clock. The handler must read the clock to find out what has
    /// happened.
    /// - Throws: the error of timerfd_create(2), timerfd_settime(2) or epoll_ctl(2).
    public init(_ handler: @escaping @MainActor () -> Void) throws(SystemError) {
        let descriptor = try check("timerfd_create") {
            timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        }
        self.descriptor = descriptor
        source = try closingOnError(descriptor) { () throws(SystemError) in
            try Self.arm(descriptor)
            return try EventSource.polling(descriptor, for: .reading, owning: true) {
                // A cancelled timer (ECANCELED) reports no further jump, so set it again.
                var expirations: UInt64 = 0
                guard read(descriptor, &expirations, MemoryLayout<UInt64>.size) == -1, errno == ECANCELED
                else { return }
                try? Self.arm(descriptor)
                handler()
            }
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

    /// The value of TFD_TIMER_CANCEL_ON_SET (linux/timerfd.h).
    private static let cancelOnSet: Int32 = 1 << 1
}
