import Model

/// The interfaces to which a section of the configuration file applies.
enum SectionName: Hashable, Sendable {
    case everyInterface
    case interface(InterfacePattern)
    case hardwareAddress(MACAddress)

    private static let defaultText = "default"
    private static let macPrefix = "mac="
    static let globRank = 1
    static let nameRank = 2

    /// Parses the text between the brackets. A name that is one or two typing errors away from `default` is
    /// refused: hardly any interface has such a name, and settings that are meant for all interfaces would
    /// apply to none. A glob or an address can still name such an interface.
    init(_ text: String) throws(ConfigurationError.Problem) {
        if text == Self.defaultText {
            self = .everyInterface
        } else if let address = Self.address(in: text) {
            guard let address = MACAddress(text: address) else {
                throw .notAHardwareAddress(text)
            }
            self = .hardwareAddress(address)
        } else {
            let pattern: InterfacePattern
            do throws(InterfacePattern.Problem) {
                pattern = try InterfacePattern(text)
            } catch {
                throw .badSection(text, error)
            }
            if !pattern.isGlob, Suggestion.nearest(to: text, among: [Self.defaultText]) != nil {
                throw .nearlyDefault(text)
            }
            self = .interface(pattern)
        }
    }

    /// The text after `mac=`, which may be in upper or lower case; nil: the text does not begin with it.
    private static func address(in text: String) -> String? {
        let bytes = macPrefix.utf8.count
        guard String(decoding: text.utf8.prefix(bytes), as: UTF8.self).lowercased() == macPrefix else {
            return nil
        }
        return String(decoding: text.utf8.dropFirst(bytes), as: UTF8.self)
    }

    /// The text between the brackets.
    var text: String {
        switch self {
        case .everyInterface: Self.defaultText
        case .interface(let pattern): pattern.text
        case .hardwareAddress(let address): Self.macPrefix + address.description
        }
    }

    /// The section with the greater rank takes precedence.
    var rank: Int {
        switch self {
        case .everyInterface: 0
        case .interface(let pattern): pattern.isGlob ? Self.globRank : Self.nameRank
        case .hardwareAddress: 3
        }
    }

    /// Whether the section applies to an interface.
    /// - Parameter addresses: the current and the permanent hardware address of the interface.
    func matches(_ interfaceName: String, _ addresses: [MACAddress]) -> Bool {
        switch self {
        case .everyInterface: true
        case .interface(let pattern): pattern.matches(interfaceName)
        case .hardwareAddress(let address): addresses.contains(address)
        }
    }
}

/// A section of the configuration file. Two sections of the same name are one.
struct ConfigurationSection: Equatable, Sendable {
    var name: SectionName
    var layer = OptionLayer()
    /// The last line of each key.
    private(set) var lines = OptionEntries<Int>()

    init(name: SectionName) { self.name = name }

    /// Takes one `key = value`.
    mutating func set(_ key: String, to value: String, line: Int) throws(ConfigurationError.Problem) {
        let row = try row(of: key)
        lines[row.name] = line
        for text in texts(of: row, in: value) {
            do throws(ValueProblem) {
                try layer.set(row, to: text)
                try layer.checkBackoff()
            } catch {
                throw badValue(of: row, text, error)
            }
        }
    }

    private func row(of key: String) throws(ConfigurationError.Problem) -> OptionRow {
        guard let option = OptionName(rawValue: key) else {
            let keys = OptionTable.rows.filter { $0.scope != .commandLine }.map(\.name.rawValue)
            // A user may have written the key with dashes, as on the command line.
            let word = String(key.drop { $0 == "-" })
            throw .unknownKey(key, suggestion: Suggestion.nearest(to: word, among: keys))
        }
        let row = OptionTable.row(option)
        switch row.scope {
        case .interface: return row
        case .wholeRun where name == .everyInterface: return row
        case .wholeRun: throw .onlyInDefault(key)
        case .commandLine: throw .commandLineOnly(key)
        }
    }

    /// The values of a key in one line; a list is split at commas.
    private func texts(of row: OptionRow, in value: String) -> [String] {
        row.isList ? ListText.elements(of: value) : [value]
    }

    /// The problem of a bad value. If the two back-offs contradict each other, the problem names
    /// `backoff-max`, whichever of the two came last.
    private func badValue(
        of row: OptionRow, _ text: String, _ problem: ValueProblem
    ) -> ConfigurationError.Problem {
        guard case .belowBackoff = problem, let longest = layer.duration(.backoffMaximum) else {
            return .badValue(key: row.name.rawValue, value: text, problem: problem, example: row.example)
        }
        return .badValue(
            key: OptionName.backoffMaximum.rawValue, value: DurationText.format(longest),
            problem: problem, example: row.example)
    }
}
