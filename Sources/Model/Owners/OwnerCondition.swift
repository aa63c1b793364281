/// Why an owner will not connect an interface by itself: what it reports of its work, or that it does not work.
public struct OwnerCondition: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// It has stopped trying, for good or for a while, although no user wanted that: it connects when it is
        /// asked (``Method/owner``).
        case gaveUp
        /// A user told it to disconnect, or not to connect by itself.
        case toldToDisconnect
        /// It runs, and does not answer.
        case hung
        /// Its system service has failed, and it does not run.
        case dead

        /// Whether a restart of its service (``Method/restartOwner``) is the remedy.
        public var callsForRestart: Bool { self == .hung || self == .dead }
    }

    public var owner: Owner
    public var kind: Kind

    public init(_ owner: Owner, _ kind: Kind) {
        self.owner = owner
        self.kind = kind
    }
}
