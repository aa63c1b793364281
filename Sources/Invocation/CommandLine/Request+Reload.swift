/// What a running service changes when it reads its configuration again.
extension Request {
    /// This request with those settings of `fresh` that may change while a service runs. All others stay as
    /// they were at the start. The state and run directories must not change, because other processes expect
    /// the locks, files and sockets there.
    public func takingOver(_ fresh: Request) -> Request {
        var next = self
        next.metricsFile = fresh.metricsFile
        next.hooksDirectory = fresh.hooksDirectory
        next.commandUser = fresh.commandUser
        return next
    }

    /// The keys of the whole run in which the two requests differ, in the order of the option table.
    public func keys(differingFrom other: Request) -> [String] {
        OptionTable.rows.map(\.name).filter { text($0) != other.text($0) }.map(\.rawValue)
    }

    /// The value of an option as text, to compare; nil: it has no value, or does not apply to the whole run.
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
        default: nil
        }
    }
}
