/// A connection of a user who is logged in remotely, over the interface.
public struct Login: Codable, Hashable, Sendable {
    /// The remote address.
    public var peer: IPAddress
    /// How long ago the peer was last heard: data, or an acknowledgement.
    public var heard: Duration
    /// Something was sent that the peer has not acknowledged.
    public var isUnanswered: Bool

    public init(peer: IPAddress, heard: Duration, isUnanswered: Bool) {
        self.peer = peer
        self.heard = heard
        self.isUnanswered = isUnanswered
    }

    /// A connection that waits longer for an acknowledgement is dead, even if the kernel calls it
    /// established.
    package static let timeout: Duration = .seconds(60)
    /// An idle connection may be dead without a sign of it; it counts for this long.
    package static let idleness: Duration = .seconds(600)

    /// Whether a bounce would disturb a user.
    package var isInUse: Bool { heard <= (isUnanswered ? Self.timeout : Self.idleness) }
}
