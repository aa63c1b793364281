/// What is tried against a sick link, in the order of gentleness; the raw value is its word in options and
/// records.
public enum Method: String, Codable, Hashable, Sendable, CaseIterable, Comparable {
    /// The owner is asked to associate anew, through its own control interface; addresses and routes stay.
    case reassociate
    /// The owner is asked to make the whole connection anew, by its own public interface (``OwnerRequest``).
    case owner
    /// The link is lowered, held down and raised.
    case bounce
    /// The radio's software switch is set to blocked and back, and the link raised: the unblock alone may leave
    /// it down.
    case rfkill
    /// The driver is taken off its device and put on it again: the interface goes and comes back under another
    /// index.
    case rebind
    /// A program of the administrator's.
    case hook

    /// Whether the link is taken down, so that it has to be given back by somebody: these come to a guard.
    public var takesLinkDown: Bool {
        switch self {
        case .bounce, .rfkill, .rebind: true
        case .reassociate, .owner, .hook: false
        }
    }

    /// Whether routes and addresses may go with it, so that they are recorded before and put back after it.
    public var mayCostRoutes: Bool { takesLinkDown || self == .owner }

    /// Gentler.
    public static func < (one: Method, other: Method) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .reassociate: 0
        case .owner: 1
        case .bounce: 2
        case .rfkill: 3
        case .rebind: 4
        case .hook: 5
        }
    }
}
