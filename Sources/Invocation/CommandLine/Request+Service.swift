/// Which part of a one-shot's command line a running service can carry out.
extension Request {
    /// How long to keep the link down, if the command line says so itself.
    public var ownDelay: Duration? { commandLine.duration(.delay) }

    /// The options of the command line about probing, deciding and bouncing, as they were written. A service
    /// follows its own configuration there. Options that a service does take over are not included.
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
