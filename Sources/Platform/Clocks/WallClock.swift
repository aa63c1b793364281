import Glibc

/// The wall clock (CLOCK_REALTIME). It can be set, so it is used only in records and messages, and in
/// decisions that count days.
public enum WallClock {
    /// Whole seconds since 1970-01-01T00:00:00Z. A machine without a battery-backed clock starts at some time
    /// in the past.
    public static func seconds() -> Int64 {
        nanoseconds() / second
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public static func nanoseconds() -> Int64 {
        BootClock.read(CLOCK_REALTIME)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    public static func milliseconds() -> Int64 { nanoseconds() / 1_000_000 }

    /// A time as RFC 3339 in UTC with milliseconds: `2026-02-03T04:05:06.789Z`.
    /// - Parameter milliseconds: since 1970-01-01T00:00:00Z.
    public static func rfc3339(milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return rfc3339(seconds: seconds, nanoseconds: rest * 1_000_000)
    }

    /// The same in local time with the offset from UTC (localtime_r(3)): `2026-02-03T05:05:06.789+01:00`.
    public static func localRFC3339(milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        var calendar = tm()
        var time = time_t(seconds)
        guard localtime_r(&time, &calendar) != nil else { return rfc3339(milliseconds: milliseconds) }
        // RFC 3339 allows only offsets of whole minutes.
        let offset = Int64(calendar.tm_gmtoff / 60)
        let local = rfc3339(seconds: seconds + offset * 60, nanoseconds: milliseconds % 1000 * 1_000_000)
        let (hours, minutes) = offset.magnitude.quotientAndRemainder(dividingBy: 60)
        return local.dropLast() + (offset < 0 ? "-" : "+") + digits(Int32(hours), 2) + ":"
            + digits(Int32(minutes), 2)
    }

    /// The present time, or a time this far ahead, as RFC 3339 in UTC with milliseconds:
    /// `2026-02-03T04:05:06.789Z`.
    public static func rfc3339(in duration: Duration = .zero) -> String {
        let (now, rest) = nanoseconds().quotientAndRemainder(dividingBy: second)
        let (seconds, attoseconds) = duration.components
        let fraction = rest + attoseconds / 1_000_000_000
        let (sum, overflow) = now.addingReportingOverflow(seconds)
        return rfc3339(seconds: overflow ? .max : sum, nanoseconds: fraction)
    }

    /// A time as RFC 3339, given in seconds and nanoseconds since 1970-01-01T00:00:00Z. The nanoseconds may
    /// be negative, or exceed a second. RFC 3339 has only the years 0 to 9999: an earlier time becomes the
    /// first second of these years, a later time the last one.
    static func rfc3339(seconds: Int64, nanoseconds: Int64) -> String {
        let carried = nanoseconds >= 0 ? nanoseconds / second : -((second - 1 - nanoseconds) / second)
        let (sum, overflow) = seconds.addingReportingOverflow(carried)
        var instant = overflow ? seconds : sum
        var fraction = nanoseconds - carried * second
        if instant < earliest { (instant, fraction) = (earliest, 0) }
        if instant > latest { (instant, fraction) = (latest, second - 1) }
        var calendar = tm()
        var time = time_t(instant)
        _ = gmtime_r(&time, &calendar)
        return digits(calendar.tm_year + 1900, 4) + "-" + digits(calendar.tm_mon + 1, 2) + "-"
            + digits(calendar.tm_mday, 2) + "T" + digits(calendar.tm_hour, 2) + ":"
            + digits(calendar.tm_min, 2) + ":" + digits(calendar.tm_sec, 2) + "."
            + digits(Int32(fraction / 1_000_000), 3) + "Z"
    }

    private static let second: Int64 = 1_000_000_000
    /// 0000-01-01T00:00:00Z in seconds since 1970-01-01T00:00:00Z.
    private static let earliest: Int64 = -62_167_219_200
    /// 9999-12-31T23:59:59Z in seconds since 1970-01-01T00:00:00Z.
    private static let latest: Int64 = 253_402_300_799

    private static func digits(_ number: Int32, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
