/// Detects that the machine was suspended: CLOCK_BOOTTIME goes on in suspend, and CLOCK_MONOTONIC stands
/// still.
public struct SuspendDetector {
    /// The difference between reading one clock and the other is smaller than this, and every suspend is
    /// longer.
    static let least: Duration = .milliseconds(10)

    /// Nanoseconds in suspend since the machine started, at the last check.
    private var asleep: Int64
    /// The length of the last suspend that was detected; zero: there was none.
    public private(set) var lastSleep: Duration = .zero

    public init() { self.init(asleep: Self.asleep()) }

    init(asleep: Int64) { self.asleep = asleep }

    /// Whether the machine was suspended since the last call, or since the beginning.
    public mutating func hasSlept() -> Bool { hasSlept(asleep: Self.asleep()) }

    mutating func hasSlept(asleep now: Int64) -> Bool {
        defer { asleep = now }
        let slept = Duration.nanoseconds(now - asleep)
        if slept >= Self.least { lastSleep = slept }
        return slept >= Self.least
    }

    private static func asleep() -> Int64 {
        let monotonic = BootClock.monotonic()
        return BootClock.now() - monotonic
    }
}
