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
    /// The longest identifier of a boot that is kept, in bytes; the kernel's have 36.
    private static let longestBoot = 64

    /// Values outside the ranges become the nearest value inside.
    public init(wall: Int64, boot: String, sinceBoot: Int64) {
        self.wall = wall.clamped(to: Self.wallTimes)
        self.boot = boot.clipped(to: Self.longestBoot)
        self.sinceBoot = sinceBoot.clamped(to: Self.uptimes)
    }
}

extension Int64 {
    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
