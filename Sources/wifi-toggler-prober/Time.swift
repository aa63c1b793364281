import Glibc
import Model

extension Instant {
    static var now: Instant {
        var time = timespec()
        // Cannot fail: the clock is in every kernel that runs Swift, and the pointer is good.
        _ = clock_gettime(CLOCK_BOOTTIME, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

extension Duration {
    /// Rounded up, as poll(2) and timeouts of libraries want them.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        let whole = (attoseconds + perMillisecond - 1) / perMillisecond
        return Int32(clamping: max(0, seconds * 1000 + whole))
    }
}
