/// The outcome of a run.
public enum RunOutcome: Encodable, Hashable, Sendable {
    /// Healthy, or bounced and healthy again; or what a user asked for was done and could not be verified, or
    /// was a dry run.
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
