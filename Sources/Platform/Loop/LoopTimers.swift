/// The timers of the event loop: deadlines on CLOCK_BOOTTIME.
@MainActor final class LoopTimers {
    private struct Entry {
        var instant: Int64
        var handler: @MainActor () -> Void
    }

    /// The deadlines by number. A handler may set its own deadline again under the same number.
    private var entries: [UInt64: Entry] = [:]
    private var count: UInt64 = 0

    /// Returns a new number for a deadline.
    func number() -> UInt64 {
        count += 1
        return count
    }

    /// Sets a deadline, in nanoseconds of CLOCK_BOOTTIME. Replaces an earlier one with this number.
    func set(_ number: UInt64, at instant: Int64, _ handler: @escaping @MainActor () -> Void) {
        entries[number] = Entry(instant: instant, handler: handler)
    }

    func clear(_ number: UInt64) { entries[number] = nil }

    /// The nearest deadline; nil if there is none.
    var nearest: Int64? { entries.values.lazy.map(\.instant).min() }

    /// The time until the nearest deadline, not negative; nil if there is none.
    func remaining() -> Duration? {
        guard let nearest else { return nil }
        let (duration, overflow) = nearest.subtractingReportingOverflow(BootClock.now())
        return .nanoseconds(overflow ? (nearest < 0 ? 0 : .max) : max(0, duration))
    }

    /// Runs the handlers of all deadlines that have passed, in the order of their times.
    func passed() {
        guard !entries.isEmpty else { return }
        let now = BootClock.now()
        let due = entries.filter { $0.value.instant <= now }
            .sorted { ($0.value.instant, $0.key) < ($1.value.instant, $1.key) }
        for (number, entry) in due {
            // An earlier handler may have postponed or cleared this deadline.
            guard let current = entries[number], current.instant <= now else { continue }
            entries[number] = nil
            entry.handler()
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, limited to the range of an Int64 (292 years).
    var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isBeyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}
