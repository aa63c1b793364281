import Glibc

/// The local time in the time zone of TZ, or else of /etc/localtime. A change of that file is noticed
/// (tzset(3)).
public struct LocalClock {
    /// The time since 1970-01-01T00:00:00Z, in seconds and nanoseconds.
    private let now: timespec
    private let calendar: tm

    /// Reads the present time (CLOCK_REALTIME, localtime_r(3)).
    public init() {
        var now = timespec()
        _ = clock_gettime(CLOCK_REALTIME, &now)
        self.init(now)
    }

    init(seconds: Int64) { self.init(timespec(tv_sec: Int(seconds), tv_nsec: 0)) }

    private init(_ now: timespec) {
        tzset()
        var calendar = tm()
        var time = now.tv_sec
        // This cannot fail for a year that fits into 32 bits.
        _ = localtime_r(&time, &calendar)
        self.now = now
        self.calendar = calendar
    }

    /// The day of the week, 0 to 6; Sunday is 0.
    public var weekday: Int { Int(calendar.tm_wday) }
    /// The minutes after midnight, 0 to 1439.
    public var minute: Int { Int(calendar.tm_hour * 60 + calendar.tm_min) }

    /// The time until the clock shows this many minutes after the last midnight; never negative. `wanted` may
    /// exceed the minutes of a day, and then means a later day. When daylight saving time begins or ends,
    /// some local times do not exist or exist twice; mktime(3) then chooses one.
    public func duration(untilMinute wanted: Int) -> Duration {
        var end = calendar
        end.tm_hour = 0
        end.tm_min = 0
        end.tm_sec = 0
        end.tm_isdst = -1
        end.tm_mday += Int32(wanted / Self.day)
        end.tm_hour = Int32(wanted % Self.day / 60)
        end.tm_min = Int32(wanted % 60)
        let seconds = mktime(&end) - now.tv_sec
        // If the time exists twice and the first is over, the second is meant.
        let left = seconds > 0 ? seconds : (wanted - minute) * 60 - Int(calendar.tm_sec)
        return max(.zero, .seconds(left) - .nanoseconds(now.tv_nsec))
    }

    private static let day = 1440
}
