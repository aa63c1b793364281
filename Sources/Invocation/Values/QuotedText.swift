/// Quotes a user's or another program's text for a message of one line.
enum QuotedText {
    /// The longest text in Unicode scalars. A longer one is cut, so that a message stays readable.
    private static let longest = 60

    /// The text in single quotes. Control characters, which could affect a terminal, are written as `\u{1b}`,
    /// and a long text is cut.
    static func quote(_ text: String) -> String {
        var quoted = ""
        for scalar in text.unicodeScalars.prefix(longest) {
            if isPrintable(scalar) {
                quoted.unicodeScalars.append(scalar)
            } else {
                quoted += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        let isCut = text.unicodeScalars.dropFirst(longest).first != nil
        return "'" + quoted + (isCut ? "..." : "") + "'"
    }

    static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}
