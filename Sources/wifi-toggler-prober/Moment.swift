import Glibc

/// A moment on CLOCK_BOOTTIME, in nanoseconds (clock_gettime(2)).
struct Moment: Comparable {
    var nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        // Cannot fail: the clock is in every kernel that runs Swift, and the pointer is good.
        _ = clock_gettime(CLOCK_BOOTTIME, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    static func + (moment: Moment, span: Duration) -> Moment {
        let (seconds, attoseconds) = span.components
        return Moment(nanoseconds: moment.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    static func - (later: Moment, earlier: Moment) -> Duration {
        .nanoseconds(later.nanoseconds - earlier.nanoseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, as poll(2) and timeouts of libraries want them.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        let perMillisecond: Int64 = 1_000_000_000_000_000
        let whole = (attoseconds + perMillisecond - 1) / perMillisecond
        return Int32(clamping: max(0, seconds * 1000 + whole))
    }
}
