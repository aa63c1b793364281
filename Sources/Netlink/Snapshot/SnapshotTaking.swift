import CNetlink
import Model

/// Saves what a bounce loses.
extension Conversation {
    /// What a snapshot reads for every interface; groups of nexthop objects only if there are members.
    private static let topics = Inventory.Topics.all.subtracting(.nextHopGroups)

    mutating func takeSnapshot(of index: InterfaceIndex) throws(Failure) -> Snapshot {
        var names = InterfaceNames(known: [index: try link(index).name])
        let stacked = try stackedLinks(on: index)
        for link in stacked { names.learn(link.name, of: link.index) }
        var inventory = try inventory(of: [index] + stacked.map(\.index), Self.topics)
        inventory.links = stacked
        if !inventory.nextHops.isEmpty {
            let members = Set(inventory.nextHops.map(\.id))
            inventory.nextHops += try nextHops(NextHopRequest.groups)
                .filter { !members.isDisjoint(with: $0.members.map(\.id)) }
        }
        let states = inventory.inOrder
        complete(&names, for: states.flatMap(\.indices))
        return Snapshot(items: states.map { $0.item(names, inventory.configSource($0, on: index)) })
    }

    /// Routes with several next hops name other interfaces, too.
    private mutating func complete(_ names: inout InterfaceNames, for indices: [InterfaceIndex]) {
        var asked: Set<Int> = []
        for index in indices where !names.isKnown(index) && asked.insert(index.number).inserted {
            if let name = try? link(index).name { names.learn(name, of: index) }
        }
    }
}
