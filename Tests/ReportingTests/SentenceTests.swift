import Foundation
import Testing

/// contrib/docs/messages.txt has an example of each message. This test finds forgotten messages: texts of two
/// and more words in the program's sources that are not in that file. In two cases it suffices that a manual
/// page has the text: if the text is a description of an option, from which a part of the manual is made, or
/// a value of a key of JSON, which wifi-toggler-output(5) marks as a literal. This test does not find single
/// words: ``ManualOutputTests`` compares those that are values.
@Suite("Sentences in the sources") struct SentenceTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Files whose texts are not for people: an interface definition and a style sheet.
    private static let otherFiles = ["ControlInterface.swift", "PageMarkup.swift"]

    /// Texts that no person sees, with the reason.
    private static let exceptions = [
        "wifi-toggler guard": "the title of a process",
        "Cache-Control: no-cache": "a header of HTTP, for a server",
        "takes the link down": "a failed precondition, of a caller that would have a mistake",
        "nsufficient privileges": "looked for in the answer of another program",
        "ot authorized": "looked for in the answer of another program",
        ", want up": "looked for in the answer of another program",
        "wifi-toggler learned 1": "the first line of a file",
        "wifi-toggler reboots 1": "the first line of a file",
        "wifi-toggler limiter 1": "the first line of a file",
        "the kernel has not heard the network since then": "the bounce goes on, and nothing is said",
        "another scan was asked for": "the bounce goes on, and nothing is said",
        "the question is too long or not valid": "the command line takes no such question",
        "this URL cannot be requested:": "the command line takes no such URL",
        "only run reboots": "the other commands pass over the method before",
        "no hook is configured": "the method is never without its path",
    ]

    @Test("each text of two or more words is in messages.txt or in the manual; each exception is needed")
    func complete() throws {
        let examples = try Self.examples()
        let options = try Self.descriptionsOfOptions()
        let values = try Self.values()
        var missing: [String: String] = [:]
        for file in try Self.files("Sources", ending: ".swift")
        where !Self.otherFiles.contains(file.lastPathComponent) {
            let shown = file.lastPathComponent == "OptionTable.swift" ? examples + options : examples
            var reader = LiteralReader(try Data(contentsOf: file))
            for text in reader.texts().map(Self.withoutTags) where Self.isSentence(text) {
                let plain = Self.plain(text)
                if !shown.contains(plain), !values.contains(plain) { missing[text] = file.lastPathComponent }
            }
        }
        #expect(missing.filter { Self.exceptions[$0.key] == nil } == [:])
        #expect(Self.exceptions.keys.filter { missing[$0] == nil } == [])
    }

    @Test("literals inside interpolations are found; comments and raw literals are skipped")
    func literals() {
        let source = """
            let a = "one \\(b ? "two words" : "\\"three\\"") four" // "five"
            /* "six" */ let c = #"seven"# + \"""
                eight \\
                nine
                \"""
            """
        var reader = LiteralReader(Data(source.utf8))
        #expect(reader.texts().map(Self.plain) == ["two words", "\"three\"", "one", "four", "eight nine"])
    }

    @Test("two words make a sentence, also short ones and with a comma between; tags of HTML do not")
    func sentences() {
        for text in ["a link", "raised; healthy", "<p>No history.</p>"] {
            #expect(Self.isSentence(Self.withoutTags(text)), "\(text)")
        }
        for text in ["keep-alive", "/run/x", "<path class=\"curve\" points=\"", "\" role=\"img\"><title>"] {
            #expect(!Self.isSentence(Self.withoutTags(text)), "\(text)")
        }
    }

    private static func isSentence(_ text: String) -> Bool {
        text.contains(/[a-z'][,;:.]? [a-z']/.ignoresCase())
    }

    /// The text without tags of HTML, also without those that begin before it or end after it.
    private static func withoutTags(_ text: String) -> String {
        text.replacing(/(^[^<>]*|<[^<>]*)>|<[^<>]*$/, with: " ")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The text in lower case, with single spaces, so that it can be compared with the lines that contain it.
    private static func plain(_ text: String) -> String {
        text.split { $0.isWhitespace }.joined(separator: " ").lowercased()
    }

    private static func examples() throws -> String { plain(try text(of: "contrib/docs/messages.txt")) }

    /// The parts of the manual that are made from `OptionTable.swift`.
    private static func descriptionsOfOptions() throws -> String {
        let pages = try files("man", ending: "").map { try String(contentsOf: $0, encoding: .utf8) }
        // Remove the macros of mdoc(7) at the start of lines, and undo escapes.
        let manual = pages.joined().replacing(/(?m)^\.([A-Z][a-z] )+|\\&|"/, with: "").replacing(
            "\\-", with: "-"
        )
        .replacing("\\(aq", with: "'")
        return plain(manual)
    }

    /// The literals of wifi-toggler-output(5) that have a line of their own.
    private static func values() throws -> Set<String> {
        let marked = try text(of: "man/wifi-toggler-output.5").matches(of: /(?m)^\.Ql (.+?)[ ,;.)]*$/)
        return Set(marked.map { plain(String($0.1)) })
    }

    private static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func files(_ directory: String, ending: String) throws -> [URL] {
        let place = root.appending(path: directory)
        return try FileManager.default.subpathsOfDirectory(atPath: place.path).filter { $0.hasSuffix(ending) }
            .map { place.appending(path: $0) }.filter { !$0.hasDirectoryPath }
    }
}

/// Reads the string literals of a Swift file: the texts between their interpolations.
private struct LiteralReader {
    private let source: [UInt8]
    private var position = 0
    private var found: [String] = []

    init(_ source: Data) { self.source = Array(source) }

    mutating func texts() -> [String] {
        while position < source.count {
            if takes("//") {
                skip(behind: "\n")
            } else if takes("/*") {
                skip(behind: "*/")
            } else if takes("#\"") {
                skip(behind: "\"#")
            } else {
                step()
            }
        }
        return found
    }

    /// Reads the next literal, or skips one byte.
    private mutating func step() {
        if takes("\"\"\"") {
            literal(until: "\"\"\"")
        } else if takes("\"") {
            literal(until: "\"")
        } else {
            position += 1
        }
    }

    private mutating func literal(until end: String) {
        var texts: [[UInt8]] = [[]]
        while position < source.count, !takes(end) {
            if takes("\\(") {
                interpolation()
                texts.append([])
            } else if takes("\\\n") || takes("\\n") {
                texts[texts.count - 1].append(UInt8(ascii: " "))
            } else {
                _ = takes("\\")
                texts[texts.count - 1].append(source[position])
                position += 1
            }
        }
        found += texts.map {
            String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        .filter { !$0.isEmpty }
    }

    private mutating func interpolation() {
        var depth = 1
        while position < source.count, depth > 0 {
            if source[position] == UInt8(ascii: "(") { depth += 1 }
            if source[position] == UInt8(ascii: ")") { depth -= 1 }
            step()
        }
    }

    private mutating func takes(_ text: String) -> Bool {
        guard source[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func skip(behind text: String) {
        while position < source.count, !takes(text) { position += 1 }
    }
}
