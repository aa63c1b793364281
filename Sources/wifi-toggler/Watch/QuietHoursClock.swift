import Model
import Platform

/// Determines whether quiet hours apply.
struct QuietHoursClock {
    /// The quiet hours of an interface in the current configuration.
    let windows: (Link) -> [QuietWindow]

    /// When the quiet hours end; nil: there are none now. By the current wall clock: a change of the clock or
    /// of its time zone takes effect at the next check.
    func end(for link: Link) -> Instant? { Self.end(of: windows(link)) }

    /// The same for these windows.
    static func end(of windows: [QuietWindow]) -> Instant? {
        // No cost without quiet hours.
        guard !windows.isEmpty else { return nil }
        let clock = LocalClock()
        guard let weekday = QuietWindow.Weekday(rawValue: clock.weekday),
            let end = QuietWindow.end(of: windows, on: weekday, at: clock.minute)
        else { return nil }
        return Instant(nanoseconds: BootClock.now()) + clock.duration(untilMinute: end)
    }
}
