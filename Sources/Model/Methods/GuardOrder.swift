/// Everything that a guard needs to finish a bounce if the main process dies.
public struct GuardOrder: Encodable, Hashable, Sendable {
    /// The hardware address that identifies the interface; nil: it has none.
    public var macAddress: MACAddress?
    /// What the lowering destroys.
    public var snapshot: Snapshot
    /// How long the link will be kept down.
    public var downTime: Duration
    /// The longest time after the raise in which to restore everything.
    public var settle: Duration
    /// Whether to restore what is missing, or only to compare.
    public var restores: Bool
    /// How the link is taken down; ``Method/takesLinkDown`` is true for it.
    public var method: Method

    public init(
        macAddress: MACAddress?, snapshot: Snapshot, downTime: Duration, settle: Duration, restores: Bool,
        method: Method = .bounce
    ) {
        self.macAddress = macAddress
        self.snapshot = snapshot
        self.downTime = downTime
        self.settle = settle
        self.restores = restores
        self.method = method
    }
}

/// The progress of a bounce, as far as a guard needs it.
public enum GuardStage: String, Encodable, Hashable, Sendable, CaseIterable {
    /// The kernel reported that the link is down.
    case lowered
    /// The kernel reported that the link is up again, and only the restore is left. If the link goes down
    /// after this, another program or a user has set it down.
    case raised
}
