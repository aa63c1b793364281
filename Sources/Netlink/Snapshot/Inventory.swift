import CNetlink
import Glibc
import Model

/// The items that are lost when the link is set down, as they were saved or as they are now.
struct Inventory {
    /// The interfaces that go down together with the link.
    var links: [SavedLink] = []
    var addresses: [SavedAddress] = []
    var neighbours: [SavedNeighbour] = []
    var nextHops: [SavedNextHop] = []
    var routes: [SavedRoute] = []
    /// The power saving of the Wi-Fi interface; nil if it is not Wi-Fi, or if the driver does not report it.
    var powerSave: SavedPowerSave?

    /// The items to request from the kernel. Each request adds time to the bounce.
    struct Topics: OptionSet, Sendable {
        let rawValue: UInt8

        static let addresses = Topics(rawValue: 1 << 0)
        static let permanentNeighbours = Topics(rawValue: 1 << 1)
        static let proxyNeighbours = Topics(rawValue: 1 << 2)
        static let routes = Topics(rawValue: 1 << 3)
        static let routesIPv6 = Topics(rawValue: 1 << 4)
        static let nextHops = Topics(rawValue: 1 << 5)
        /// The groups of nexthop objects, which belong to no interface.
        static let nextHopGroups = Topics(rawValue: 1 << 6)
        static let powerSave = Topics(rawValue: 1 << 7)
        static let all = Topics(rawValue: .max)
    }
}

extension Inventory {
    /// Sorts the items of a snapshot by kind.
    init(_ states: [any SavedState]) {
        for state in states {
            switch state {
            case let link as SavedLink: links.append(link)
            case let address as SavedAddress: addresses.append(address)
            case let neighbour as SavedNeighbour: neighbours.append(neighbour)
            case let nextHop as SavedNextHop: nextHops.append(nextHop)
            case let route as SavedRoute: routes.append(route)
            default: powerSave = state as? SavedPowerSave ?? powerSave
            }
        }
    }

    /// The items in an order in which they can all be created again. IPv6 lists the newest address first, so
    /// the last one in the list is created first: the order decides which source address is selected.
    var inOrder: [any SavedState] {
        var states: [any SavedState] = links.filter { !$0.isUp }
        states += addresses.filter { !$0.isIPv6 }
        states += addresses.filter(\.isIPv6).reversed()
        states += neighbours
        states += nextHops.filter { !$0.isGroup }
        states += nextHops.filter(\.isGroup)
        states += routes.filter { !$0.hasGateway }
        states += routes.filter(\.hasGateway)
        if let powerSave { states.append(powerSave) }
        return states
    }

    /// A copy without the items of other interfaces, and with each item once. An older kernel sends more than
    /// was requested, and a route with several next hops may be in the answers for several interfaces.
    func limited(to scope: Set<Int>) -> Inventory {
        var limited = self
        limited.addresses.removeAll { !scope.contains($0.identity.index.number) }
        limited.neighbours.removeAll { !scope.contains($0.identity.index.number) }
        var ids: Set<UInt32> = []
        limited.nextHops = nextHops.filter { nextHop in
            nextHop.concerns(scope) && ids.insert(nextHop.id).inserted
        }
        var told: [SavedRoute.Identity: [[SavedHop]]] = [:]
        limited.routes = routes.filter { route in
            let isTold = told[route.identity]?.contains(route.hops) == true
            guard route.concerns(scope), !isTold else { return false }
            told[route.identity, default: []].append(route.hops)
            return true
        }
        return limited
    }

    /// The interfaces to read to find out whether an item is missing, the bounced one first.
    func scope(_ ours: InterfaceIndex) -> [InterfaceIndex] {
        let single = routes.filter { $0.indices.count == 1 }
        var others = Set(addresses.map(\.identity.index.number))
        others.formUnion(neighbours.map(\.identity.index.number))
        others.formUnion(nextHops.compactMap(\.index?.number))
        others.formUnion(single.flatMap(\.indices).map(\.number))
        others.remove(ours.number)
        return [ours] + others.sorted().map { InterfaceIndex(rawValue: Int32($0)) }
    }

