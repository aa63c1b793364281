/// How it ended that a bounce which was left half done was finished by somebody else: its guard, the next
/// start, or `repair`.
public enum FinishedBounce: Hashable, Sendable {
    /// The interface is not there any more, or another has its number.
    case gone
    /// Somebody set the link down after it was raised: theirs to raise.
    case leftDown
    case notRaised(Failure)
    /// The link is up; whether it was found down, and what became of what it had lost.
    case finished(wasDown: Bool, Restoration)

    /// Whether nothing is left to do, or nothing that could be done.
    public var isOver: Bool {
        switch self {
        case .gone, .leftDown, .finished: true
        case .notRaised: false
        }
    }
}
