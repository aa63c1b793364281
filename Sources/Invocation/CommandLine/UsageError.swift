/// An error in the command line. The sentence about it is made when it is printed.
public enum UsageError: Error, Equatable, Sendable {
    case commandMissing
    case unknownCommand(String, suggestion: String?)
    /// The option with its dashes, without its argument.
    case unknownOption(String, suggestion: String?)
    /// An abbreviation that is a prefix of several options.
    case ambiguousOption(String, candidates: [String])
    case argumentMissing(option: String, placeholder: String, example: String)
    /// An argument given to an option that takes none.
    case argumentUnexpected(option: String)
    case optionOfOtherCommand(option: String, command: Command)
    case badValue(option: String, value: String, problem: ValueProblem, example: String)
    case badInterface(String, InterfacePattern.Problem)
    case operandUnexpected(String, command: Command)

    /// The error in one sentence (for `commandMissing` in three lines), without the program's name and
    /// without the line feed.
    public var description: String {
        switch self {
        case .commandMissing:
            "a command is missing\n\(Help.usage(of: nil))\n" + Self.hint(nil)
        case .unknownCommand(let word, let suggestion):
            "unknown command \(QuotedText.quote(word))" + Self.meant(suggestion)
        case .unknownOption(let option, let suggestion):
            "unknown option \(QuotedText.quote(option))" + Self.meant(suggestion)
        case .ambiguousOption(let option, let candidates):
            "option \(QuotedText.quote(option)) is ambiguous: " + candidates.joined(separator: ", ")
        case .argumentMissing(let option, let placeholder, let example):
            "\(option): \(placeholder) is missing (for example: \(option) \(example))"
        case .argumentUnexpected(let option):
            "\(option) takes no argument"
        case .optionOfOtherCommand(let option, let command):
            "\(option) is not an option of '\(command.rawValue)' (\(Self.hint(command)))"
        case .badValue(let option, let value, let problem, let example):
            "\(option): \(QuotedText.quote(value)) \(problem.description)"
                + " (for example: \(option) \(Self.argument(problem.example ?? example)))"
        case .badInterface(let name, let problem):
            "interface name \(QuotedText.quote(name)) \(problem.description) (for example: wlan0, or 'wl*')"
        case .operandUnexpected(let operand, let command):
            "'\(command.rawValue)' takes \(Self.most(command)): \(QuotedText.quote(operand)) is too many"
        }
    }

    /// The text as a user would type it on a command line.
    private static func argument(_ text: String) -> String { text.contains(" ") ? "'\(text)'" : text }

    private static func meant(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean '\($0)'?" } ?? " (\(hint(nil)))"
    }

    private static func hint(_ command: Command?) -> String {
        "try 'wifi-toggler \(command.map { $0.rawValue + " " } ?? "")--help'"
    }

    private static func most(_ command: Command) -> String {
        switch command.row.operands {
        case .none: "no operand"
        case .oneInterface, .interfaces: "one interface"
        case .durationAndInterface: "a duration and one interface"
        case .file: "one file"
        }
    }
}
