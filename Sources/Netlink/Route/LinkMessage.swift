import CNetlink
import Model

/// An interface as rtnetlink(7) reports it (RTM_NEWLINK, RTM_DELLINK, struct ifinfomsg).
struct LinkMessage {
    var index: InterfaceIndex
    /// The link; nil if the message lacks its name or operational state. The messages for wireless events and
    /// for bridge ports contain only some attributes; a missing attribute has not changed.
    var link: Link?
    /// Whether the kernel itself has just set the link down (dev_close(), net/core/dev.c). In such a message,
    /// ifi_change names IFF_UP and IFF_RUNNING. After a program has set the link down, ifi_change names
    /// IFF_UP alone; for a new interface, it names all flags.
    var isClosed = false
    /// Whether the interface is a bond that spreads its traffic over several active ports.
    var isBalancingBond = false

    /// Returns nil if the message is not about an interface itself.
    static func parse(_ payload: Bytes) -> LinkMessage? {
        guard let header = payload.structure(ifinfomsg.self), header.ifi_index > 0,
            header.ifi_family == AF_UNSPEC
        else { return nil }
        let attributes = Attributes(payload.following(ifinfomsg.self))
        return LinkMessage(
            index: InterfaceIndex(rawValue: header.ifi_index), link: link(header, attributes),
            isClosed: header.ifi_flags & IFF_UP.rawValue == 0
                && header.ifi_change == IFF_UP.rawValue | IFF_RUNNING.rawValue,
            isBalancingBond: PortMessage.isBalancingBond(attributes))
    }

    private static func link(_ header: ifinfomsg, _ attributes: Attributes) -> Link? {
        guard let name = attributes[IFLA_IFNAME]?.text, !name.isEmpty,
            let state = attributes[IFLA_OPERSTATE]?.number(UInt8.self)
        else { return nil }
        return Link(
            index: InterfaceIndex(rawValue: header.ifi_index), name: name,
            macAddress: attributes[IFLA_ADDRESS].flatMap { MACAddress($0) },
            permanentAddress: attributes[IFLA_PERM_ADDRESS].flatMap { MACAddress($0) },
            isUp: header.ifi_flags & IFF_UP.rawValue != 0,
            hasCarrier: header.ifi_flags & IFF_LOWER_UP.rawValue != 0,
            operationalState: OperationalState(rawValue: state) ?? .unknown,
            counters: attributes[IFLA_STATS64].flatMap(counters),
            port: PortMessage.port(attributes),
            hadCarrier: attributes[IFLA_CARRIER_UP_COUNT]?.number(UInt32.self).map { $0 > 0 },
            lower: lower(of: attributes))
    }

    /// The interface on which a VLAN is stacked; nil if this is no VLAN, or if that interface is in another
    /// network namespace (IFLA_LINK_NETNSID).
    static func lower(of attributes: Attributes) -> InterfaceIndex? {
        guard attributes[IFLA_LINK_NETNSID] == nil,
            attributes[IFLA_LINKINFO]?.nested[IFLA_INFO_KIND]?.text == SavedLink.vlan
        else { return nil }
        return attributes[IFLA_LINK]?.interfaceIndex
    }

    /// Reads the first members of struct rtnl_link_stats64 (linux/if_link.h). Newer kernels append members.
    private static func counters(_ payload: Bytes) -> LinkCounters? {
        guard let fields = payload.structure((UInt64, UInt64).self) else { return nil }
        return LinkCounters(receivedPackets: fields.0, sentPackets: fields.1)
    }
}
