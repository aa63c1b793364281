/// A JSON value (RFC 8259), written here and read by `JSONReader`. FoundationEssentials would double the size
/// of the static program and its memory when idle.
public indirect enum JSONText: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number in thousandths, written as a decimal fraction: 1500 is `1.5`.
    case thousandths(Int64)
    case string(String)
    case array([JSONText])
    /// The members in the order in which they are written.
    case object([(String, JSONText)])

    /// The value as one line, without a line feed.
    public var line: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .thousandths(let value): text += Self.decimal(value)
        case .string(let value): Self.quote(value, to: &text)
        case .array(let values):
            text += "["
            for (position, value) in values.enumerated() {
                if position > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (position, member) in members.enumerated() {
                if position > 0 { text += "," }
                Self.quote(member.0, to: &text)
                text += ":"
                member.1.write(to: &text)
            }
            text += "}"
        }
    }

    private static func decimal(_ thousandths: Int64) -> String {
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        let sign = thousandths < 0 ? "-" : ""
        if rest == 0 { return sign + String(whole) }
        var digits = String(rest)
        digits = String(repeating: "0", count: 3 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case _ where isUnsafe(scalar):
                for unit in UTF16.encode(scalar) ?? .init() { text += escape(unit) }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// Whether the character controls a terminal or is invisible. A text may contain the name of a network.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar < " " || scalar == "\u{7f}" }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension JSONText: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }

    static func list(_ texts: [String]) -> JSONText { .array(texts.map { .string($0) }) }
    package static func optional(_ value: String?) -> JSONText { value.map { .string($0) } ?? .null }
    /// The duration in milliseconds, with microseconds as decimals; nil becomes null.
    static func milliseconds(_ duration: Duration?) -> JSONText {
        duration.map { .thousandths($0.nanoseconds / 1000) } ?? .null
    }
}
