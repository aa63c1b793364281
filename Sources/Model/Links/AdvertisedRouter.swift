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
