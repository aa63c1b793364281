/// An error in the configuration file, and its place.
public struct ConfigurationError: Error, Equatable, Sendable {
    enum Problem: Error, Equatable, Sendable {
        /// The text is not that of an INI file.
        case text(INIText.Problem)
        case keyOutsideSection(String)
        case badSection(String, InterfacePattern.Problem)
        /// A section for a single interface whose name looks like a mistyped `default`.
        case nearlyDefault(String)
        case notAHardwareAddress(String)
        case unknownKey(String, suggestion: String?)
        /// An option that only the command line accepts.
        case commandLineOnly(String)
        /// A key about the whole run in a section for an interface.
        case onlyInDefault(String)
        case badValue(key: String, value: String, problem: ValueProblem, example: String)
    }

    public var file: String
    /// The number of the line; the first is 1.
    public var line: Int
    var problem: Problem

    /// The error in one sentence, without the program's name: `file:line: what is wrong, what would be
    /// right`.
    public var description: String { "\(file):\(line): \(problem.description)" }
}

extension ConfigurationError.Problem {
    /// The text of the sentence: what is wrong, and what would be right.
    var description: String {
        switch self {
        case .text(.lineTooLong(let limit)):
            "the line is longer than \(limit) bytes (make it shorter; several probes may be several lines)"
        case .text(.controlCharacter(let byte)):
            "the control character 0x\(String(byte, radix: 16)), which no value may have"
                + " (take it out; cat -v shows where it is)"
        case .text(.notUnderstood(let line)):
            "\(QuotedText.quote(line)) is neither '[section]' nor 'key = value'"
                + " (for example: [default], interval = 60s)"
        case .text(.textAfterSection(let text)):
            "\(QuotedText.quote(text)) after the section's name"
                + (text.utf8.first == UInt8(ascii: "]")
                    ? " (a glob has no brackets here: write '?' for one letter)"
                    : " (put it into a line of its own; a comment begins with ';')")
        case .text(.sectionTooLong(let name)):
            Self.badSection(
                name,
                .tooLong(
                    limit: InterfacePattern.isGlob(name)
                        ? INIText.longestSection : InterfacePattern.longestName))
        case .keyOutsideSection(let key):
            "\(QuotedText.quote(key)) stands before the first section (put '[default]' above it)"
        case .badSection(let name, let problem): Self.badSection(name, problem)
        case .nearlyDefault(let name):
            "section \(QuotedText.quote(name)) is probably a misspelling of [default] (if an interface has this"
                + " name, write [mac=ADDRESS] or [\(Self.pattern(for: name))])"
        case .notAHardwareAddress(let name):
            "section \(QuotedText.quote(name)) is not a hardware address"
                + " (for example: [mac=02:00:00:00:00:01])"
        case .unknownKey(let key, let suggestion):
            "unknown key \(QuotedText.quote(key))"
                + (suggestion == nil
                    ? " (wifi-toggler.conf(5) has all of them)" : ValueProblem.meant(suggestion))
        case .commandLineOnly(let key):
            "'\(key)' is no key of the file (give it on the command line, as --\(key))"
        case .onlyInDefault(let key):
            "'\(key)' concerns the whole run (move it to [default])"
        case .badValue(let key, let value, let problem, let example):
            "\(key): \(QuotedText.quote(value)) \(problem.description)"
                + Self.hint(key, value, problem, example)
        }
    }

    private static func badSection(_ name: String, _ problem: InterfacePattern.Problem) -> String {
        "section \(QuotedText.quote(name)) \(problem.description) (for example: [default], [wlan0], [wl*],"
            + " [mac=02:00:00:00:00:01])"
    }

    /// The name with `*` in place of its last character: a glob that matches the name. A glob is never taken
    /// for a mistyped `default`.
    private static func pattern(for name: String) -> String {
        QuotedText.quote(String(name.dropLast())).dropFirst().dropLast() + "*"
    }

    private static func hint(_ key: String, _ value: String, _ problem: ValueProblem, _ example: String)
        -> String
    {
        // After a value, inih accepts a comment only with `;`.
        if value.contains("#") { return " (a comment after a value begins with ' ;')" }
        return " (for example: \(key) = \(problem.example ?? example))"
    }
}
