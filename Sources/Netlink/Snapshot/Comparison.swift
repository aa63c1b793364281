import Model

/// Compares the saved state of an interface with the present one.
struct Comparison {
    let before: Inventory
    let now: Inventory
    private let hopsBefore: [SavedRoute.Identity: [SavedHop]]
    private let hopsNow: [SavedRoute.Identity: [SavedHop]]

    init(before: Inventory, now: Inventory) {
        self.before = before
        self.now = now
        hopsBefore = Self.hops(before.routes)
        hopsNow = Self.hops(now.routes)
    }

    /// A route has few hops, so they are in arrays. Sets would need more code, and so more memory.
    private static func hops(_ routes: [SavedRoute]) -> [SavedRoute.Identity: [SavedHop]] {
        var hops: [SavedRoute.Identity: [SavedHop]] = [:]
        for route in routes { hops[route.identity, default: []] += route.hops }
        return hops
    }

    /// The same comparison with routes that were read again.
    func with(routes: [SavedRoute]) -> Comparison {
        var now = now
        now.routes = routes
        return Comparison(before: before, now: now)
    }

    func has(_ identity: SavedAddress.Identity) -> Bool { now.addresses.contains { $0.identity == identity } }
    func has(_ identity: SavedNeighbour.Identity) -> Bool {
        now.neighbours.contains { $0.identity == identity }
    }
    func isUp(_ index: InterfaceIndex) -> Bool { now.links.contains { $0.index == index && $0.isUp } }
    func nextHop(_ id: UInt32) -> SavedNextHop? { now.nextHops.first { $0.id == id } }
    var powerSave: SavedPowerSave? { now.powerSave }

    /// Whether a group of nexthop objects still exists, but with fewer members than before.
    func isAborted(_ id: UInt32) -> Bool {
        guard let left = nextHop(id), let whole = before.nextHops.first(where: { $0.id == id }) else {
            return false
        }
        return left.isAborted(of: whole)
    }

    /// How the present next hops of a route differ from the saved ones.
    enum Ways {
        case all
        /// There are other next hops than before: another program has changed the route.
        case others
        case without([SavedHop])
    }

    func ways(of route: SavedRoute) -> Ways {
        let present = hopsNow[route.identity] ?? []
        let missing = route.hops.filter { !present.contains($0) }
        if missing.isEmpty { return .all }
        let before = hopsBefore[route.identity] ?? []
        return present.allSatisfy(before.contains) ? .without(missing) : .others
    }

    /// Whether the address owner has restored the route with a penalty added to the metric, or removed from it.
    func hasReweighed(_ route: SavedRoute) -> Bool {
        route.reweighed.contains { other in
            hopsBefore[other] == nil && route.hops.allSatisfy((hopsNow[other] ?? []).contains)
        }
    }

    /// Whether the route has no next hop left.
    func isGone(_ route: SavedRoute) -> Bool { hopsNow[route.identity] == nil }
}
