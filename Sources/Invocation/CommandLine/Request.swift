import Model

/// A user's request from the command line; all values are in range.
public struct Request: Equatable, Sendable {
    public var command: Command
    /// The interfaces as the user named them, each once; empty: the program has to find them.
    public var interfaces: [InterfacePattern]
    /// The operand of `hold`; nil for every other command.
    public var duration: Duration?
    /// The path of the trace that `replay` reads, or that another command writes; nil: there is none.
    public var trace: String?
    /// `history --since`: events that ended before this time are left out; nil: none are.
    public var since: TimeText.Value?
    /// `history --html`: the file for the page, `-` for standard output; nil: no page is wanted.
    public var page: String?
    /// `run --check`: whether to only check and print the configuration.
    public var checksOnly: Bool
    /// Whether `run --check` reports only mistakes. Only the command line decides that, because `quiet` in
    /// the file is about the run.
    public let checksQuietly: Bool
    /// `status --watch`: whether to stay and show changes.
    public var watches: Bool
    public var output: Output
    public var configurationFile: String
    /// Whether `--config` was given: then a missing file is an error.
    public var namesConfigurationFile: Bool
    public var stateDirectory: String
    public var runDirectory: String
    /// The file for the metrics; nil: none is written.
    public var metricsFile: MetricsFile?
    /// The directory of the hooks; nil: there are none.
    public var hooksDirectory: String?
    /// How long to wait for the lock of another run; 0 to 1 h.
    public var wait: Duration
    /// The user as whom command probes run.
    public var commandUser: String

    /// The command line's settings, which take precedence over the file.
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
    /// The word that stands for no path.
    static let nowhere = "none"
    static let usualWait: Duration = .seconds(10)
    public static let usualCommandUser = "nobody"

    /// This request with the settings for the whole run from the file's section `[default]`. The command line
    /// takes precedence over the file.
    /// - Parameter file: the file; nil: there is none, and no setting of an earlier file stays.
    public func merging(_ file: ConfigurationFile?) -> Request {
        var merged = Request(
            command: command, interfaces: interfaces, duration: duration, commandLine: commandLine)
        merged.trace = trace
        if let file { merged.apply(file.defaults, isShared: true) }
        merged.apply(commandLine)
        return merged
    }

    /// The settings for one interface. The command line takes precedence over the file, and the file over the
    /// defaults. Within the file, the order of rising precedence is: `[default]`, globs in their order, the
    /// exact name, hardware addresses in their order.
    /// - Parameter addresses: the hardware addresses of the interface, any of which a section may name. The
    ///   current address may be random, and not every driver reports the permanent one.
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

    /// The settings for an interface as the kernel reports it.
    public func settings(for link: Link, file: ConfigurationFile?) -> Settings {
        settings(for: link.name, addresses: Self.addresses(of: link), file: file)
    }

    /// Whether the command line or any section of the file sets quiet hours.
    public func mayBeQuiet(file: ConfigurationFile?) -> Bool {
        commandLine.givesQuietHours || file?.givesQuietHours == true
    }

    /// The hardware addresses by which sections may name an interface.
    public static func addresses(of link: Link) -> [MACAddress] {
        [link.macAddress, link.permanentAddress].compactMap(\.self)
    }

    /// Takes over the settings of a layer that are about the whole run.
    /// - Parameter isShared: whether other services read the same configuration.
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
