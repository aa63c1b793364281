/// What a guard has to know to finish a bounce in our place.
public struct GuardOrder: Codable, Hashable, Sendable {
    /// To know the interface again; nil: it has none.
    public var macAddress: MACAddress?
    /// What lowering loses.
    public var snapshot: Snapshot
    /// How long the link will be held down.
    public var hold: Duration
    /// How long to wait, once the link is raised, for all to be put back.
    public var settle: Duration
    /// Put back what is missing, not only compare.
    public var restores: Bool
    /// How the link is taken down; only what ``Method/takesLinkDown`` names comes to a guard.
    public var method: Method

    public init(
        macAddress: MACAddress?, snapshot: Snapshot, hold: Duration, settle: Duration, restores: Bool,
        method: Method = .bounce
    ) {
        self.macAddress = macAddress
        self.snapshot = snapshot
        self.hold = hold
        self.settle = settle
        self.restores = restores
        self.method = method
    }
}

/// How far a bounce has come, as far as a guard has to know.
public enum GuardStage: String, Codable, Hashable, Sendable, CaseIterable {
    /// The kernel said that the link is down.
    case lowered
    /// The kernel said that it is up again: only what was lost is still to be put back. A link that goes
    /// down from now on was set down by somebody else.
    case raised
}
