/// The targets that have answered, by network. The silence of a target that has never answered in the current
/// network is no evidence: it may be misspelt, filtered, or unreachable from here.
public struct KnownTargets: Codable, Hashable, Sendable {
    public struct Entry: Codable, Hashable, Sendable {
        public var network: Network
        /// The target as text (``ProbeRequest/Question/target``).
        public var target: String
        /// When it answered last.
        public var answered: Instant

        public init(network: Network, target: String, answered: Instant) {
            (self.network, self.target, self.answered) = (network, target, answered)
        }

        fileprivate func isOf(_ target: String, _ network: Network) -> Bool {
            self.target == target && self.network.mayBe(network)
        }
    }

    /// A known target expires if it has not answered for this long.
    public static let lifetime: Duration = .seconds(30 * 86400)
    /// More pairs of network and target than a travelling machine meets in that time; the oldest are dropped.
    public static let most = 256
    /// A gateway that answered an echo may filter ICMP after this time.
    package static let echoLifetime = refreshment * 2
    /// The least age at which a newer answer replaces the saved one, to limit writes to disk.
    package static let refreshment: Duration = .seconds(86400)

    /// The oldest first.
    public private(set) var entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = Array(entries.sorted { $0.answered < $1.answered }.suffix(Self.most))
    }

    /// - Parameter isEcho: whether its silence would be a fault of a gateway that answers as a neighbour.
    package func contains(
        _ target: String, in network: Network, at now: Instant, isEcho: Bool = false
    ) -> Bool {
        let lifetime = isEcho ? Self.echoLifetime : Self.lifetime
        return entries.contains { $0.isOf(target, network) && now - $0.answered < lifetime }
    }

    /// Whether the link of the same master, or of none, was healthy, in any network.
    package func wasHealthy(_ kernelState: KernelState) -> Bool {
        entries.contains { $0.target == kernelState.healthyTarget }
    }

    /// The target has answered now.
    /// - Returns: whether that has to be saved.
    package mutating func record(_ target: String, in network: Network, at now: Instant) -> Bool {
        let known = entries.filter { $0.isOf(target, network) }
        if known.contains(where: { now - $0.answered < Self.refreshment && $0.network == network }) {
            return false
        }
        let others = entries.filter { !$0.isOf(target, network) && now - $0.answered < Self.lifetime }
        self = KnownTargets(others + [Entry(network: network, target: target, answered: now)])
        return true
    }
}
