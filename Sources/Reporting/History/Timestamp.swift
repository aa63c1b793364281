/// A time on both clocks. The boot clock gives durations, because it cannot be stepped. The wall clock gives
/// the time for people.
public struct Timestamp: Hashable, Sendable {
    /// The wall-clock time in milliseconds since 1970-01-01T00:00:00Z (CLOCK_REALTIME, clock_gettime(2)).
    public var wall: Int64
    /// The kernel's identifier of the boot (boot_id, random(4)).
    public var boot: String
    /// The time since that boot in milliseconds, including suspend (CLOCK_BOOTTIME, clock_gettime(2)).
    public var sinceBoot: Int64

    /// Up to 9999-12-31T23:59:59Z: RFC 3339 has no later time.
    static let wallTimes: ClosedRange<Int64> = 0...253_402_300_799_000
    /// Up to three thousand years, longer than any machine runs.
    static let uptimes: ClosedRange<Int64> = 0...100_000_000_000_000
    /// The longest time between two timestamps that is shown, a century in milliseconds: nanoseconds could
    /// not represent a much longer one, and only a wrong clock gives it.
    static let longestAge: Int64 = 36_500 * 86_400_000
    /// The longest identifier of a boot that is kept, in bytes; the kernel's have 36.
    private static let longestBoot = 64

    /// Values outside the ranges become the nearest value inside.
    public init(wall: Int64, boot: String, sinceBoot: Int64) {
        self.wall = wall.clamped(to: Self.wallTimes)
        self.boot = boot.clipped(to: Self.longestBoot)
        self.sinceBoot = sinceBoot.clamped(to: Self.uptimes)
    }
}

/// Finds out when the boots of a history began, from its entries in the order of the file.
struct BootBegins {
    /// 2025-01-01T00:00:00Z, before there was this program. A clock that shows an earlier time was not set:
    /// a machine without a battery-backed clock begins in 1970.
    private static let firstTime: Int64 = 1_735_689_600_000

    private var boot: String?
    /// The last time of the boot before this one, in milliseconds since 1970; nil: this is the first boot.
    private var floor: Int64?
    /// The last time of this boot; nil: there was no entry yet.
    private var last: Int64?

    /// Takes the time of the next entry.
    /// - Returns: when its boot began, in milliseconds since 1970, by the wall clock at this entry. If that
    ///   clock was not set, the boot begins no earlier than the last entry of the boot before it.
    mutating func hear(of instant: Timestamp) -> Int64 {
        if instant.boot != boot { (boot, floor) = (instant.boot, last) }
        var begin = instant.wall - instant.sinceBoot
        if instant.wall < Self.firstTime, let floor { begin = max(begin, floor) }
        last = (begin + instant.sinceBoot).clamped(to: Timestamp.wallTimes)
        return begin
    }
}

extension Int64 {
    func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
