import Model

/// A configuration file that was read and checked as a whole.
public struct ConfigurationFile: Equatable, Sendable {
    /// The path as messages show it.
    public let path: String
    /// The sections in the order of the file.
    private var sections: [ConfigurationSection] = []

    /// Parses the text of a configuration file with inih. The text is accepted as a whole, or refused because
    /// of the first wrong line.
    /// - Throws: the first error, with its line.
    public static func parse(_ text: String, path: String) throws(ConfigurationError) -> ConfigurationFile {
        var file = ConfigurationFile(path: path)
        let entries: [INIText.Entry]
        do throws(INIText.Mistake) {
            entries = try INIText.entries(of: text)
        } catch {
            throw ConfigurationError(file: path, line: error.line, problem: .text(error.problem))
        }
        for entry in entries {
            do throws(ConfigurationError.Problem) {
                try file.take(entry)
            } catch {
                throw ConfigurationError(file: path, line: entry.line, problem: error)
            }
        }
        return file
    }

    private init(path: String) { self.path = path }

    /// The settings of the section `[default]`.
    var defaults: OptionLayer { sections.first { $0.name == .everyInterface }?.layer ?? OptionLayer() }

    /// The sections besides `[default]`, in the order of the file.
    var specificSections: [ConfigurationSection] { sections.filter { $0.name != .everyInterface } }

    var givesQuietHours: Bool { sections.contains { $0.layer.givesQuietHours } }

    /// The sections' options for one interface, in rising precedence.
    func layers(for interfaceName: String, addresses: [MACAddress]) -> [OptionLayer] {
        let matching = sections.filter { $0.name.matches(interfaceName, addresses) }
        // Sections of the same rank stay in the order of the file.
        let ranks = Set(matching.map(\.name.rank)).sorted()
        return ranks.flatMap { rank in matching.filter { $0.name.rank == rank }.map(\.layer) }
    }

    /// For `[default]` and for every other section, the sections that apply with it, in rising precedence.
    /// For a glob or an address, these are only `[default]` and the section itself, because the machine's
    /// interfaces determine which further sections apply with it.
    var scopes: [[ConfigurationSection]] {
        let defaults = sections.filter { $0.name == .everyInterface }
        return [defaults]
            + specificSections.map { section in
                guard section.name.rank == SectionName.nameRank else { return defaults + [section] }
                let globs = sections.filter {
                    $0.name.rank == SectionName.globRank && $0.name.matches(section.name.text, [])
                }
                return defaults + globs + [section]
            }
    }

    private mutating func take(_ entry: INIText.Entry) throws(ConfigurationError.Problem) {
        if entry.section.isEmpty, let key = entry.name { throw .keyOutsideSection(key) }
        let name = try SectionName(entry.section)
        let index = sections.firstIndex { $0.name == name } ?? sections.endIndex
        if index == sections.endIndex { sections.append(ConfigurationSection(name: name)) }
        if let key = entry.name { try sections[index].set(key, to: entry.value, line: entry.line) }
    }
}
