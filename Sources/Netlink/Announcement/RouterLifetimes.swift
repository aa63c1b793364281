import Model

/// Finds the routers of an interface whose default routes expire soon, so that the caller can solicit an
/// advertisement before the route is gone.
public struct RouterLifetimes {
    /// The most routers to keep track of. Any machine on the link can advertise any number.
    private static let most = 16

    /// The longest remaining lifetime of each router since ``ending(_:)`` last returned the router.
    private var longest: [IPAddress: Duration] = [:]

    public init() {}

    /// The routers whose remaining lifetime has fallen to a third of its longest value, or less. A router
    /// advertises itself about three times within the lifetime of its route (RFC 4861, section 6.2.1,
    /// AdvDefaultLifetime), so two advertisements are missing by then. A router is returned again when its
    /// remaining lifetime has fallen to a third of the lifetime at the last return. An advertisement that
    /// renews its route starts this anew.
    public mutating func ending(_ routers: [AdvertisedRouter]) -> [AdvertisedRouter] {
        let known = longest
        longest = [:]
        var ending: [AdvertisedRouter] = []
        for router in routers.prefix(Self.most) {
            let most = max(router.remaining, known[router.address] ?? .zero)
            let isEnding = router.remaining <= most / 3
            longest[router.address] = isEnding ? router.remaining : most
            if isEnding { ending.append(router) }
        }
        return ending
    }
}
