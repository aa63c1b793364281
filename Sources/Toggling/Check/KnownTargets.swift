import Model

/// Who has answered in which network. A target that never answered in the network at hand says nothing by its
/// silence: it may be misspelt, filtered, or unreachable from here.
public struct KnownTargets: Codable, Hashable, Sendable {
    public struct Entry: Codable, Hashable, Sendable {
        public var network: Network
        /// The words of the question.
        public var target: String
        /// When it answered last.
        public var answered: Instant

        public init(network: Network, target: String, answered: Instant) {
            self.network = network
            self.target = target
            self.answered = answered
        }
    }

    /// An known target that was not renewed for so long has ended.
    public static let lifetime: Duration = .seconds(30 * 86400)
    /// More networks times targets than a travelling machine meets in that time; the oldest make room.
    public static let most = 256
    /// A newer answer is worth keeping after so long: what is kept is written to a disk.
    static let refreshment: Duration = .seconds(86400)

    /// The oldest first.
    public private(set) var entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = Array(entries.sorted { $0.answered < $1.answered }.suffix(Self.most))
    }

    func contains(_ target: String, in network: Network, at now: Instant) -> Bool {
        entries.contains { $0.isOf(target, network) && now - $0.answered < Self.lifetime }
    }

    /// It has answered now.
    /// - Returns: whether that is worth keeping.
    mutating func record(_ target: String, in network: Network, at now: Instant) -> Bool {
        let known = entries.filter { $0.isOf(target, network) }
        if known.contains(where: { now - $0.answered < Self.refreshment && $0.network == network }) {
            return false
        }
        let others = entries.filter { !$0.isOf(target, network) && now - $0.answered < Self.lifetime }
        self = KnownTargets(others + [Entry(network: network, target: target, answered: now)])
        return true
    }
}

extension KnownTargets.Entry {
    fileprivate func isOf(_ target: String, _ network: Network) -> Bool {
        self.target == target && self.network.mayBe(network)
    }
}
