/// A router whose advertisements (RFC 4861) have made it the default route of IPv6.
public struct AdvertisedRouter: Equatable, Sendable {
    public var address: IPAddress
    /// How long the route stays without another advertisement, in whole seconds.
    public var remaining: Duration

    public init(address: IPAddress, remaining: Duration) {
        self.address = address
        self.remaining = remaining
    }
}

/// The last router advertisement that the kernel has received on an interface.
public struct LastAdvertisement: Hashable, Sendable {
    public var ago: Duration
    /// How long a default route stays without another one (Router Lifetime).
    public var lifetime: Duration

    public init(ago: Duration, lifetime: Duration) {
        self.ago = ago
        self.lifetime = lifetime
    }
}
