/// The long options. The raw value is the name without dashes, which is also the key in the configuration
/// file.
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

/// The places in which an option may be given.
enum OptionScope: Sendable {
    /// On the command line and in any section of the configuration file.
    case interface
    /// On the command line and in the section `[default]`.
    case wholeRun
    /// On the command line alone.
    case commandLine
}

/// One row of the table of options, from which the parser, the help, the manual page and the completions are
/// made.
struct OptionRow: Sendable {
    var name: OptionName
    var short: Character?
    var kind: OptionKind
    /// The default as a user would write it; nil: there is none.
    var defaultText: String?
    var commands: [Command]
    var scope: OptionScope = .interface
    /// A valid argument other than the default; nil: the default is the example.
    var ownExample: String?
    /// The help in one line, without a full stop.
    var help: String

    /// A valid argument, for messages.
    var example: String { ownExample ?? (kind == .flag ? "yes" : defaultText ?? "") }
    /// The option as on a command line: `--name`.
    var flag: String { "--" + name.rawValue }
    /// Whether a line of the configuration file is split at its commas into several values of the option.
    var isList: Bool { kind == .probe }
}
