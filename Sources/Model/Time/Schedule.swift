/// Ticks that do not drift: tick number k is at start + k × interval, however late the earlier ones were
/// handled.
package struct Schedule: Hashable, Sendable {
    package var start: Instant
    /// The time between two ticks; more than zero.
    package var interval: Duration

    /// The first tick after `now`. Missed ticks are skipped.
    package func next(after now: Instant) -> Instant {
        let step = interval.nanoseconds
        let passed = (now - start).nanoseconds
        guard passed >= 0, step > 0 else { return start }
        return Instant(nanoseconds: start.nanoseconds + (passed / step + 1) * step)
    }
}

extension Schedule {
    /// The schedule of one interface of a service that watches several.
    ///
    /// Each of the first few interfaces counts its ticks from its own first check. The checks of all others
    /// are spread evenly over the interval: their ticks lie on a common grid that begins at the zero of the
    /// clock, and their second check comes at most an interval after the first.
    /// - Parameter place: how many interfaces the service watched before this one.
    package init(beginning now: Instant, interval: Duration, place: Int) {
        let step = interval.nanoseconds
        guard place >= Self.together, step > 0 else {
            self.init(start: now, interval: interval)
            return
        }
        let offset = step / Self.slots * Self.slot(of: place - Self.together)
        let remainder = (now.nanoseconds - offset) % step
        let passed = remainder < 0 ? remainder + step : remainder
        self.init(start: Instant(nanoseconds: now.nanoseconds - passed), interval: interval)
    }

    /// How many interfaces count from their own first check; these may be checked at the same moment.
    package static let together = 4
    /// The interval is divided into two to the power of `slotBits` slots.
    private static let slotBits = 7
    private static let slots: Int64 = 1 << slotBits

    /// The slot of an interface: its number with reversed bits, which spreads any count of interfaces evenly.
    private static func slot(of number: Int) -> Int64 {
        var slot: Int64 = 0
        for bit in 0..<slotBits where number >> bit & 1 == 1 { slot |= 1 << (slotBits - 1 - bit) }
        return slot
    }
}
