/// A connection of somebody who is logged in from elsewhere, over the interface.
public struct Login: Codable, Hashable, Sendable {
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
    package static let timeout: Duration = .seconds(60)
    /// Of a connection on which nobody says anything it cannot be told whether it lives; so long it counts.
    package static let idleness: Duration = .seconds(600)

    /// Whether there is somebody whom a bounce would disturb.
    package var isInUse: Bool { heard <= (isUnanswered ? Self.timeout : Self.idleness) }
}
