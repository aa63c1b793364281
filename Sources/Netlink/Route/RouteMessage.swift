import CNetlink
import Model

/// A route as rtnetlink(7) reports it (RTM_NEWROUTE, RTM_DELROUTE, struct rtmsg).
struct RouteMessage {
    /// One of the next hops of a route.
    struct NextHop: Hashable {
        var index: InterfaceIndex
        /// The address of the gateway; nil if the destination is on the link itself.
        var gateway: IPAddress?
    }

    /// Whether it is a default route: one with the prefix length 0.
    var isDefault: Bool
    /// The metric (RTA_PRIORITY). The kernel prefers the route with the lowest.
    var metric: UInt32
    /// Whether packets leave through the next hops (RTN_UNICAST); false for other types (local, broadcast,
    /// unreachable …) and for the copy of a route that answers a look-up (RTM_F_CLONED).
    var isUnicast: Bool
    /// As ``isUnicast``, but true also for the answer to a look-up.
    var leadsOut: Bool
    /// The next hops: a single one, or all that RTA_MULTIPATH contains. If the route uses a nexthop object,
    /// the kernel reports the object's next hops in the same attributes.
    var nextHops: [NextHop]

    /// Returns nil if this is not an IPv4 or IPv6 route.
    static func parse(_ payload: Bytes) -> RouteMessage? {
        guard let header = payload.structure(rtmsg.self) else { return nil }
        let family = Int32(header.rtm_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        let attributes = Attributes(payload.following(rtmsg.self))
        let single = attributes[RTA_OIF]?.interfaceIndex.map { nextHop($0, attributes, family) }
        return RouteMessage(
            isDefault: header.rtm_dst_len == 0,
            metric: attributes[RTA_PRIORITY]?.number(UInt32.self) ?? 0,
            isUnicast: Int32(header.rtm_type) == RTN_UNICAST
                && header.rtm_flags & UInt32(RTM_F_CLONED) == 0,
            leadsOut: Int32(header.rtm_type) == RTN_UNICAST,
            nextHops: (single.map { [$0] } ?? []) + multipath(attributes[RTA_MULTIPATH], family))
    }

    private static func nextHop(
        _ index: InterfaceIndex, _ attributes: Attributes, _ family: Int32
    ) -> NextHop {
        let gateway = attributes[RTA_GATEWAY].flatMap { IPAddress(bytes: $0, family: family) }
        return NextHop(index: index, gateway: gateway ?? attributes[RTA_VIA].flatMap(via))
    }

    /// Reads struct rtvia (linux/rtnetlink.h): a gateway of the other family, such as an IPv6 router of an
    /// IPv4 route.
    private static func via(_ payload: Bytes) -> IPAddress? {
        guard let family: UInt16 = payload.structure() else { return nil }
        return IPAddress(bytes: payload.following(UInt16.self), family: Int32(family))
    }

    private static func multipath(_ payload: Bytes?, _ family: Int32) -> [NextHop] {
        HopMessage.split(payload ?? []).compactMap { hop in
            hop.index.map { nextHop($0, hop.attributes, family) }
        }
    }
}
