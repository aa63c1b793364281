import Model

/// A driver file, with rules about drivers. It is read and checked as a whole.
///
///     [mt7925e pci]
///     fault = the driver deadlocks when its station is removed
///     forbid = rfkill,rebind
///     remedy = update the kernel
///     source = nbramia/LifeOS#484
public struct DriverFile {
    enum Key: String, CaseIterable {
        case fault, allow, forbid
        case powerSave = "power-save"
        case remedy, source
    }

    /// Parses the text of a driver file with inih. The text is accepted as a whole, or refused because of the
    /// first wrong line.
    /// - Parameter path: the path as messages show it.
    /// - Throws: the first error, with its line.
    public static func parse(_ text: String, path: String) throws(DriverFileError) -> [DriverRule] {
        var file = DriverFile(path: path)
        let entries: [INIText.Entry]
        do throws(INIText.Mistake) {
            entries = try INIText.entries(of: text)
        } catch {
            throw DriverFileError(file: path, line: error.line, problem: .text(error.problem))
        }
        for entry in entries {
            do throws(DriverFileError.Problem) {
                try file.take(entry)
            } catch {
                throw DriverFileError(file: path, line: entry.line, problem: error)
            }
        }
        return file.rules
    }

    private let path: String
    private var rules: [DriverRule] = []
    /// The keys of the current section so far, with their lines.
    private var keys: [Key: Int] = [:]

    private init(path: String) { self.path = path }

    private mutating func take(_ entry: INIText.Entry) throws(DriverFileError.Problem) {
        guard let word = entry.name else { return try begin(entry) }
        guard var rule = rules.popLast() else { throw .keyOutsideSection(word) }
        guard let key = Key(rawValue: word) else {
            throw .unknownKey(
                word, suggestion: Suggestion.nearest(to: word, among: Key.allCases.map(\.rawValue)))
        }
        if let line = keys.updateValue(entry.line, forKey: key) { throw .repeatedKey(key, line: line) }
        guard !entry.value.isEmpty else { throw .empty(key) }
        switch key {
        case .allow: rule.allowed = try Self.methods(key, entry.value)
        case .forbid: rule.forbidden = try Self.methods(key, entry.value)
        case .powerSave: rule.powerSave = try Self.powerSave(entry.value)
        case .fault: rule.fault = try Self.words(key, entry.value)
        case .remedy: rule.remedy = try Self.words(key, entry.value)
        case .source: rule.source = try Self.words(key, entry.value)
        }
        if let both = rule.allowed?.intersection(rule.forbidden).min() { throw .contradiction(both) }
        rules.append(rule)
    }

    private mutating func begin(_ entry: INIText.Entry) throws(DriverFileError.Problem) {
        guard let name = DriverName(section: entry.section) else { throw .badSection(entry.section) }
        if let other = rules.first(where: { $0.name == name }) {
            throw .repeatedSection(entry.section, line: other.line)
        }
        rules.append(DriverRule(name, file: path, line: entry.line))
        keys = [:]
    }

    private static func methods(_ key: Key, _ value: String) throws(DriverFileError.Problem) -> Set<Method> {
        var methods: Set<Method> = []
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let word = part.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
            guard let method = Method(rawValue: word) else {
                let known = Method.allCases.map(\.rawValue)
                throw .unknownMethod(key, word, suggestion: Suggestion.nearest(to: word, among: known))
            }
            methods.insert(method)
        }
        return methods
    }

    private static func powerSave(_ value: String) throws(DriverFileError.Problem) -> PowerSave {
        guard let powerSave = PowerSave(rawValue: value), powerSave != .auto else {
            throw .badPowerSave(value)
        }
        return powerSave
    }

    /// Checks that a value may be shown on a terminal or in a log.
    private static func words(_ key: Key, _ value: String) throws(DriverFileError.Problem) -> String {
        guard value.unicodeScalars.allSatisfy(QuotedText.isPrintable) else { throw .unprintable(key, value) }
        return value
    }
}

extension DriverName {
    /// Parses `DRIVER BUS`; otherwise nil.
    fileprivate init?(section: String) {
        let words = section.split { $0 == " " || $0 == "\t" }.map(String.init)
        guard words.count == 2 else { return nil }
        let start = words[0].hasSuffix("*") ? words[0].dropLast() : words[0][...]
        guard Self.isName(start), Self.isName(words[1][...]) else { return nil }
        self.init(words[0], on: words[1])
    }

    /// Whether the kernel could have such a name: it is printable, without white space, `/` and `*`.
    private static func isName(_ name: Substring) -> Bool {
        name.utf8.allSatisfy {
            (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "*")
        }
    }
}
