import CNetlink
import Model

/// RTM_GETROUTE (rtnetlink(7)).
enum RouteRequest {
    /// The routes of every table that use one interface; a kernel before 4.20 sends those of all.
    /// - Parameter family: AF_INET or AF_INET6. AF_UNSPEC would bring other protocols' tables along.
    static func of(_ index: InterfaceIndex, family: Int32) -> Request {
        var header = rtmsg()
        header.rtm_family = UInt8(family)
        return Request(
            RTM_GETROUTE, flags: NLM_F_DUMP, header: header,
            attributes: [Request.Attribute(RTA_OIF, Array(of: index.rawValue))])
    }

    /// The routes of one family, table and protocol, whatever interface they use.
    static func beside(_ route: SavedRoute) -> Request {
        var header = rtmsg()
        header.rtm_family = route.identity.family
        header.rtm_protocol = route.routeProtocol
        return Request(
            RTM_GETROUTE, flags: NLM_F_DUMP, header: header,
            attributes: [Request.Attribute(RTA_TABLE, Array(of: route.identity.table))])
    }
}

extension Conversation {
    /// The next hops of the interface's unicast routes, each address once: those of default routes first,
    /// then by metric, then in the kernel's order.
    mutating func gatewayAddresses(of index: InterfaceIndex) throws(Failure) -> [IPAddress] {
        var routes: [RouteMessage] = []
        for family in [AF_INET, AF_INET6] {
            routes += try ask(RouteRequest.of(index, family: family), of: route)
                .compactMap { $0.type == RTM_NEWROUTE ? RouteMessage.parse($0.payload) : nil }
        }
        return Self.gatewayAddresses(of: index, in: routes)
    }

    static func gatewayAddresses(of index: InterfaceIndex, in routes: [RouteMessage]) -> [IPAddress] {
        let ranked = routes.enumerated().filter(\.element.isUnicast).sorted { one, other in
            (one.element.isDefault ? 0 : 1, one.element.metric, one.offset)
                < (other.element.isDefault ? 0 : 1, other.element.metric, other.offset)
        }
        var seen: Set<IPAddress> = []
        return ranked.flatMap(\.element.nextHops)
            .filter { $0.index == index }
            .compactMap(\.gateway)
            .filter { !$0.isUnspecified && seen.insert($0).inserted }
    }

    mutating func gateways(of index: InterfaceIndex) throws(Failure) -> [Gateway] {
        try gateways(try gatewayAddresses(of: index), on: index)
    }

    /// The same addresses with their neighbour entries.
    mutating func gateways(
        _ addresses: [IPAddress], on index: InterfaceIndex
    ) throws(Failure) -> [Gateway] {
        guard !addresses.isEmpty else { return [] }
        let known = try neighbours(on: index)
        return addresses.map { address in
            Gateway(address: address, neighbour: known.first { $0.address == address }?.neighbour)
        }
    }
}
