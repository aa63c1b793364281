import Model
import Toggling

/// The configuration file, read and checked as a whole.
public struct ConfigurationFile: Equatable, Sendable {
    /// As it is named in messages.
    public let path: String
    /// In the order of the file.
    private var sections: [ConfigurationSection] = []

    /// Reads the text of a configuration file through inih. Any text is either taken whole or refused with
    /// the first line that is wrong.
    public static func parse(_ text: String, path: String) throws(ConfigurationError) -> ConfigurationFile {
        var file = ConfigurationFile(path: path)
        let entries: [INIText.Entry]
        do throws(INIText.Mistake) {
            entries = try INIText.entries(of: text)
        } catch {
            throw ConfigurationError(file: path, line: error.line, problem: error.problem)
        }
        for entry in entries {
            do throws(ConfigurationProblem) {
                try file.take(entry)
            } catch {
                throw ConfigurationError(file: path, line: entry.line, problem: error.problem)
            }
        }
        return file
    }

    private init(path: String) { self.path = path }

    /// What the section `[default]` says.
    var defaults: OptionLayer { sections.first { $0.name == .everyInterface }?.layer ?? OptionLayer() }

    /// The sections besides `[default]`, in the order of the file.
    var specificSections: [ConfigurationSection] { sections.filter { $0.name != .everyInterface } }

    var givesQuietHours: Bool { sections.contains { $0.layer.givesQuietHours } }

    /// What the file says of one interface, what counts more coming later.
    func layers(for interfaceName: String, addresses: [MACAddress]) -> [OptionLayer] {
        let matching = sections.filter { $0.name.matches(interfaceName, addresses) }
        // By hand, because sort(by:) does not promise to keep the order of equal ones.
        let ranks = Set(matching.map(\.name.rank)).sorted()
        return ranks.flatMap { rank in matching.filter { $0.name.rank == rank }.map(\.layer) }
    }

    private mutating func take(_ entry: INIText.Entry) throws(ConfigurationProblem) {
        if entry.section.isEmpty, let key = entry.name { throw ConfigurationProblem(.keyOutsideSection(key)) }
        let name = try SectionName(entry.section)
        let index = sections.firstIndex { $0.name == name } ?? sections.endIndex
        if index == sections.endIndex { sections.append(ConfigurationSection(name: name)) }
        if let key = entry.name { try sections[index].set(key, to: entry.value) }
    }
}
