/// What holds bounces back, as it is kept from one run to the next: without it a run from cron would know of no bounce
/// but its own, and whoever restarts the service would begin anew.
public struct SavedLimiter: Hashable, Sendable {
    /// The bounces of the last hour, and the last one of all; the oldest first.
    public let bounces: [Instant]
    /// So many of the outage at hand; 0: there is none.
    public let bouncesInOutage: Int
    /// No bounce before; nil: at any time.
    public let earliest: Instant?
    /// In the outage at hand: since when the link is healthy again; nil: it is not.
    public let healthySince: Instant?
    /// Bounces in a row that changed nothing.
    public let useless: Int
    /// Where they did not.
    public let network: Network?

    /// As many as a budget allows in an hour.
    public static let most = 3600
    /// An outage whose last bounce is longer ago is over, whoever has seen that.
    public static let lifetime: Duration = .seconds(86400)
    /// A longer row says no more.
    private static let longestRow = 1000

    public init(
        bounces: [Instant] = [], bouncesInOutage: Int = 0, earliest: Instant? = nil,
        healthySince: Instant? = nil, useless: Int = 0, network: Network? = nil
    ) {
        self.bounces = Array(Self.inOrder(bounces).suffix(Self.most))
        self.bouncesInOutage = min(max(0, bouncesInOutage), Self.longestRow)
        self.earliest = earliest
        self.healthySince = healthySince
        self.useless = network == nil ? 0 : min(max(0, useless), Self.longestRow)
        self.network = self.useless == 0 ? nil : network
    }

    /// Mostly they are, and sorting is a lot to have ready for those who never do.
    private static func inOrder(_ instants: [Instant]) -> [Instant] {
        zip(instants, instants.dropFirst()).allSatisfy { $0 <= $1 } ? instants : instants.sorted()
    }

    public var isEmpty: Bool { self == SavedLimiter() }
}
