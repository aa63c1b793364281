/// Notices that the machine has slept: in suspend CLOCK_BOOTTIME goes on, and CLOCK_MONOTONIC stands still.
public struct SuspendDetector {
    /// The two clocks are read one after the other; no suspend is shorter.
    static let least: Duration = .milliseconds(10)

    /// Nanoseconds slept since the machine started, when looked at last.
    private var asleep: Int64
    /// How long it slept when that was noticed last; zero: never.
    public private(set) var lastSleep: Duration = .zero

    public init() { self.init(asleep: Self.asleep()) }

    init(asleep: Int64) { self.asleep = asleep }

    /// Whether it has slept since this was asked last, or since the beginning.
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
