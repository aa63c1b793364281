import Model

/// A setting that is valid, but probably does not do what the user wants.
public struct ConfigurationWarning: Equatable, Sendable {
    enum Problem: Equatable, Sendable {
        /// The path of the metrics is not absolute.
        case relativePath
        /// The name of the metrics file is not one that node_exporter reads.
        case notForExporter
        /// A method, or `auto`, is named more than once.
        case repeatedMethod(String)
        /// The method `reboot` without a settle time.
        case neverReboots
        /// The method `reboot` with layers whose faults are often outside the machine and its network.
        case rebootsForOthers([Layer])
    }

    /// Where the value was given: `file:line: key`, or `--key`.
    var place: String
    var value: String
    var problem: Problem

    /// The warning in one sentence, without the program's name: place, value, what is odd, what would be right.
    public var description: String { "\(place): \(QuotedText.quote(value)) \(problem.description)" }
}

extension ConfigurationWarning.Problem {
    fileprivate var description: String {
        switch self {
        case .relativePath:
            return "is relative to the directory in which the program starts (give an absolute path)"
        case .notForExporter:
            return "does not end in .prom, so node_exporter does not read it"
                + " (choose a name such as wifi-toggler.prom)"
        case .repeatedMethod(let name):
            return "names '\(name)' more than once, and only the last one counts (remove the others)"
        case .neverReboots:
            return "means that methods are not verified: so none of them counts as failed, and the machine"
                + " is never rebooted (set more than 0, or remove reboot from method)"
        case .rebootsForOthers(let layers):
            let names = layers.map(\.rawValue).joined(separator: " and ")
            return "lets a fault at \(names) reboot the machine, even a fault of the name server or the"
                + " provider (remove \(names), or remove reboot from method)"
        }
    }
}

extension Request {
    /// What is odd about the settings of the command `run`: first the settings for all interfaces, then each
    /// section.
    /// - Parameter file: the file with which the request was merged; nil: there is none.
    public func warnings(_ file: ConfigurationFile?) -> [ConfigurationWarning] {
        var warnings: [ConfigurationWarning] = []
        for sections in file?.scopes ?? [[]] {
            let scope = Scope(commandLine: commandLine, sections: sections, path: file?.path ?? "")
            for warning in scope.warnings where !warnings.contains(warning) { warnings.append(warning) }
        }
        return warnings
    }
}

/// The sections that apply together, in rising precedence, and the command line, which overrides them.
private struct Scope {
    let commandLine: OptionLayer
    let sections: [ConfigurationSection]
    let path: String

    var warnings: [ConfigurationWarning] { ofMetrics + ofMethods }

    private var settings: Settings {
        var settings = Settings()
        for section in sections { section.layer.apply(to: &settings) }
        commandLine.apply(to: &settings)
        return settings
    }

    private var ofMetrics: [ConfigurationWarning] {
        guard let path = value(.metrics), path != Request.nowhere else { return [] }
        return [
            path.utf8.first == UInt8(ascii: "/") ? nil : warning(.metrics, .relativePath),
            path.hasSuffix(".prom") ? nil : warning(.metrics, .notForExporter),
        ].compactMap(\.self)
    }

    private var ofMethods: [ConfigurationWarning] {
        let settings = settings
        let layers = Layer.allCases.filter {
            settings.bouncedLayers.contains($0) && [.dns, .internet].contains($0)
        }
        return [
            layer(of: .method)?.methods?.repeated.flatMap { warning(.method, .repeatedMethod($0)) },
            settings.mayReboot && settings.settle == .zero ? warning(.settle, .neverReboots) : nil,
            settings.mayReboot && !layers.isEmpty ? warning(.bounceOn, .rebootsForOthers(layers)) : nil,
        ].compactMap(\.self)
    }

    /// The warning, with the place and the value of the option; nil: the option has its default.
    private func warning(
        _ name: OptionName, _ problem: ConfigurationWarning.Problem
    ) -> ConfigurationWarning? {
        guard let value = value(name) else { return nil }
        let line = sections.last { $0.lines[name] != nil }?.lines[name] ?? 0
        let isOnCommandLine = commandLine.texts(name) != nil
        return ConfigurationWarning(
            place: isOnCommandLine ? OptionTable.row(name).flag : "\(path):\(line): \(name.rawValue)",
            value: value, problem: problem)
    }

    private func value(_ name: OptionName) -> String? { layer(of: name)?.texts(name)?.last }

    /// The layer whose value of an option counts; nil: the option has its default.
    private func layer(of name: OptionName) -> OptionLayer? {
        ([commandLine] + sections.reversed().map(\.layer)).first { $0.texts(name) != nil }
    }
}
