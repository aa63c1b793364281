import Glibc

/// The clock of every decision: it counts time in suspend and cannot be stepped.
public enum BootClock {
    /// Nanoseconds since the machine started (CLOCK_BOOTTIME, clock_gettime(2)).
    public static func now() -> Int64 { read(CLOCK_BOOTTIME) }

    /// Nanoseconds of CLOCK_MONOTONIC, which stands still in suspend: the clock of epoll_wait(2)
    /// and of sd_notify(3).
    public static func monotonic() -> Int64 { read(CLOCK_MONOTONIC) }

    static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Cannot fail: both clocks are in every kernel that runs Swift, and the pointer is good.
        _ = clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
