/// What an owner reports of its work on an interface, if it will not connect the interface by itself.
public struct OwnerCondition: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// It has stopped trying, although no user wanted that: it connects when it is asked
        /// (``Method/owner``).
        case gaveUp
        /// A user told it to disconnect, or not to connect by itself.
        case toldToDisconnect
    }

    public var owner: Owner
    public var kind: Kind

    public init(_ owner: Owner, _ kind: Kind) {
        self.owner = owner
        self.kind = kind
    }
}
