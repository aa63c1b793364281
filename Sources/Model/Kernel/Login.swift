/// A remotely logged-in user's TCP connection over the interface.
public struct Login: Codable, Hashable, Sendable {
    /// The remote address.
    public var peer: IPAddress
    /// How long ago data or an acknowledgement last came from the peer.
    public var heard: Duration
    /// Whether the peer has not acknowledged all sent data, or has not answered a probe of the kernel.
    public var isUnanswered: Bool

    public init(peer: IPAddress, heard: Duration, isUnanswered: Bool) {
        self.peer = peer
        self.heard = heard
        self.isUnanswered = isUnanswered
    }

    /// An unanswered connection on which nothing came for longer than this counts as dead, even if the kernel
    /// still reports it as established.
    package static let timeout: Duration = .seconds(60)
    /// An idle connection counts as alive for this long; nothing shows whether it is dead.
    package static let idleness: Duration = .seconds(600)

    /// Whether the connection counts as in use, so that a bounce would disturb the user.
    package var isInUse: Bool { heard <= (isUnanswered ? Self.timeout : Self.idleness) }
}
