/// The result of a bounce that was interrupted and then finished by another process: the guard, the next
/// start, or `repair`.
public enum FinishedBounce: Hashable, Sendable {
    /// The interface does not exist any more, or another interface has its index.
    case gone
    /// After the raise, a user or another program set the link down. It stays down.
    case leftDown
    /// The link could not be raised.
    case notRaised(Failure)
    /// The link is up. `wasDown`: whether this process found the link down and raised it. The restoration
    /// tells what became of the lost items.
    case finished(wasDown: Bool, Restoration)

    /// Whether the bounce needs no further attempt: nothing is left to do, or nothing can be done.
    public var isOver: Bool {
        switch self {
        case .gone, .leftDown, .finished: true
        case .notRaised: false
        }
    }
}
