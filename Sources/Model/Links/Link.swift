/// A network interface's number in the kernel (ifindex, netdevice(7)). A renamed interface keeps its number.
/// A device that was unplugged and plugged in again has another one.
public struct InterfaceIndex: RawRepresentable, Codable, Hashable, Sendable {
    public var rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }
}

/// The operational state of RFC 2863, with the kernel's numbers (IF_OPER_*, linux/if.h).
public enum OperationalState: UInt8, Codable, Hashable, Sendable, CaseIterable {
    case unknown, notPresent, down, lowerLayerDown, testing, dormant, up
}

/// What the kernel reports of an interface through rtnetlink(7) (RTM_NEWLINK).
public struct Link: Codable, Hashable, Sendable {
    public var index: InterfaceIndex
    public var name: String
    public var macAddress: MACAddress?
    /// The hardware's factory address, which stays when the current address is changed (IFLA_PERM_ADDRESS);
    /// nil: not reported, as for virtual links.
    public var permanentAddress: MACAddress?
    /// Whether the link is administratively up (IFF_UP, netdevice(7)).
    public var isUp: Bool
    /// Whether the link has a carrier (IFF_LOWER_UP, netdevice(7)). A link that is administratively down has
    /// none.
    public var hasCarrier: Bool
    /// The operational state (IFLA_OPERSTATE). Some drivers leave it at `unknown` although the link works.
    public var operationalState: OperationalState
    /// The packet counters (IFLA_STATS64); nil: the message did not contain them.
    public var counters: LinkCounters?
    /// The master of the interface; nil: the interface is no port of a bridge, a bond or the like.
    public var port: Port?
    /// Whether the link has had a carrier since the interface was created (IFLA_CARRIER_UP_COUNT); nil: not
    /// reported. A Wi-Fi station has a carrier only after an association.
    public var hadCarrier: Bool?
    /// The interface on which a VLAN is stacked (IFLA_LINK); nil: this is no VLAN, or that interface is in
    /// another network namespace.
    public var lower: InterfaceIndex?

    public init(
        index: InterfaceIndex, name: String, macAddress: MACAddress? = nil,
        permanentAddress: MACAddress? = nil, isUp: Bool, hasCarrier: Bool,
        operationalState: OperationalState, counters: LinkCounters? = nil, port: Port? = nil,
        hadCarrier: Bool? = nil, lower: InterfaceIndex? = nil
    ) {
        self.index = index
        self.name = name
        self.macAddress = macAddress
        self.permanentAddress = permanentAddress
        self.isUp = isUp
        self.hasCarrier = hasCarrier
        self.operationalState = operationalState
        self.counters = counters
        self.port = port
        self.hadCarrier = hadCarrier
        self.lower = lower
    }

    /// The address that identifies the hardware, even if the current address is random; nil: there is none.
    public var identity: MACAddress? { permanentAddress ?? macAddress }

    /// Whether packets can pass: the link is administratively up, and its operational state is UP, or unknown
    /// with a carrier.
    public var isOperational: Bool {
        isUp && (operationalState == .up || operationalState == .unknown && hasCarrier)
    }
}

/// Packets since the interface was created (struct rtnl_link_stats64, linux/if_link.h).
public struct LinkCounters: Codable, Hashable, Sendable {
    public var receivedPackets: UInt64
    public var sentPackets: UInt64

    public init(receivedPackets: UInt64, sentPackets: UInt64) {
        self.receivedPackets = receivedPackets
        self.sentPackets = sentPackets
    }
}
