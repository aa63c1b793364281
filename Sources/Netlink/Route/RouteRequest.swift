import CNetlink
import Model

/// Requests routes (RTM_GETROUTE, rtnetlink(7)).
enum RouteRequest {
    /// Requests the routes of all tables that use one interface. A kernel before 4.20 sends the routes of all
    /// interfaces.
    /// - Parameter family: AF_INET or AF_INET6. AF_UNSPEC would also return the tables of other protocols.
    static func of(_ index: InterfaceIndex, family: Int32) -> Request {
        var header = rtmsg()
        header.rtm_family = UInt8(family)
        return Request(
            RTM_GETROUTE, flags: NLM_F_DUMP, header: header,
            attributes: [Request.Attribute(RTA_OIF, Array(of: index.rawValue))])
    }

    /// Requests the IPv4 routes of the main table, on all interfaces.
    static var main: Request {
        var header = rtmsg()
        header.rtm_family = UInt8(AF_INET)
        return Request(
            RTM_GETROUTE, flags: NLM_F_DUMP, header: header,
            attributes: [Request.Attribute(RTA_TABLE, Array(of: RT_TABLE_MAIN.rawValue))])
    }

    /// Requests the routes with the family, table and protocol of `route`, on all interfaces.
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
    /// The addresses of the next hops of the interface's unicast routes, each once. The next hops of default
    /// routes come first. Within both groups, the order is by metric; for equal metrics, IPv4 comes first,
    /// and then the kernel's order applies.
    mutating func gatewayAddresses(of index: InterfaceIndex) throws(Failure) -> [IPAddress] {
        Self.gatewayAddresses(of: index, in: try routes(of: index))
    }

    /// The routes of all tables that use an interface, IPv4 first. A kernel before 4.20 sends others, too.
    private mutating func routes(of index: InterfaceIndex) throws(Failure) -> [RouteMessage] {
        var routes: [RouteMessage] = []
        for family in [AF_INET, AF_INET6] {
            routes += try ask(RouteRequest.of(index, family: family), of: route)
                .compactMap { $0.type == RTM_NEWROUTE ? RouteMessage.parse($0.payload) : nil }
        }
        return routes
    }

    /// The names of the interfaces that are up and have a unicast default route, in the kernel's order.
    mutating func interfacesWithDefaultRoute() throws(Failure) -> [String] {
        var names: [String] = []
        for link in try links() where link.isUp {
            if try hasDefaultRoute(over: link.index) { names.append(link.name) }
        }
        return names
    }

    private mutating func hasDefaultRoute(over index: InterfaceIndex) throws(Failure) -> Bool {
        do throws(Failure) {
            return try routes(of: index).contains { route in
                // Of a route with a nexthop object, the kernel may report only the number of the object
                // (net.ipv4.nexthop_compat_mode). A kernel that has such objects has already left out the
                // routes of other interfaces.
                route.isDefault && route.isUnicast
                    && (route.nextHops.isEmpty || route.nextHops.contains { $0.index == index })
            }
        } catch  where error.kind == .noSuchDevice {
            // The interface has disappeared since it was listed.
            return false
        }
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

    /// Adds the neighbour entries to gateway addresses.
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
