/// Detects that the machine was suspended. CLOCK_BOOTTIME continues in suspend, and CLOCK_MONOTONIC does not.
public struct SuspendDetector {
    /// The shortest difference that counts as a suspend. Every suspend is longer, and the time between
    /// reading the two clocks is shorter.
    static let least: Duration = .milliseconds(10)
    /// The longest time between two readings of CLOCK_MONOTONIC, in nanoseconds, within which a reading of
    /// CLOCK_BOOTTIME is accurate. If it takes longer, another process has had the processor meanwhile.
    private static let longestReading: Int64 = 1_000_000
    private static let mostReadings = 10

    /// The total time in suspend since the machine started, at the last check, in nanoseconds.
    private var asleep: Int64
    /// The length of the last suspend that was detected; zero if there was none.
    public private(set) var lastSleep: Duration = .zero

    public init() { self.init(asleep: Self.asleep()) }

    init(asleep: Int64) { self.asleep = asleep }

    /// Whether the machine was suspended since the last call, or since this object was created.
    public mutating func hasSlept() -> Bool { hasSlept(asleep: Self.asleep()) }

    mutating func hasSlept(asleep now: Int64) -> Bool {
        defer { asleep = now }
        let slept = Duration.nanoseconds(now - asleep)
        if slept >= Self.least { lastSleep = slept }
        return slept >= Self.least
    }

    /// Reads the total time in suspend since the machine started, in nanoseconds. The result is too large by
    /// at most the time that the reading takes, so a slow reading is repeated.
    static func asleep(
        monotonic: () -> Int64 = BootClock.monotonic, boot: () -> Int64 = BootClock.now
    ) -> Int64 {
        var shortest = (duration: Int64.max, asleep: Int64(0))
        for _ in 1...mostReadings {
            let start = monotonic()
            let asleep = boot() - start
            let duration = monotonic() - start
            if duration < shortest.duration { shortest = (duration, asleep) }
            if duration <= longestReading { break }
        }
        return shortest.asleep
    }
}
