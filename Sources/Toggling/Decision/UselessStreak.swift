/// What bounces have been good for in this network: after a row of them that changed nothing the next ones come
/// as rarely as they may.
struct UselessStreak: Hashable, Sendable {
    /// So many in a row, and a bounce does not help here.
    static let timeout = 3

    /// Bounces in a row that changed nothing.
    private(set) var useless = 0
    /// Where they did not.
    private(set) var network: Network?

    /// - Parameter network: nil: nothing is known.
    init(useless: Int = 0, network: Network? = nil) {
        self.useless = network == nil ? 0 : useless
        self.network = network
    }

    var helps: Bool { useless < Self.timeout }

    /// A bounce has ended. One that moved the fault to another layer, or whose end is not known, says nothing.
    mutating func judge(_ after: Verdict, cause: Verdict, in network: Network) {
        switch after.conclusion {
        case .healthy: self = UselessStreak()
        case .sick where after.layer == cause.layer:
            useless += 1
            self.network = network
        case .sick, .unknown: break
        }
    }

    /// - Returns: Whether what was learned held until now, and does not hold for this network.
    mutating func forgets(in current: Network) -> Bool {
        guard let network, network.isOther(than: current) else { return false }
        defer { self = UselessStreak() }
        return !helps
    }
}
