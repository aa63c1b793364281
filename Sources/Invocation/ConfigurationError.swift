/// What is wrong with the configuration file, and where.
public struct ConfigurationError: Error, Equatable, Sendable {
    public enum Problem: Equatable, Sendable {
        /// Longer than inih reads in one piece; the limit in bytes.
        case lineTooLong(limit: Int)
        case controlCharacter
        /// Neither a section nor `key = value`.
        case notUnderstood
        case textBehindSection(String)
        case keyOutsideSection(String)
        case badSection(String, InterfacePattern.Problem)
        case notAHardwareAddress(String)
        case unknownKey(String, suggestion: String?)
        /// An option that makes sense on the command line alone.
        case commandLineOnly(String)
        /// A key that concerns the whole run stands in a section of an interface.
        case onlyInDefault(String)
        case badValue(key: String, value: String, problem: ValueProblem, example: String)
    }

    public var file: String
    /// The first line is 1.
    public var line: Int
    public var problem: Problem

    public init(file: String, line: Int, problem: Problem) {
        self.file = file
        self.line = line
        self.problem = problem
    }

    /// One sentence, `file:line: what, what would be right`, without the program's name.
    public var sentence: String { "\(file):\(line): \(problem.words)" }
}

extension ConfigurationError.Problem {
    /// What is wrong, and what would be right.
    var words: String {
        switch self {
        case .lineTooLong(let limit): "the line is longer than \(limit) bytes"
        case .controlCharacter: "a control character, which no value has"
        case .notUnderstood: "neither '[section]' nor 'key = value'"
        case .textBehindSection(let text): "\(QuotedText.quote(text)) behind the section's name"
        case .keyOutsideSection(let key):
            "\(QuotedText.quote(key)) stands before the first section (put '[default]' above it)"
        case .badSection(let name, let problem):
            "section \(QuotedText.quote(name)) \(problem.words) (for example: [default], [wlan0], [wl*])"
        case .notAHardwareAddress(let name):
            "section \(QuotedText.quote(name)) is not a hardware address"
                + " (for example: [mac=02:00:00:00:00:01])"
        case .unknownKey(let key, let suggestion):
            "unknown key \(QuotedText.quote(key))"
                + (suggestion == nil
                    ? " (wifi-toggler.conf(5) has all of them)" : ValueProblem.meant(suggestion))
        case .commandLineOnly(let key): "'\(key)' can only be given on the command line, as --\(key)"
        case .onlyInDefault(let key): "'\(key)' concerns the whole run and belongs to [default]"
        case .badValue(let key, let value, let problem, let example):
            "\(key): \(QuotedText.quote(value)) \(problem.words)" + Self.hint(key, value, problem, example)
        }
    }

    private static func hint(_ key: String, _ value: String, _ problem: ValueProblem, _ example: String)
        -> String
    {
        // inih takes a comment behind a value with this sign alone.
        if value.contains("#") { return " (a comment behind a value begins with ' ;')" }
        return " (for example: \(key) = \(problem.example ?? example))"
    }
}
