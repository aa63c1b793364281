/// A connection of somebody who is logged in from elsewhere, over the interface.
public struct Login: Hashable, Sendable {
    /// From where.
    public var peer: IPAddress
    /// Since the peer was heard last: data, or the acknowledgement of ours.
    public var heard: Duration
    /// Something was sent that the peer has not answered.
    public var isUnanswered: Bool

    public init(peer: IPAddress, heard: Duration, isUnanswered: Bool) {
        self.peer = peer
        self.heard = heard
        self.isUnanswered = isUnanswered
    }

    /// What waits longer for an answer is dead, whatever the kernel still calls established.
    static let timeout: Duration = .seconds(60)
    /// Of a connection on which nobody says anything it cannot be told whether it lives; so long it counts.
    static let idleness: Duration = .seconds(600)

    /// Whether there is somebody whom a bounce would disturb.
    var isInUse: Bool { heard <= (isUnanswered ? Self.timeout : Self.idleness) }
}

extension KernelState {
    /// Why a bounce would disturb somebody; nil: it would not, or nobody asked.
    var use: NoBounceReason? {
        let peers = Set((logins ?? []).filter(\.isInUse).map(\.peer)).sorted {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
        return peers.first.map { .inUse(from: $0, others: peers.count - 1) }
    }
}
