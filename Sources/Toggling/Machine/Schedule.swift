import Model

/// Ticks that do not drift: the k-th is at start + k × interval, whatever happened in between.
struct Schedule: Hashable, Sendable {
    var start: Instant
    /// More than zero.
    var interval: Duration

    init(start: Instant, interval: Duration) {
        self.start = start
        self.interval = interval
    }

    /// For an interface of a service that watches several.
    ///
    /// The first few keep the pace of their first look, and so share their wake-ups. All others are spread evenly over the
    /// interval: their ticks lie on a grid that begins with the clock, for all of them the same, and the second look comes
    /// earlier than an interval after the first one.
    /// - Parameter place: how many interfaces the service watched already.
    init(beginning now: Instant, interval: Duration, place: Int) {
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

    /// The first tick after `now`. Ticks that were missed are not made up for.
    func next(after now: Instant) -> Instant {
        let step = interval.nanoseconds
        let passed = (now - start).nanoseconds
        guard passed >= 0, step > 0 else { return start }
        return Instant(nanoseconds: start.nanoseconds + (passed / step + 1) * step)
    }

    /// So many interfaces are looked at at the same moment.
    static let together = 4
    /// The slots of an interval: two to the power of that many bits.
    private static let slotBits = 7
    private static let slots: Int64 = 1 << slotBits

    /// Each number's bits in the opposite order: however many are given, they lie evenly between one another.
    private static func slot(of number: Int) -> Int64 {
        var slot: Int64 = 0
        for bit in 0..<slotBits where number >> bit & 1 == 1 { slot |= 1 << (slotBits - 1 - bit) }
        return slot
    }
}
