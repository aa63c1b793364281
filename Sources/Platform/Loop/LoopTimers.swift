/// The loop's timers: deadlines on the boot-time clock.
@MainActor final class LoopTimers {
    private struct Entry {
        var instant: Int64
        var handler: @MainActor () -> Void
    }

    /// A deadline may be set again inside its handler, under the same number.
    private var entries: [UInt64: Entry] = [:]
    private var count: UInt64 = 0

    /// A new number for a deadline.
    func number() -> UInt64 {
        count += 1
        return count
    }

    /// Replaces an earlier deadline with this number.
    func set(_ number: UInt64, at instant: Int64, _ handler: @escaping @MainActor () -> Void) {
        entries[number] = Entry(instant: instant, handler: handler)
    }

    func clear(_ number: UInt64) { entries[number] = nil }

    /// nil: there is none.
    var nearest: Int64? { entries.values.lazy.map(\.instant).min() }

    /// Until the nearest deadline; nil: there is none.
    func remaining() -> Duration? {
        guard let nearest else { return nil }
        let (duration, overflow) = nearest.subtractingReportingOverflow(BootClock.now())
        return .nanoseconds(overflow ? (nearest < 0 ? 0 : .max) : max(0, duration))
    }

    /// Runs what is due, in the order of time.
    func passed() {
        guard !entries.isEmpty else { return }
        let now = BootClock.now()
        let due = entries.filter { $0.value.instant <= now }
            .sorted { ($0.value.instant, $0.key) < ($1.value.instant, $1.key) }
        for (number, entry) in due {
            // An earlier handler may have postponed or cleared it.
            guard let current = entries[number], current.instant <= now else { continue }
            entries[number] = nil
            entry.handler()
        }
    }
}

extension Duration {
    /// Cut to what an Int64 holds: 292 years.
    var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isBeyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}
