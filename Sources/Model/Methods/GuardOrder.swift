/// Everything that a guard needs to finish a bounce if this process dies.
public struct GuardOrder: Codable, Hashable, Sendable {
    /// Identifies the interface; nil: it has no hardware address.
    public var macAddress: MACAddress?
    /// What lowering destroys.
    public var snapshot: Snapshot
    /// How long the link will be kept down.
    public var hold: Duration
    /// How long to wait after the raise until everything is restored.
    public var settle: Duration
    /// Restore what is missing, instead of only comparing.
    public var restores: Bool
    /// How the link is taken down; a method of which ``Method/takesLinkDown`` is true.
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

/// The progress of a bounce, as far as a guard needs it.
public enum GuardStage: String, Codable, Hashable, Sendable, CaseIterable {
    /// The kernel reported that the link is down.
    case lowered
    /// The kernel reported that the link is up again: only the restore is left. If the link goes down from
    /// now on, another program or a user has set it down.
    case raised
}
