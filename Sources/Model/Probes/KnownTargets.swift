/// The targets of probes that have answered, with the networks in which they have answered. If a target has
/// never answered in the current network, its silence is no evidence: its name may be misspelt, or the
/// network may filter or not reach it.
public struct KnownTargets: Codable, Hashable, Sendable {
    /// One target that has answered.
    public struct Entry: Codable, Hashable, Sendable {
        public var network: Network
        /// The target as text (``ProbeRequest/Question/target``), or the name of a healthy link
        /// (``KernelState/healthyTarget``).
        public var target: String
        /// When the target last answered.
        public var answered: Instant

        public init(network: Network, target: String, answered: Instant) {
            (self.network, self.target, self.answered) = (network, target, answered)
        }

        fileprivate func isOf(_ target: String, _ network: Network) -> Bool {
            self.target == target && self.network.mayBe(network)
        }
    }

    /// A target that has not answered for this long is no longer known.
    public static let lifetime: Duration = .seconds(30 * 86400)
    /// The most entries; beyond that, the oldest are dropped. Even a machine that travels meets fewer pairs
    /// of network and target within ``lifetime``.
    public static let most = 256
    /// A gateway's answer to an ICMP echo expires after this time, because by then the gateway may filter
    /// ICMP.
    package static let echoLifetime = refreshment * 2
    /// A saved answer is replaced by a newer one only when it is at least this old, to limit writes to disk.
    package static let refreshment: Duration = .seconds(86400)

    /// The oldest first.
    public private(set) var entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = Array(entries.sorted { $0.answered < $1.answered }.suffix(Self.most))
    }

    /// Whether the target answered in this network, not too long ago.
    /// - Parameter isEcho: the target is a gateway that answers as a neighbour and is also sent an ICMP echo;
    ///   then the shorter ``echoLifetime`` applies.
    package func contains(
        _ target: String, in network: Network, at now: Instant, isEcho: Bool = false
    ) -> Bool {
        let lifetime = isEcho ? Self.echoLifetime : Self.lifetime
        return entries.contains { $0.isOf(target, network) && now - $0.answered < lifetime }
    }

    /// Whether this link was healthy before, in any network, with the same ``Port/upper`` interface as now,
    /// or with none if it has none now. False if it has no ``KernelState/healthyTarget``.
    package func wasHealthy(_ kernelState: KernelState) -> Bool {
        entries.contains { $0.target == kernelState.healthyTarget }
    }

    /// Whether a target has answered in a network with this name; nil: in any network.
    package func hasAnswer(in ssid: SSID?) -> Bool {
        entries.contains { ssid == nil || $0.network.ssid == ssid }
    }

    /// Notes that the target has answered at `now`.
    /// - Returns: whether the entries have changed and have to be saved.
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
