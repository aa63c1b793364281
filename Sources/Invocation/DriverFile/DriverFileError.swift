import Model

/// An error in a driver file, and its place.
public struct DriverFileError: Error, Equatable, Sendable {
    enum Problem: Error, Equatable, Sendable {
        /// The text is not that of an INI file.
        case text(INIText.Problem)
        case keyOutsideSection(String)
        case badSection(String)
        /// A section that occurred before, in this line.
        case repeatedSection(String, line: Int)
        case unknownKey(String, suggestion: String?)
        case repeatedKey(DriverFile.Key, line: Int)
        case empty(DriverFile.Key)
        case unprintable(DriverFile.Key, String)
        case unknownMethod(DriverFile.Key, String, suggestion: String?)
        case badPowerSave(String)
        /// The method is both allowed and forbidden.
        case contradiction(Method)
    }

    public var file: String
    /// The number of the line; the first is 1.
    public var line: Int
    var problem: Problem

    /// The error in one sentence, without the program's name: `file:line: what is wrong, what would be
    /// right`.
    public var description: String { "\(file):\(line): \(problem.description)" }
}

extension DriverFileError.Problem {
    /// The text of the sentence: what is wrong, and what would be right.
    var description: String {
        switch self {
        case .text(.lineTooLong(let limit)): "the line is longer than \(limit) bytes (make it shorter)"
        case .text(.controlCharacter(let byte)):
            ConfigurationError.Problem.text(.controlCharacter(byte)).description
        case .text(.notUnderstood(let line)):
            "\(QuotedText.quote(line)) is neither '[DRIVER BUS]' nor 'key = value'"
                + " (for example: [mt7925e pci], forbid = rebind)"
        case .text(.sectionTooLong(let name)):
            "section \(QuotedText.quote(name)) is too long (for example: [mt7925e pci])"
        case .text(.textAfterSection(let text)):
            "\(QuotedText.quote(text)) after the section's name"
                + " (put it into a line of its own; a comment begins with ';')"
        case .keyOutsideSection(let key):
            "\(QuotedText.quote(key)) stands before the first section (put '[DRIVER BUS]' above it)"
        case .badSection(let name):
            "section \(QuotedText.quote(name)) is not a driver and its bus"
                + " (for example: [mt7925e pci], [rtw88_* usb])"
        case .repeatedSection(let name, let line):
            "section \(QuotedText.quote(name)) is in line \(line) already (merge the two)"
        case .unknownKey(let key, let suggestion):
            "unknown key \(QuotedText.quote(key))"
                + (suggestion == nil
                    ? " (one of \(DriverFile.Key.allCases.map(\.rawValue).joined(separator: ", ")))"
                    : ValueProblem.meant(suggestion))
        case .repeatedKey(let key, let line):
            "'\(key.rawValue)' is in line \(line) already (merge the two)"
        case .empty(let key): "'\(key.rawValue)' has no value (write one, or take the line out)"
        case .unprintable(let key, let value):
            "\(key.rawValue): \(QuotedText.quote(value)) has a character that cannot be printed (take it out)"
        case .unknownMethod(let key, let word, let suggestion):
            "\(key.rawValue): \(QuotedText.quote(word)) is not a known method"
                + (suggestion == nil
                    ? " (one of \(Method.allCases.map(\.rawValue).joined(separator: ", ")))"
                    : ValueProblem.meant(suggestion))
        case .badPowerSave(let value):
            "power-save: \(QuotedText.quote(value)) is neither off nor leave (for example: power-save = off)"
        case .contradiction(let method):
            "'\(method.rawValue)' is allowed and forbidden (take it out of one of the two)"
        }
    }
}
