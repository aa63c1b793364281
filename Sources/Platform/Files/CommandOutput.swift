/// Prepares the output of a command for people. The bytes are not trusted.
public enum CommandOutput {
    private static let longest = 200

    /// The first line of the output, at most 200 characters, with control characters replaced by spaces, and
    /// each run of spaces by one; nil if nothing is left.
    public static func firstLine(of output: some Sequence<UInt8>) -> String? {
        let line = output.prefix { $0 != UInt8(ascii: "\n") }
        var text = ""
        var last: Unicode.Scalar = " "
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars.prefix(longest) {
            let shown: Unicode.Scalar = isPrintable(scalar) ? scalar : " "
            if shown != " " || last != " " { text.unicodeScalars.append(shown) }
            last = shown
        }
        while text.unicodeScalars.last == " " { text.unicodeScalars.removeLast() }
        return text.isEmpty ? nil : text
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            false
        default: true
        }
    }
}
