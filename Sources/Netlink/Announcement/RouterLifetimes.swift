import Model

/// Finds the routers of an interface whose default routes are about to end, so that they are asked for an
/// advertisement before the route is gone.
public struct RouterLifetimes {
    /// Anybody on the link can advertise routers.
    private static let most = 16

    /// The most that was left of each route since its router was asked last.
    private var longest: [IPAddress: Duration] = [:]

    public init() {}

    /// Those of which a third or less is left. A router advertises itself about three times in the lifetime of its
    /// route (RFC 4861, section 6.2.1, AdvDefaultLifetime), so two advertisements are missing then. Each is returned
    /// once, and again when a third of what was left then is left, until an advertisement renews its route.
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
