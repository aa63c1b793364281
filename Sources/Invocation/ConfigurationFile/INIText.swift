import CInih

/// Configuration text parsed by inih: sections, keys and values, each with its line number.
///
/// inih gets the text line by line (ini_parse_stream) for two reasons: inih does not tell its handler the
/// line number, and it would read the end of a line that is too long as a line of its own.
struct INIText {
    /// A key with its value, or, if the name is nil, the head of a section.
    struct Entry: Equatable {
        var line: Int
        var section: String
        var name: String?
        var value: String
    }

    /// An error, and its line; the first line is 1.
    struct Mistake: Error, Equatable {
        var line: Int
        var problem: Problem
    }

    enum Problem: Equatable, Sendable {
        /// The line is longer than inih reads in one piece; the limit is in bytes.
        case lineTooLong(limit: Int)
        /// The line contains this control character.
        case controlCharacter(UInt8)
        /// The line is neither a section nor `key = value`.
        case notUnderstood(String)
        case sectionTooLong(String)
        case textAfterSection(String)
    }

    /// The longest line that inih reads in one piece, in bytes: INI_MAX_LINE without the line's end and the
    /// NUL.
    static let longestLine = Int(INI_MAX_LINE) - 3
    /// inih cuts a section's name after this many bytes (MAX_SECTION without the NUL).
    static let longestSection = 49

    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let tabulator = UInt8(ascii: "\t")
    private static let space = UInt8(ascii: " ")
    private static let firstPrintable: UInt8 = 0x20
    private static let delete: UInt8 = 0x7f

    static func entries(of text: String) throws(Mistake) -> [Entry] {
        let lines = try readLines(Array(text.utf8))
        let parser = INIParser(lines)
        if let number = parser.parse() {
            let line = lines.first { $0.number == number }?.bytes ?? []
            throw Mistake(line: number, problem: .notUnderstood(String(decoding: line, as: UTF8.self)))
        }
        return parser.entries
    }

    /// The lines with content. A mark follows a section's head, so that inih also reports a section without
    /// keys.
    private static func readLines(_ text: [UInt8]) throws(Mistake) -> [INIParser.Line] {
        var lines: [INIParser.Line] = []
        let bytes = text.starts(with: byteOrderMark) ? text[byteOrderMark.count...] : text[...]
        let pieces = bytes.split(separator: lineFeed, omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            let number = index + 1
            // The indentation is removed, because inih takes an indented line as a continuation of the value
            // above.
            let line = trim(piece)
            guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else {
                continue
            }
            if let byte = line.first(where: { $0 < firstPrintable && $0 != tabulator || $0 == delete }) {
                throw Mistake(line: number, problem: .controlCharacter(byte))
            }
            guard line.count <= longestLine else {
                throw Mistake(line: number, problem: .lineTooLong(limit: longestLine))
            }
            lines.append(INIParser.Line(number: number, bytes: Array(line)))
            guard first == UInt8(ascii: "[") else { continue }
            try checkSection(line, number)
            lines.append(INIParser.Line(number: number, bytes: INIParser.sectionMark))
        }
        return lines
    }

    /// Refuses what inih silently ignores: text after the bracket, and the end of a long name.
    private static func checkSection(_ line: ArraySlice<UInt8>, _ number: Int) throws(Mistake) {
        guard let end = line.firstIndex(of: UInt8(ascii: "]")) else {
            throw Mistake(
                line: number, problem: .notUnderstood(String(decoding: line, as: UTF8.self)))
        }
        let name = line[line.index(after: line.startIndex)..<end]
        guard name.count <= longestSection else {
            throw Mistake(
                line: number, problem: .sectionTooLong(String(decoding: name, as: UTF8.self)))
        }
        let rest = trim(line[line.index(after: end)...])
        if let first = rest.first, first != UInt8(ascii: ";"), first != UInt8(ascii: "#") {
            throw Mistake(line: number, problem: .textAfterSection(String(decoding: rest, as: UTF8.self)))
        }
    }

    private static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == space || byte == tabulator || byte == carriageReturn }
        var trimmed = bytes.drop(while: isBlank)
        while let last = trimmed.last, isBlank(last) { trimmed.removeLast() }
        return trimmed
    }
}
