/// The result of a finished bounce.
public struct BounceSummary: Encodable, Hashable, Sendable {
    /// How long the methods kept the link down in total, each from the kernel's report of the lowering to
    /// that of the raise.
    public var down: Duration
    /// The time from the raise to a healthy verdict; nil: there was none.
    public var recovery: Duration?
    /// What became of the snapshot's items.
    public var restoration: Restoration
    /// The methods that were carried out, in order. The reported verdict is the one after the last method.
    public var methods: [Method]

    public init(
        down: Duration, recovery: Duration?, restoration: Restoration, methods: [Method] = [.bounce]
    ) {
        self.down = down
        self.recovery = recovery
        self.restoration = restoration
        self.methods = methods
    }
}

/// The steps of a bounce that can fail.
public enum BounceStep: String, Encodable, Hashable, Sendable, CaseIterable {
    case snapshot, guarding, lowering, raising
    /// A method that does not take the link down is carried out.
    case performing
}
