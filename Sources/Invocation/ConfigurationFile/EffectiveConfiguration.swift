import Model

/// The effective settings of a run, from the command line, the file and the defaults, as the text of a
/// configuration file that has the same effect without that command line.
public enum EffectiveConfiguration {
    /// The text of the configuration file.
    /// - Parameters:
    ///   - request: the request, merged with the file (`Request.merging`).
    ///   - file: the file; nil: there is none.
    /// - Returns: lines with their line feeds. A value that no file can contain is in a comment.
    public static func text(of request: Request, _ file: ConfigurationFile?) -> String {
        let composer = Composer(request: request, file: file)
        let sections = composer.sections.map { section in
            "\n[\(section.name.text)]\n" + composer.lines { composer.specifics(of: $0, in: section.layer) }
        }
        return "[default]\n" + composer.lines(composer.defaults) + composer.backoffsBehindSections
            + sections.joined()
    }
}

private struct Composer {
    let request: Request
    let file: ConfigurationFile?

    private static let backoffs: [OptionName] = [.backoff, .backoffMaximum]
    private var commandLine: OptionLayer { request.commandLine }
    var sections: [ConfigurationSection] { file?.specificSections ?? [] }

    /// Whether the command line's back-offs can only be written as comments. Setting one of the two back-offs
    /// may also change the other one, so the order matters: the command line is applied after the sections.
    /// If a section sets a back-off, values in `[default]` would be applied before that section.
    private var standsBehindSections: Bool {
        Self.backoffs.contains { commandLine.texts($0) != nil }
            && sections.contains { section in Self.backoffs.contains { section.layer.texts($0) != nil } }
    }

    func lines(_ values: (OptionRow) -> [String]) -> String {
        OptionTable.rows.filter { $0.scope != .commandLine }.flatMap { row in
            values(row).map { line(row, $0) }
        }.joined()
    }

    /// The values of an option that apply where no section sets any.
    func defaults(of row: OptionRow) -> [String] {
        switch row.name {
        case .backoff: return [DurationText.format(backoffSettings.backoff)]
        case .backoffMaximum: return [DurationText.format(backoffSettings.backoffMaximum)]
        // If the command line has `quiet` or `verbose`, it takes precedence over both keys of the file.
        case .quiet: return [request.output.verbosity == .quiet ? "yes" : "no"]
        case .verbose: return [request.output.verbosity == .verbose ? "yes" : "no"]
        default:
            return commandLine.texts(row.name) ?? file?.defaults.texts(row.name)
                ?? row.defaultText.map { [$0] } ?? []
        }
    }

    /// The values that a section sets, unless the command line overrides them.
    func specifics(of row: OptionRow, in layer: OptionLayer) -> [String] {
        let isOverruled = commandLine.texts(row.name) != nil && !Self.backoffs.contains(row.name)
        return isOverruled ? [] : layer.texts(row.name) ?? []
    }

    private var backoffSettings: Settings {
        var settings = Settings()
        file?.defaults.apply(to: &settings)
        if !standsBehindSections { commandLine.apply(to: &settings) }
        return settings
    }

    private func line(_ row: OptionRow, _ text: String) -> String {
        let line = "\(row.name.rawValue) = \(text)\n"
        // Some values cannot be written in a file, for example a probe with a comma, or text that looks like
        // a comment.
        let file = try? ConfigurationFile.parse("[default]\n" + line, path: "")
        return file?.defaults.texts(row.name) == [text] ? line : comment(row, text)
    }

    /// The command line's back-offs as comments, if no section can express them.
    var backoffsBehindSections: String {
        guard standsBehindSections else { return "" }
        return Self.backoffs.flatMap { name in
            (commandLine.texts(name) ?? []).map { comment(OptionTable.row(name), $0) }
        }.joined()
    }

    private func comment(_ row: OptionRow, _ text: String) -> String {
        "# only on the command line: \(row.flag) \(QuotedText.quote(text))\n"
    }
}
