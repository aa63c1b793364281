import CNetlink
import Model

/// Saves the items that a bounce destroys. The items of a master are saved, too: when the master's last port
/// loses the carrier, the kernel removes none of them, but the programs that manage the master do.
extension Conversation {
    /// The items to read for every interface. Groups of nexthop objects are read later, and only if members
    /// exist.
    private static let topics = Inventory.Topics.all.subtracting(.nextHopGroups)

    mutating func takeSnapshot(
        of index: InterfaceIndex, isBaseline: Bool = false
    ) throws(Failure) -> Snapshot {
        let link = try linkAndMaster(index)
        let upper = link.port?.upper
        var names = InterfaceNames(known: [index: link.name])
        if let upper { names.learn(upper.name, of: upper.index) }
        let stacked = try stackedLinks(on: index)
        for link in stacked { names.learn(link.name, of: link.index) }
        var inventory = try inventory(
            of: [index] + stacked.map(\.index) + [upper?.index].compactMap(\.self), Self.topics)
        inventory.links = stacked
        if !isBaseline { inventory.routes += try routesElsewhere(from: inventory) }
        if !inventory.nextHops.isEmpty {
            let members = Set(inventory.nextHops.map(\.id))
            inventory.nextHops += try nextHops(NextHopRequest.groups)
                .filter { !members.isDisjoint(with: $0.members.map(\.id)) }
        }
        let states = inventory.inOrder
        complete(&names, for: states.flatMap(\.indices))
        let addressed = upper?.index ?? index
        return Snapshot(
            items: states.map { $0.item(names, inventory.configSource($0, on: addressed)) }, upper: upper)
    }

    /// The routes of other interfaces that an administrator has added with an IPv4 address of this inventory as
    /// their source. The kernel removes them together with the address (`fib_sync_down_addr` in
    /// net/ipv4/fib_semantics.c), which an owner may remove in a bounce, and add again.
    private mutating func routesElsewhere(from inventory: Inventory) throws(Failure) -> [SavedRoute] {
        let sources = inventory.addresses.filter { !$0.isIPv6 }.map(\.identity.address)
        guard !sources.isEmpty else { return [] }
        let routes: [SavedRoute] = try saved(RouteRequest.main)
        return routes.filter { route in
            route.isAdministrators && route.source.map { sources.contains($0) } == true
                && !inventory.routes.contains { $0.identity == route.identity }
        }
    }

    /// Adds the names of other interfaces, to which routes with several next hops refer.
    private mutating func complete(_ names: inout InterfaceNames, for indices: [InterfaceIndex]) {
        var asked: Set<Int> = []
        for index in indices where !names.isKnown(index) && asked.insert(index.number).inserted {
            if let name = try? link(index).name { names.learn(name, of: index) }
        }
    }
}
