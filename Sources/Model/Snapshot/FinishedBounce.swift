/// The result of a bounce that was interrupted and then finished by another process: its guard, the next
/// start, or `repair`.
public enum FinishedBounce: Hashable, Sendable {
    /// The interface does not exist any more, or its index belongs to another one.
    case gone
    /// A user or another program set the link down after it was raised, and has to raise it.
    case leftDown
    case notRaised(Failure)
    /// The link is up; whether it was found down, and what became of the items that it had lost.
    case finished(wasDown: Bool, Restoration)

    /// Whether nothing is left to do, or nothing can be done.
    public var isOver: Bool {
        switch self {
        case .gone, .leftDown, .finished: true
        case .notRaised: false
        }
    }
}
