import CNetlink
import Model

/// Converts rtnetlink's multicast messages to notifications.
enum RouteEvents {
    /// The multicast groups that every kernel has for the topics (enum rtnetlink_groups, linux/rtnetlink.h).
    static func groups(of topics: NetlinkMonitor.Topics) -> [Int32] {
        let groups: [(NetlinkMonitor.Topics, [rtnetlink_groups])] = [
            (.links, [RTNLGRP_LINK]),
            (.addresses, [RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR]),
            (.routes, [RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE]),
            (.neighbours, [RTNLGRP_NEIGH]),
        ]
        return groups.filter { topics.contains($0.0) }.flatMap(\.1).map { Int32($0.rawValue) }
    }

    static func notifications(of message: Message) -> [NetlinkMonitor.Notification] {
        switch Int(message.type) {
        case Int(RTM_NEWLINK):
            guard let parsed = LinkMessage.parse(message.payload), let link = parsed.link else { return [] }
            return (parsed.isClosed ? [.linkClosed(link.index)] : []) + [.linkChanged(link)]
        case Int(RTM_DELLINK):
            return LinkMessage.parse(message.payload).map { [.linkRemoved($0.index)] } ?? []
        case Int(RTM_NEWADDR):
            return AddressMessage.parse(message.payload).map { [.addressChanged($0.index)] } ?? []
        case Int(RTM_DELADDR):
            return AddressMessage.parse(message.payload).map { [.addressRemoved($0.index)] } ?? []
        case Int(RTM_NEWROUTE):
            return interfaces(of: RouteMessage.parse(message.payload)).map { .routeChanged($0) }
        case Int(RTM_DELROUTE):
            return interfaces(of: RouteMessage.parse(message.payload)).map { .routeRemoved($0) }
        case Int(RTM_NEWNEXTHOP):
            return nextHop(message, { .routeChanged($0) }, group: .nextHopGroupChanged)
        case Int(RTM_DELNEXTHOP):
            return nextHop(message, { .routeRemoved($0) }, group: .nextHopGroupRemoved)
        case Int(RTM_NEWNEIGH):
            return neighbour(message) { $0 }
        case Int(RTM_DELNEIGH):
            return neighbour(message) { _ in Neighbour(state: .none) }
        default:
            return []
        }
    }

    /// The interfaces of a route's next hops, each once, in the order of the message.
    private static func interfaces(of route: RouteMessage?) -> [InterfaceIndex] {
        var seen: Set<InterfaceIndex> = []
        return (route?.nextHops ?? []).map(\.index).filter { seen.insert($0).inserted }
    }

    private static func nextHop(
        _ message: Message, _ ofInterface: (InterfaceIndex) -> NetlinkMonitor.Notification,
        group: NetlinkMonitor.Notification
    ) -> [NetlinkMonitor.Notification] {
        guard let nextHop = SavedNextHop(message.payload) else { return [] }
        return [nextHop.index.map(ofInterface) ?? group]
    }

    private static func neighbour(
        _ message: Message, _ change: (Neighbour) -> Neighbour
    ) -> [NetlinkMonitor.Notification] {
        guard let parsed = NeighbourMessage.parse(message.payload) else { return [] }
        return [.neighbourChanged(parsed.index, parsed.address, change(parsed.neighbour))]
    }
}
