/// A time by both clocks. The boot clock gives durations, because it cannot be stepped; the wall clock tells
/// people when it was.
public struct Timestamp: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z (CLOCK_REALTIME).
    public var wall: Int64
    /// The identifier that the kernel gave this boot (random(4), boot_id).
    public var boot: String
    /// Milliseconds since that boot, time in suspend included (CLOCK_BOOTTIME).
    public var sinceBoot: Int64

    /// 9999-12-31T23:59:59Z: RFC 3339 has no later time.
    static let wallTimes: ClosedRange<Int64> = 0...253_402_300_799_000
    /// Three thousand years: no machine is up for longer.
    static let uptimes: ClosedRange<Int64> = 0...100_000_000_000_000
    /// A boot's identifier has 36 bytes.
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
