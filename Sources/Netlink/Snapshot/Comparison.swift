import Model

/// Compares the saved state of an interface with the present one.
struct Comparison {
    let before: Inventory
    let now: Inventory
    private let addresses: Set<SavedAddress.Identity>
    private let neighbours: Set<SavedNeighbour.Identity>
    private let hopsBefore: [SavedRoute.Identity: Set<SavedHop>]
    private let hopsNow: [SavedRoute.Identity: Set<SavedHop>]

    init(before: Inventory, now: Inventory) {
        self.before = before
        self.now = now
        addresses = Set(now.addresses.map(\.identity))
        neighbours = Set(now.neighbours.map(\.identity))
        hopsBefore = Self.hops(before.routes)
        hopsNow = Self.hops(now.routes)
    }

    private static func hops(_ routes: [SavedRoute]) -> [SavedRoute.Identity: Set<SavedHop>] {
        var hops: [SavedRoute.Identity: Set<SavedHop>] = [:]
        for route in routes { hops[route.identity, default: []].formUnion(route.hops) }
        return hops
    }

    /// The same comparison with routes that were read again.
    func with(routes: [SavedRoute]) -> Comparison {
        var now = now
        now.routes = routes
        return Comparison(before: before, now: now)
    }

    func has(_ identity: SavedAddress.Identity) -> Bool { addresses.contains(identity) }
    func has(_ identity: SavedNeighbour.Identity) -> Bool { neighbours.contains(identity) }
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
        case without(Set<SavedHop>)
    }

    func ways(of route: SavedRoute) -> Ways {
        let present = hopsNow[route.identity] ?? []
        let missing = Set(route.hops).subtracting(present)
        if missing.isEmpty { return .all }
        return present.isSubset(of: hopsBefore[route.identity] ?? []) ? .without(missing) : .others
    }

    /// Whether the address owner has restored the route with a penalty added to the metric, or removed from it.
    func hasReweighed(_ route: SavedRoute) -> Bool {
        route.reweighed.contains { other in
            hopsBefore[other] == nil && Set(route.hops).isSubset(of: hopsNow[other] ?? [])
        }
    }

    /// Whether the route has no next hop left.
    func isGone(_ route: SavedRoute) -> Bool { hopsNow[route.identity] == nil }
}
