import Model
import Platform

/// Determines whether it is a quiet hour.
struct QuietHoursClock {
    /// The quiet hours of an interface in the present configuration.
    let windows: (Link) -> [QuietWindow]

    /// When the present quiet hours end; nil if it is no quiet hour. This uses the wall clock; if the clock
    /// or its time zone is changed, the next check notices that.
    func end(for link: Link) -> Instant? { Self.end(of: windows(link)) }

    /// When the present quiet hours end if these windows are the quiet hours; nil if it is no quiet hour.
    static func end(of windows: [QuietWindow]) -> Instant? {
        // Without quiet hours, do not read the clock.
        guard !windows.isEmpty else { return nil }
        let clock = LocalClock()
        guard let weekday = QuietWindow.Weekday(rawValue: clock.weekday),
            let end = QuietWindow.end(of: windows, on: weekday, at: clock.minute)
        else { return nil }
        return Instant.now + clock.duration(untilMinute: end)
    }
}