    /// The kinds of items to request to find out whether one is missing.
    var topics: Topics {
        var topics: Topics = []
        if !addresses.isEmpty { topics.insert(.addresses) }
        for neighbour in neighbours {
            topics.insert(neighbour.identity.isProxy ? .proxyNeighbours : .permanentNeighbours)
        }
        for nextHop in nextHops { topics.insert(nextHop.isGroup ? .nextHopGroups : .nextHops) }
        for route in routes {
            topics.insert(Int32(route.identity.family) == AF_INET ? .routes : .routesIPv6)
        }
        if powerSave != nil { topics.insert(.powerSave) }
        return topics
    }
}

extension Conversation {
    /// Reads the present items of these interfaces. Fails with `.noSuchDevice` only if the first one does not
    /// exist.
    mutating func inventory(
        of indices: [InterfaceIndex], _ topics: Inventory.Topics
    ) throws(Failure) -> Inventory {
        var inventory = Inventory()
        for index in indices {
            do throws(Failure) {
                try add(to: &inventory, topics, of: index)
            } catch  where error.kind == .noSuchDevice && index != indices.first {
                // A VLAN or master that was removed has taken its items along. The first interface still has
                // its own.
                continue
            }
        }
        if topics.contains(.nextHopGroups) { inventory.nextHops += try nextHops(NextHopRequest.groups) }
        if topics.contains(.powerSave), let ours = indices.first {
            inventory.powerSave = try powerSave(of: ours)
        }
        return inventory.limited(to: Set(indices.map(\.number)))
    }

    /// Adds the present items of one interface.
    private mutating func add(
        to inventory: inout Inventory, _ topics: Inventory.Topics, of index: InterfaceIndex
    ) throws(Failure) {
        if topics.contains(.addresses) {
            inventory.addresses += try saved(AddressRequest.of(index))
        }
        for (topic, isProxy) in [(Inventory.Topics.permanentNeighbours, false), (.proxyNeighbours, true)]
        where topics.contains(topic) {
            inventory.neighbours += try saved(
                NeighbourRequest.all(on: index, isProxy: isProxy))
        }
        for (topic, family) in [(Inventory.Topics.routes, AF_INET), (.routesIPv6, AF_INET6)]
        where topics.contains(topic) {
            inventory.routes += try saved(RouteRequest.of(index, family: family))
        }
        if topics.contains(.nextHops) {
            inventory.nextHops += try nextHops(NextHopRequest.of(index))
        }
    }

    /// Sends a request for one kind of item (RTM_GET*), and returns the items in the answer.
    mutating func saved<State: SavedState>(_ request: Request) throws(Failure) -> [State] {
        try ask(request, of: route).compactMap { State($0.payload) }
    }

    /// Requests nexthop objects. Empty if the kernel does not support them (before Linux 5.3).
    mutating func nextHops(_ request: Request) throws(Failure) -> [SavedNextHop] {
        do throws(Failure) {
            return try saved(request)
        } catch  where error.code == EOPNOTSUPP {
            return []
        }
    }

    mutating func stackedLinks(on index: InterfaceIndex) throws(Failure) -> [SavedLink] {
        SavedLink.stacked(on: index, in: try saved(SavedLink.requestAll))
    }

    /// Reads the power saving of an interface. Returns nil if it is not Wi-Fi, or if its driver does not
    /// report it. The kernel state was read before, so nl80211's number is known.
    private mutating func powerSave(of index: InterfaceIndex) throws(Failure) -> SavedPowerSave? {
        do throws(Failure) {
            return try readPowerSave(of: index)
        } catch  where error.kind != .timedOut {
            return nil
        }
    }

    /// Whether a Wi-Fi interface saves power; nil if its driver does not report it.
    mutating func savesPower(_ index: InterfaceIndex) throws(Failure) -> Bool? {
        try powerSave(of: index)?.isOn
    }
}
