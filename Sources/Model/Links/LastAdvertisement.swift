/// The last router advertisement that the kernel has received on an interface.
public struct LastAdvertisement: Hashable, Sendable {
    public var ago: Duration
    /// How long the default route stays without a further advertisement (Router Lifetime).
    public var lifetime: Duration

    public init(ago: Duration, lifetime: Duration) {
        self.ago = ago
        self.lifetime = lifetime
    }
}
