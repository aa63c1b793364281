/// A period of local time that repeats every week on certain days, without automatic bounces.
public struct QuietWindow: Codable, Hashable, Sendable {
    /// A day of the week, numbered as `tm_wday` (localtime(3)).
    public enum Weekday: Int, Codable, Hashable, Sendable, CaseIterable {
        case sunday, monday, tuesday, wednesday, thursday, friday, saturday
    }

    /// The days on which the window begins; never empty.
    public var days: Set<Weekday>
    /// The start in minutes after midnight, 0 to 1439.
    public var start: Int
    /// The end in minutes after midnight, 1 to 1440. An end that is not later than the start is on the next
    /// day.
    public var end: Int

    public init(days: Set<Weekday> = Set(Weekday.allCases), start: Int, end: Int) {
        self.days = days
        self.start = start
        self.end = end
    }

    /// A day in minutes.
    private static let day = 1440
    /// A week in minutes.
    private static let week = 7 * day

    /// The end of the current quiet hours, in minutes after the last midnight. Windows that overlap or adjoin
    /// count as one. If the windows cover the whole week, the result is a week after this minute.
    /// - Parameters:
    ///   - weekday: the current day.
    ///   - minute: the current minute of that day, 0 to 1439.
    /// - Returns: minutes after the last midnight; nil: no window covers this minute.
    public static func end(of windows: [QuietWindow], on weekday: Weekday, at minute: Int) -> Int? {
        let occurrences = windows.flatMap { $0.occurrences(around: weekday) }
        var end = minute
        while let later = occurrences.filter({ $0.contains(end) }).map(\.upperBound).max() {
            end = later
            if end >= minute + week { return minute + week }
        }
        return end == minute ? nil : end
    }

    /// All occurrences of this window from the previous day to the same day of the next week, in minutes
    /// after the last midnight.
    private func occurrences(around today: Weekday) -> [Range<Int>] {
        let length = end > start ? end - start : end - start + Self.day
        return (-1...7).compactMap { offset in
            let number = (today.rawValue + offset + 7) % 7
            guard days.contains(where: { $0.rawValue == number }) else { return nil }
            let begins = offset * Self.day + start
            return begins..<begins + length
        }
    }
}
