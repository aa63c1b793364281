/// What a running service takes over when it reads its configuration again.
extension Request {
    /// This request with those settings of `fresh` that may change while a service runs. The others determine
    /// locks, files and sockets, which other processes expect where they are: they stay as they were at the
    /// start.
    public func takingOver(_ fresh: Request) -> Request {
        var next = self
        next.metricsFile = fresh.metricsFile
        next.hooksDirectory = fresh.hooksDirectory
        next.commandUser = fresh.commandUser
        return next
    }

    /// The keys of the whole run in which the two requests differ, in the order of the table.
    public func keys(differingFrom other: Request) -> [String] {
        OptionTable.rows.map(\.name).filter { text($0) != other.text($0) }.map(\.rawValue)
    }

    /// The value for the whole run, as text to compare; nil: no value, or the key is not about the whole run.
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
