/// The long options without their dashes, which are also the keys of the configuration file.
enum OptionName: String, CaseIterable, Sendable {
    case interval, delay, probe, quorum
    case commandUser = "command-user"
    case force, fall, rise, recheck, timeout, settle, backoff
    case noFastReconnect = "no-fast-reconnect"
    case backoffMaximum = "backoff-max"
    case budget
    case dailyBudget = "budget-per-day"
    case restore, method, config
    case stateDirectory = "state-dir"
    case runDirectory = "run-dir"
    case metrics
    case hooksDirectory = "hooks-dir"
    case dryRun = "dry-run"
    case wait, json, quiet, verbose, log
    case bounceOn = "bounce-on"
    case grace
    case rebootAfter = "reboot-after"
    case degradedLoss = "degraded-loss"
    case degradedLatency = "degraded-latency"
    case quietHours = "quiet-hours"
    case evenIfInUse = "even-if-in-use"
    case powerSave = "power-save"
    case announce
    case anyInterface = "any-interface"
    case record, check, watch, since
    case page = "html"
    case help, version
}

/// Where an option may be given.
enum OptionScope: Sendable {
    /// On the command line and in any section of the configuration file.
    case interface
    /// On the command line and in the section `[default]`.
    case wholeRun
    /// On the command line alone.
    case commandLine
}

/// What an option's argument is, and its range.
enum OptionKind: Equatable, Sendable {
    /// No argument on the command line; yes or no in the configuration file.
    case flag
    case yesOrNo
    case duration(ClosedRange<Duration>)
    case count(ClosedRange<Int>)
    /// With or without a percent sign.
    case percent(ClosedRange<Int>)
    case file
    case directory
    /// An absolute path, or none.
    case absoluteDirectory
    case probe
    case method
    case layers
    case user
    case quietWindow
    case instant
    case log
    case powerSave

    /// The word that stands for the argument in help texts; nil: there is none.
    var placeholder: String? {
        switch self {
        case .flag: nil
        case .yesOrNo: "yes|no"
        case .duration: "DURATION"
        case .count: "N"
        case .percent: "PERCENT"
        case .file: "FILE"
        case .directory, .absoluteDirectory: "DIR"
        case .probe: "SPEC"
        case .method: "METHOD"
        case .layers: "LAYER[,LAYER]..."
        case .user: "USER"
        case .quietWindow: "WINDOW"
        case .instant: "T"
        case .log: "WHERE"
        case .powerSave: "off|leave"
        }
    }
}

/// One row of the table of options: the source of the parser, the help, the manual page and the completions.
struct OptionRow: Sendable {
    var name: OptionName
    var short: Character?
    var kind: OptionKind
    /// As a user would write it; nil: there is no default.
    var defaultText: String?
    var commands: [Command]
    var scope: OptionScope = .interface
    /// A valid argument other than the default.
    var ownExample: String?
    /// One line, without a full stop.
    var help: String
    /// Whole sentences for the manual page.
    var manual: [String]

    /// A valid argument.
    var example: String { ownExample ?? (kind == .flag ? "yes" : defaultText ?? "") }
    /// `--name`, as on a command line.
    var flag: String { "--" + name.rawValue }
    /// If given more than once, all are used; of every other option the last one wins.
    var isRepeatable: Bool { kind == .probe || kind == .quietWindow }
    /// In the configuration file one line may have several, separated by commas.
    var isList: Bool { kind == .probe }
}
