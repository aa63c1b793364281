import Model

/// One line of Prometheus' text format without the name of its family.
struct MetricSample {
    var labels: [(name: String, value: String)]
    var value: MetricValue
    /// The text after the family's name: `_bucket`, `_sum`, `_count` or nothing.
    var suffix: String

    init(_ labels: [(name: String, value: String)], _ value: MetricValue, suffix: String = "") {
        self.labels = labels
        self.value = value
        self.suffix = suffix
    }

    func write(_ family: String, to text: inout String) {
        text += family
        text += suffix
        for (position, label) in labels.enumerated() {
            text += position == 0 ? "{" : ","
            text += label.name
            text += "=\""
            Self.escape(label.value, to: &text)
            text += "\""
        }
        if !labels.isEmpty { text += "}" }
        text += " "
        text += value.text
        text += "\n"
    }

    /// Escapes the value of a label. It works on Unicode scalars, because the name of an interface may
    /// contain anything but slashes, colons and white space. A combining mark, for example, forms one
    /// Character with what comes before it.
    ///
    /// The format escapes three characters and allows all others. Control characters are written as `\u{N}`,
    /// as in the log, because people look at the file on a terminal.
    private static func escape(_ value: String, to text: inout String) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            case _ where scalar.isControlling: text += "\\\\u{" + String(scalar.value, radix: 16) + "}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// A number, as written in Prometheus' text format.
struct MetricValue {
    let text: String

    static func number(_ number: Int) -> MetricValue { MetricValue(text: String(number)) }

    static func flag(_ flag: Bool) -> MetricValue { .number(flag ? 1 : 0) }

    /// A duration in seconds, with at most nine decimals.
    static func seconds(_ duration: Duration) -> MetricValue {
        decimal(duration.nanoseconds, digits: 9)
    }

    /// A time in seconds since 1970-01-01T00:00:00Z, with at most three decimals: it is computed from two
    /// clocks, so more would not be exact.
    static func instant(nanoseconds: Int64) -> MetricValue {
        decimal(nanoseconds / 1_000_000, digits: 3)
    }

    /// A ratio with at most four decimals, rounded down.
    /// - Parameter whole: must be more than zero.
    static func ratio(_ part: Int, of whole: Int) -> MetricValue {
        decimal(Int64(part) * 10_000 / Int64(whole), digits: 4)
    }

    private static func decimal(_ number: Int64, digits: Int) -> MetricValue {
        var fraction = String(number.magnitude)
        fraction = String(repeating: "0", count: max(0, digits + 1 - fraction.utf8.count)) + fraction
        let whole = fraction.dropLast(digits)
        var rest = fraction.suffix(digits)
        while rest.last == "0" { rest.removeLast() }
        return MetricValue(
            text: (number < 0 ? "-" : "") + whole + (rest.isEmpty ? "" : "." + rest))
    }
}
