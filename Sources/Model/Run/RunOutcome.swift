/// The outcome of a run.
public enum RunOutcome: Encodable, Hashable, Sendable {
    /// The link is healthy, perhaps after a bounce. Or a bounce by `toggle` or `--force` was carried out and
    /// could not be verified, or was only reported in a dry run.
    case healthy
    case sick
    case unknown
    case refused(NoBounceReason)
    case failed(BounceStep, Failure)
    /// Ended by a signal. If the link was down because of a bounce, it was raised first.
    case interrupted

    /// The outcome of a run that ends with this conclusion.
    public init(_ conclusion: Verdict.Conclusion) {
        switch conclusion {
        case .healthy: self = .healthy
        case .sick: self = .sick
        case .unknown: self = .unknown
        }
    }
}
