import Model

/// A time in the past as users write it: how long ago (`2h`, `7d`), a day (`2026-02-03`, its beginning in
/// UTC), or a time (RFC 3339: `2026-02-03T04:05:06Z`, `2026-02-03T05:05:06.5+01:00`).
public enum TimeText {
    /// A parsed time.
    public enum Value: Hashable, Sendable {
        case ago(Duration)
        /// A time in seconds since 1970-01-01T00:00:00Z; a fraction of a second is dropped.
        case at(Int64)

        /// The time in milliseconds since 1970-01-01T00:00:00Z, as is `now`.
        public func milliseconds(now: Int64) -> Int64 {
            switch self {
            case .ago(let duration): now - duration.components.seconds * 1000
            case .at(let seconds): seconds * 1000
            }
        }
    }

    /// Parses a time; nil: the text is not valid.
    public static func value(of text: String) -> Value? { try? parse(text) }

    static func parse(_ text: String) throws(ValueProblem) -> Value {
        if let duration = try? DurationText.parse(text) {
            guard duration <= longest else { throw .tooLong(longest) }
            return .ago(duration)
        }
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let seconds = reader.instant() else { throw .notAMoment }
        return .at(seconds)
    }

    /// The longest time ago: a century.
    private static let longest: Duration = .seconds(36525 * 86400)

    /// Takes the parts of a time one after the other. A method returns nil if its part is missing or out of
    /// range.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func instant() -> Int64? {
            guard let year = number(4, 1970...9999), takes("-"), let month = number(2, 1...12), takes("-"),
                let day = number(2, 1...TimeText.days(in: month, of: year))
            else { return nil }
            let midnight = TimeText.days(until: year, month, day) * 86400
            if rest.isEmpty { return Int64(midnight) }
            guard takes("T") || takes("t") || takes(" "), let time = timeOfDay(), let offset = offset(),
                rest.isEmpty
            else { return nil }
            return Int64(midnight + time - offset)
        }

        private mutating func timeOfDay() -> Int? {
            guard let hour = number(2, 0...23), takes(":"), let minute = number(2, 0...59), takes(":"),
                let second = number(2, 0...60)
            else { return nil }
            if takes(".") {
                let digits = rest.prefix(while: \.isASCIIDigit)
                guard !digits.isEmpty else { return nil }
                rest = rest.dropFirst(digits.count)
            }
            return hour * 3600 + minute * 60 + second
        }

        private mutating func offset() -> Int? {
            if takes("Z") || takes("z") { return 0 }
            let sign = takes("+") ? 1 : takes("-") ? -1 : 0
            guard sign != 0, let hour = number(2, 0...23), takes(":"), let minute = number(2, 0...59) else {
                return nil
            }
            return sign * (hour * 3600 + minute * 60)
        }

        private mutating func takes(_ sign: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: sign) else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func number(_ digits: Int, _ range: ClosedRange<Int>) -> Int? {
            let part = rest.prefix(digits)
            guard part.count == digits, part.allSatisfy(\.isASCIIDigit) else { return nil }
            rest = rest.dropFirst(digits)
            let number = part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            return range.contains(number) ? number : nil
        }
    }

    // MARK: The calendar

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        month == 2 ? isLeap(year) ? 29 : 28 : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The number of days from 1970-01-01 to that day.
    private static func days(until year: Int, _ month: Int, _ day: Int) -> Int {
        let before = year - 1
        // The days of all whole years since the year 1, less the 719162 days of the first 1969 years.
        let years = before * 365 + before / 4 - before / 100 + before / 400 - 719_162
        return (1..<month).reduce(years + day - 1) { $0 + days(in: $1, of: year) }
    }
}
