import Model
import Platform
import Toggling

/// Looks whether it is a time in which nothing shall be bounced by itself.
struct QuietHoursClock {
    /// What the configuration of today says of an interface.
    let windows: (Link) -> [QuietWindow]

    /// When that time is over; nil: it is not such a time. By the wall's clock of this moment: whoever sets
    /// it, or its zone, is understood at the next check.
    func end(for link: Link) -> Instant? { Self.end(of: windows(link)) }

    /// The same of these windows.
    static func end(of windows: [QuietWindow]) -> Instant? {
        // Costs nobody anything who has none.
        guard !windows.isEmpty else { return nil }
        let clock = LocalClock()
        guard let weekday = QuietWindow.Weekday(rawValue: clock.weekday),
            let end = QuietWindow.end(of: windows, on: weekday, at: clock.minute)
        else { return nil }
        return Instant(nanoseconds: BootClock.now()) + clock.duration(untilMinute: end)
    }
}
