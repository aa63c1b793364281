import Model
import Toggling

/// What the user asked for; all values are in range.
public struct Request: Equatable, Sendable {
    public var command: Command
    /// As they were named, each once; empty: the program has to find them.
    public var interfaces: [InterfacePattern]
    /// The operand of `hold`; nil for every other command.
    public var duration: Duration?
    /// The trace that `replay` reads, or `run` is to write; nil: none.
    public var trace: String?
    /// `history --since`: what ended earlier is left out; nil: nothing is.
    public var since: TimeText.Value?
    /// `history --html`: the file for the page, `-` for standard output; nil: no page is wanted.
    public var page: String?
    /// `run --check`: only check and print the configuration.
    public var checksOnly: Bool
    /// Report only mistakes: from the command line itself, since the file's setting is about the run.
    public let checksQuietly: Bool
    /// `status --watch`: stay.
    public var watches: Bool
    public var output: Output
    public var configurationFile: String
    /// `--config` was given: a missing file is then an error.
    public var namesConfigurationFile: Bool
    public var stateDirectory: String
    public var runDirectory: String
    /// The file for the metrics; nil: none is written.
    public var metricsFile: MetricsFile?
    /// The directory of the hooks; nil: there are none.
    public var hooksDirectory: String?
    /// How long to wait for another run's lock; 0 to 1 h.
    public var wait: Duration
    /// The user as whom command probes run.
    public var commandUser: String

    /// The command line's own settings, which win over any file.
    let commandLine: OptionLayer

    init(
        command: Command, interfaces: [InterfacePattern], duration: Duration? = nil, commandLine: OptionLayer
    ) {
        self.command = command
        self.interfaces = interfaces
        self.duration = duration
        self.commandLine = commandLine
        output = Output()
        trace = commandLine.path(.record)
        since = commandLine.instant(.since)
        page = commandLine.path(.page)
        checksOnly = commandLine.flag(.check) ?? false
        checksQuietly = commandLine.flag(.quiet) ?? false
        watches = commandLine.flag(.watch) ?? false
        configurationFile = commandLine.path(.config) ?? Self.usualConfigurationFile
        namesConfigurationFile = commandLine.path(.config) != nil
        stateDirectory = Self.usualStateDirectory
        runDirectory = Self.usualRunDirectory
        hooksDirectory = Self.usualHooksDirectory
        wait = Self.usualWait
        commandUser = Self.usualCommandUser
        apply(commandLine)
    }

    static let usualConfigurationFile = "/etc/wifi-toggler.conf"
    static let usualStateDirectory = "/var/lib/wifi-toggler"
    static let usualRunDirectory = "/run/wifi-toggler"
    static let usualHooksDirectory = "/etc/wifi-toggler/hooks.d"
    /// The word for "no path".
    static let nowhere = "none"
    static let usualWait: Duration = .seconds(10)
    public static let usualCommandUser = "nobody"

    /// This request with the settings for the whole run from the file's section `[default]`: output,
    /// directories and wait. The command line wins over the file.
    /// - Parameter file: nil: there is none, and nothing of an earlier one stays.
    public func merging(_ file: ConfigurationFile?) -> Request {
        var merged = Request(
            command: command, interfaces: interfaces, duration: duration, commandLine: commandLine)
        merged.trace = trace
        if let file { merged.apply(file.defaults, isShared: true) }
        merged.apply(commandLine)
        return merged
    }

    /// The settings for one interface: the command line wins over the file, the file over the defaults. Of
    /// the file's sections `[default]`, globs in their order, the exact name and the hardware addresses in
    /// their order, the later wins.
    /// - Parameter addresses: any of them may be named: the one in use may be a random one, and the one that
    ///   it was made with is not told by every driver.
    public func settings(
        for interfaceName: String, addresses: [MACAddress] = [], file: ConfigurationFile? = nil
    ) -> Settings {
        var settings = Settings()
        for layer in file?.layers(for: interfaceName, addresses: addresses) ?? [] {
            layer.apply(to: &settings)
        }
        commandLine.apply(to: &settings)
        return settings
    }

    /// The same for an interface as the kernel reports it.
    public func settings(for link: Link, file: ConfigurationFile?) -> Settings {
        settings(for: link.name, addresses: Self.addresses(of: link), file: file)
    }

    /// Whether quiet hours are configured anywhere.
    public func mayBeQuiet(file: ConfigurationFile?) -> Bool {
        commandLine.givesQuietHours || file?.givesQuietHours == true
    }

    /// The addresses by which sections may name it.
    public static func addresses(of link: Link) -> [MACAddress] {
        [link.macAddress, link.permanentAddress].compactMap(\.self)
    }

    /// - Parameter isShared: other services read the same configuration.
    private mutating func apply(_ layer: OptionLayer, isShared: Bool = false) {
        output.isJSON = layer.flag(.json) ?? output.isJSON
        output.verbosity = layer.verbosity ?? output.verbosity
        output.log = layer.log ?? output.log
        stateDirectory = layer.path(.stateDirectory) ?? stateDirectory
        runDirectory = layer.path(.runDirectory) ?? runDirectory
        if let path = layer.path(.metrics) {
            metricsFile = path == Self.nowhere ? nil : MetricsFile(path, for: isShared ? interfaces : [])
        }
        if let path = layer.path(.hooksDirectory) { hooksDirectory = path == Self.nowhere ? nil : path }
        wait = layer.duration(.wait) ?? wait
        commandUser = layer.user(.commandUser) ?? commandUser
    }
}
