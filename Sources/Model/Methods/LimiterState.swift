/// The state of the bounce limiter that is saved from one run to the next. Without it, a run from cron would not know
/// of earlier bounces, and a restart of the service would reset all limits.
public struct LimiterState: Codable, Hashable, Sendable {
    /// The bounces of the last day, the oldest first.
    public package(set) var bounces: [Instant]
    /// The number of bounces in the current outage.
    public package(set) var bouncesInOutage: Int
    /// No bounce happens before this instant; nil: no back-off applies.
    public package(set) var earliest: Instant?
    /// Since when the link is healthy, so that the outage is over after a while; nil: it is not healthy.
    public package(set) var healthySince: Instant?
    /// The number of bounces in a row that were useless: they left the fault as it was.
    public package(set) var useless: Int
    /// The network of the useless bounces.
    public package(set) var network: Network?
    /// When owners were restarted, or devices reset as the evidence required, in the last day; the oldest first.
    public package(set) var restarts: [Instant]
    /// Methods that did not help in the current outage, or that could not be carried out.
    public package(set) var inVain: [Method]

    /// The most bounces that are saved: the largest budget.
    public static let most = 3600
    /// The most restarts of owners' services, plus resets that the evidence requires, in a day.
    package static let mostRestarts = 3
    /// If the last bounce is older than this, the outage counts as over.
    public static let lifetime: Duration = .seconds(86400)
    /// The largest saved count; a larger one has no further effect.
    private static let longestRow = 1000

    public init(
        bounces: [Instant] = [], bouncesInOutage: Int = 0, earliest: Instant? = nil,
        healthySince: Instant? = nil, useless: Int = 0, network: Network? = nil, restarts: [Instant] = [],
        inVain: [Method] = []
    ) {
        self.bounces = Array(bounces.sorted().suffix(Self.most))
        self.bouncesInOutage = min(max(0, bouncesInOutage), Self.longestRow)
        self.earliest = earliest
        self.healthySince = healthySince
        self.useless = network == nil ? 0 : min(max(0, useless), Self.longestRow)
        self.network = self.useless == 0 ? nil : network
        self.restarts = Array(restarts.sorted().suffix(Self.mostRestarts))
        self.inVain = Set(inVain).sorted()
    }

    public var isEmpty: Bool { self == LimiterState() }
}
