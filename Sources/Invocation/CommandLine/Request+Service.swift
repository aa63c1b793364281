import Model
import Toggling

/// What of a one-shot's command line a running service can do in its place.
extension Request {
    /// How long the link is to be held down, where the command line itself says so.
    public var ownDelay: Duration? { commandLine.duration(.delay) }

    /// The options of the command line that say how to probe, to decide or to bounce, as they stand there: a service
    /// does that as its own configuration says. Without those that a service takes over.
    public var optionsOfTheActor: [String] {
        OptionName.allCases.filter { commandLine.texts($0) != nil && isOfTheActor($0) }.map {
            "--\($0.rawValue)"
        }
    }

    private func isOfTheActor(_ name: OptionName) -> Bool {
        switch name {
        case .probe, .quorum, .commandUser, .force, .fall, .rise, .recheck, .timeout, .settle, .backoff,
            .backoffMaximum, .budget, .restore, .noFastReconnect, .method, .bounceOn, .grace, .degradedLoss,
            .degradedLatency,
            .quietHours, .evenIfInUse, .interval, .record:
            true
        case .delay: command != .toggle
        case .config, .stateDirectory, .runDirectory, .metrics, .hooksDirectory, .dryRun, .wait, .json,
            .quiet,
            .verbose, .log, .anyInterface, .check, .watch, .since, .page, .help, .version:
            false
        }
    }
}
