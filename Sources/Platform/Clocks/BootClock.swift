import Glibc
import Model

/// The clock for deadlines and durations. It includes the time in suspend, and nobody can set it.
public enum BootClock {
    /// Nanoseconds since the machine started (CLOCK_BOOTTIME, clock_gettime(2)).
    public static func now() -> Int64 { read(CLOCK_BOOTTIME) }

    /// Nanoseconds of CLOCK_MONOTONIC, which excludes the time in suspend. epoll_wait(2) and sd_notify(3) use
    /// this clock.
    public static func monotonic() -> Int64 { read(CLOCK_MONOTONIC) }

    static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // This cannot fail: every kernel that runs Swift has these clocks, and the pointer is valid.
        _ = clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Instant {
    /// The present time on the boot-time clock.
    public static var now: Instant { Instant(nanoseconds: BootClock.now()) }
}
