/// A router that the kernel uses for an IPv6 default route, because the router advertises itself (RFC 4861).
public struct AdvertisedRouter: Equatable, Sendable {
    public var address: IPAddress
    /// How long the route stays without another advertisement, in whole seconds.
    public var remaining: Duration

    public init(address: IPAddress, remaining: Duration) {
        self.address = address
        self.remaining = remaining
    }
}
