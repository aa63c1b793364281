/// Why an owner will not connect an interface by itself: from the owner's own report, or because the owner
/// does not work.
public struct OwnerCondition: Codable, Hashable, Sendable {
    /// The kinds of conditions; the raw value is the name in records.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// The owner has stopped trying, for good or for a while, although no user wanted that. It connects
        /// on a request (``Method/owner``).
        case gaveUp
        /// A user told the owner to disconnect, or not to connect by itself.
        case toldToDisconnect
        /// The owner runs but does not answer, or its process is stopped or stuck in the kernel.
        case hung
        /// The owner answers, but serves no interface any more, although this one is its own.
        case lostDevices
        /// The owner does not run: its system service has failed, or ifupdown started it and it has ended.
        case dead

        /// The method that may make the owner work for the interface again; nil: none should.
        public var remedy: Method? {
            switch self {
            case .gaveUp: .owner
            case .hung, .lostDevices, .dead: .restartOwner
            case .toldToDisconnect: nil
            }
        }
    }

    public var owner: Owner
    public var kind: Kind

    public init(_ owner: Owner, _ kind: Kind) {
        self.owner = owner
        self.kind = kind
    }
}
