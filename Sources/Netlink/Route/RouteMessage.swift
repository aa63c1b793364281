import CNetlink
import Model

/// RTM_NEWROUTE and RTM_DELROUTE (struct rtmsg, rtnetlink(7)).
struct RouteMessage {
    /// One of the next hops of a route.
    struct NextHop: Hashable {
        var index: InterfaceIndex
        /// nil: the destination is on the link itself.
        var gateway: IPAddress?
    }

    /// A default route: prefix length 0.
    var isDefault: Bool
    /// RTA_PRIORITY, the lowest is preferred.
    var metric: UInt32
    /// RTN_UNICAST: packets leave through the next hops. Others are local, broadcast, unreachable …
    var isUnicast: Bool
    /// RTN_UNICAST as well; may be the answer to a look-up, which the kernel marks as a copy (RTM_F_CLONED).
    var leadsOut: Bool
    /// One, or those of RTA_MULTIPATH. A nexthop object's are in the same attributes, resolved by the kernel.
    var nextHops: [NextHop]

    /// nil: not an IPv4 or IPv6 route.
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

    /// struct rtvia: a gateway of the other family, an IPv4 route through an IPv6 router.
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
