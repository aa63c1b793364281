/// Detects that the machine was suspended. CLOCK_BOOTTIME continues in suspend, and CLOCK_MONOTONIC does not.
public struct SuspendDetector {
    /// The shortest difference that counts as a suspend. Every suspend is longer, and the time between
    /// reading the two clocks is shorter.
    static let least: Duration = .milliseconds(10)

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

    private static func asleep() -> Int64 {
        let monotonic = BootClock.monotonic()
        return BootClock.now() - monotonic
    }
}
