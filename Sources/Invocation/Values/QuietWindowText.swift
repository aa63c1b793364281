import Model

/// Quiet hours as users write them: windows such as `22:00-06:30`, `mon-fri 08:00-18:00` and
/// `sat,sun 00:00-24:00`, separated by commas, or `none`.
enum QuietWindowText {
    private static let none = "none"
    static let dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    /// The length of a day in minutes.
    private static let day = 1440

    /// Parses quiet hours.
    /// - Returns: the windows; empty: the text is `none`.
    static func parse(_ text: String) throws(ValueProblem) -> [QuietWindow] {
        if text == none { return [] }
        var windows: [QuietWindow] = []
        var days: [String] = []
        for element in ListText.elements(of: text) {
            days.append(element)
            // A comma between days does not end a window. Only the last element of a window has digits.
            guard element.utf8.contains(where: \.isASCIIDigit) else { continue }
            windows.append(try parseWindow(days.joined(separator: ",")))
            days = []
        }
        return days.isEmpty ? windows : windows + [try parseWindow(days.joined(separator: ","))]
    }

    private static func parseWindow(_ text: String) throws(ValueProblem) -> QuietWindow {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
        guard let duration = words.last, words.count <= 2 else { throw .notAWindow }
        let days = words.count == 2 ? try parseDays(words[0]) : Set(QuietWindow.Weekday.allCases)
        let ends = duration.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2 else { throw .notAWindow }
        let (start, end) = (try parseTime(ends[0]), try parseTime(ends[1]))
        guard start < day, end > 0 else { throw .notATime(start < day ? ends[1] : ends[0]) }
        guard start != end else { throw .emptyWindow }
        return QuietWindow(days: days, start: start, end: end)
    }

    /// Parses names of days and ranges of them, separated by commas. A range may pass the end of the week.
    private static func parseDays(_ text: String) throws(ValueProblem) -> Set<QuietWindow.Weekday> {
        var days: Set<QuietWindow.Weekday> = []
        for part in ListText.elements(of: text) {
            let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            let first = try parseDay(String(ends[0]))
            let last = ends.count == 2 ? try parseDay(String(ends[1])) : first
            var number = first
            days.insert(dayNumbered(number))
            while number != last {
                number = (number + 1) % dayNames.count
                days.insert(dayNumbered(number))
            }
        }
        return days
    }

    private static func dayNumbered(_ number: Int) -> QuietWindow.Weekday {
        QuietWindow.Weekday.allCases[number]
    }

    private static func parseDay(_ text: String) throws(ValueProblem) -> Int {
        guard let number = dayNames.firstIndex(of: text.lowercased()) else {
            throw .unknownDay(text, suggestion: Suggestion.nearest(to: text, among: dayNames))
        }
        return number
    }

    /// Parses a time of day, and returns minutes after midnight, 0 to 1440.
    private static func parseTime(_ text: String) throws(ValueProblem) -> Int {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), minutes < 60, hours * 60 + minutes <= day
        else { throw .notATime(text) }
        return hours * 60 + minutes
    }
}
