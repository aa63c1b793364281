/// The forms of times on the page, made from RFC 3339 in the zone of the machine:
/// `2026-02-03T05:05:06.789+01:00`.
struct PageTime {
    /// Returns the text (RFC 3339, local time) of a time in milliseconds since 1970.
    let wallTime: (Int64) -> String

    /// The date, time and zone, such as `2026-02-03 05:05:06 +01:00`. The offset distinguishes the two equal
    /// hours at the end of summer time.
    func exact(_ instant: Int64) -> String { "\(day(instant)) \(clock(instant)) \(zone(instant))" }

    /// The date and time without seconds, such as `2026-02-03 05:05`.
    func minute(_ instant: Int64) -> String { "\(day(instant)) \(clock(instant).prefix(5))" }

    /// The date, such as `2026-02-03`.
    func day(_ instant: Int64) -> String { String(wallTime(instant).prefix(10)) }

    /// The time of day, such as `05:05:06`.
    func clock(_ instant: Int64) -> String { String(wallTime(instant).dropFirst(11).prefix(8)) }

    /// The zone, such as `+01:00`, or `UTC`.
    func zone(_ instant: Int64) -> String {
        let offset = wallTime(instant).dropFirst(19).drop { $0 == "." || $0.isNumber }
        return offset == "Z" ? "UTC" : String(offset)
    }

    /// The end of a period, without date and zone if they are the same as at the beginning.
    func end(_ instant: Int64, after begin: Int64) -> String {
        day(instant) == day(begin) && zone(instant) == zone(begin) ? clock(instant) : exact(instant)
    }

    /// The hour of the day, 0 to 23.
    func hour(_ instant: Int64) -> Int { Int(clock(instant).prefix(2)) ?? 0 }

    /// The local midnight at or before a time. If summer time has begun or ended between the two, the result
    /// is wrong by that hour.
    func midnight(_ instant: Int64) -> Int64 {
        let parts = clock(instant).split(separator: ":").compactMap { Int64($0) }
        let seconds = parts.reduce(0) { $0 * 60 + $1 }
        return instant - seconds * 1000 - instant % 1000
    }
}
