/// What a running service makes of a configuration that it reads again.
extension Request {
    /// The same with what another one says of that which can be another while a service runs. By all else it holds
    /// locks, files and sockets, and others look for them where they are: that stays as it was at the start.
    public func takingOver(_ fresh: Request) -> Request {
        var next = self
        next.metricsFile = fresh.metricsFile
        next.hooksDirectory = fresh.hooksDirectory
        next.commandUser = fresh.commandUser
        return next
    }

    /// The keys of the whole run of which another request says something else, in the order of the table.
    public func keys(differingFrom other: Request) -> [String] {
        OptionTable.rows.map(\.name).filter { text($0) != other.text($0) }.map(\.rawValue)
    }

    /// What holds for the whole run, to be compared; nil: nothing does, or it is no matter of the whole run.
    private func text(_ name: OptionName) -> String? {
        switch name {
        case .commandUser: commandUser
        case .stateDirectory: stateDirectory
        case .runDirectory: runDirectory
        case .metrics: metricsFile?.path
        case .hooksDirectory: hooksDirectory
        case .wait: DurationText.format(wait)
        case .json: String(output.isJSON)
        case .quiet: String(output.verbosity == .quiet)
        case .verbose: String(output.verbosity == .verbose)
        case .log: output.log.rawValue
        case .interval, .delay, .probe, .quorum, .force, .fall, .rise, .recheck, .timeout, .settle, .backoff,
            .backoffMaximum, .budget, .restore, .noFastReconnect, .method, .bounceOn, .grace, .degradedLoss,
            .degradedLatency,
            .quietHours, .evenIfInUse, .dryRun, .anyInterface, .config, .record, .check, .watch, .since,
            .page,
            .help, .version:
            nil
        }
    }
}
