/// Ticks that do not drift: the k-th is at start + k × interval, whatever happened in between.
struct Schedule: Hashable, Sendable {
    var start: Instant
    /// More than zero.
    var interval: Duration

    /// The first tick after `now`. Ticks that were missed are not made up for.
    func next(after now: Instant) -> Instant {
        let step = interval.nanoseconds
        let passed = (now - start).nanoseconds
        guard passed >= 0, step > 0 else { return start }
        return Instant(nanoseconds: start.nanoseconds + (passed / step + 1) * step)
    }
}
