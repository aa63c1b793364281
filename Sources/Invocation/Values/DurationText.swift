import Model

/// Durations as users write them: `500ms`, `3s`, `2m`, `1h30m`, `1d`. A bare number is seconds.
public enum DurationText {
    /// Why a text is not a duration.
    public enum ParseError: Error, Equatable, Sendable {
        /// The text is not a duration.
        case malformed
        /// The duration is more than 2^63 - 1 nanoseconds, some 292 years.
        case tooLarge
    }

    /// The units and their nanoseconds, the largest first. A text must have its units in this order.
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
        ("s", 1_000_000_000), ("ms", 1_000_000),
    ]
    private static let second: Int64 = 1_000_000_000
    /// The most digits of a fraction that are accepted: nanoseconds, if the unit is a second.
    private static let fractionDigits = 9
    /// A duration below this many seconds is written in seconds: 90s, not 1m30s.
    private static let plainSeconds: Int128 = 120

    /// Parses one or more parts, each a number and a unit. Each unit may occur once, and a larger one comes
    /// before a smaller one. The last number may have a decimal fraction of up to nine digits. A sign or
    /// white space is an error.
    /// - Throws: `malformed`, or `tooLarge`.
    public static func parse(_ text: String) throws(ParseError) -> Duration {
        var rest = Array(text.utf8)[...]
        var nextUnit = 0
        var total: Int64 = 0
        var isLast = false
        repeat {
            guard !isLast, let number = takeNumber(&rest) else { throw .malformed }
            let name = String(decoding: takeWhile(&rest, \.isASCIILowercase), as: UTF8.self)
            let isBare = name.isEmpty && nextUnit == 0 && rest.isEmpty
            guard let unit = units.firstIndex(where: { $0.name == (isBare ? "s" : name) }), unit >= nextUnit
            else { throw .malformed }
            total = try add(number, of: units[unit].nanoseconds, to: total)
            nextUnit = unit + 1
            isLast = !number.fraction.isEmpty
        } while !rest.isEmpty
        return .nanoseconds(total)
    }

    /// A text that `parse` reads back as the same duration. Fractions of a nanosecond are dropped. The text
    /// of a negative duration begins with `-`, which `parse` refuses.
    public static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let total = Int128(seconds) * Int128(second) + Int128(attoseconds) / Int128(second)
        guard total >= 0 else { return "-" + format(.zero - duration) }
        let fraction = total % Int128(second)
        if total < Int128(second), total > 0 { return decimal(total, unit: 1_000_000, name: "ms") }
        if total < plainSeconds * Int128(second) { return decimal(total, unit: Int128(second), name: "s") }
        var rest = total - fraction
        var text = ""
        for unit in units.prefix(3) where rest >= Int128(unit.nanoseconds) {
            text += "\(rest / Int128(unit.nanoseconds))\(unit.name)"
            rest %= Int128(unit.nanoseconds)
        }
        let seconds128 = rest + fraction
        return seconds128 == 0 ? text : text + decimal(seconds128, unit: Int128(second), name: "s")
    }

    private struct Number {
        var whole: Int64
        var fraction: [UInt8]
    }

    /// Takes a number from the front; nil: there is no valid one. A whole part that is too large for Int64
    /// becomes Int64.max.
    private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> Number? {
        let digits = takeWhile(&rest, \.isASCIIDigit)
        guard !digits.isEmpty else { return nil }
        let whole = Int64(String(decoding: digits, as: UTF8.self)) ?? .max
        guard rest.first == UInt8(ascii: ".") else { return Number(whole: whole, fraction: []) }
        rest.removeFirst()
        let fraction = takeWhile(&rest, \.isASCIIDigit)
        guard (1...fractionDigits).contains(fraction.count) else { return nil }
        return Number(whole: whole, fraction: Array(fraction))
    }

    private static func add(_ number: Number, of unit: Int64, to total: Int64) throws(ParseError) -> Int64 {
        var fraction: Int128 = 0
        var scale: Int128 = 1
        for digit in number.fraction {
            fraction = fraction * 10 + Int128(digit - UInt8(ascii: "0"))
            scale *= 10
        }
        // The products are below 2^63 times 2^47, so they fit into 128 bits.
        let sum = Int128(total) + Int128(number.whole) * Int128(unit) + fraction * Int128(unit) / scale
        guard let fitting = Int64(exactly: sum) else { throw .tooLarge }
        return fitting
    }

    private static func decimal(_ value: Int128, unit: Int128, name: String) -> String {
        let fraction = String(value % unit)
        let width = String(unit).count - 1
        var digits = String(repeating: "0", count: width - fraction.count) + fraction
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(value / unit)" + (value % unit == 0 ? "" : "." + digits) + name
    }

    private static func takeWhile(
        _ rest: inout ArraySlice<UInt8>, _ belongs: (UInt8) -> Bool
    ) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: belongs)
        rest = rest.dropFirst(taken.count)
        return taken
    }
}
