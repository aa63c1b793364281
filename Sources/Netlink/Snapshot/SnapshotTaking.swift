import CNetlink
import Model

/// Saves what a bounce loses. The kernel takes nothing from a master whose last port loses its carrier, but the
/// programs that manage it do.
extension Conversation {
    /// What a snapshot reads for every interface; groups of nexthop objects only if there are members.
    private static let topics = Inventory.Topics.all.subtracting(.nextHopGroups)

    mutating func takeSnapshot(of index: InterfaceIndex) throws(Failure) -> Snapshot {
        let link = try linkAndMaster(index)
        let upper = link.port?.upper
        var names = InterfaceNames(known: [index: link.name])
        if let upper { names.learn(upper.name, of: upper.index) }
        let stacked = try stackedLinks(on: index)
        for link in stacked { names.learn(link.name, of: link.index) }
        var inventory = try inventory(
            of: [index] + stacked.map(\.index) + [upper?.index].compactMap(\.self), Self.topics)
        inventory.links = stacked
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

    /// Routes with several next hops name other interfaces, too.
    private mutating func complete(_ names: inout InterfaceNames, for indices: [InterfaceIndex]) {
        var asked: Set<Int> = []
        for index in indices where !names.isKnown(index) && asked.insert(index.number).inserted {
            if let name = try? link(index).name { names.learn(name, of: index) }
        }
    }
}
