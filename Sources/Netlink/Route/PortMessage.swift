import CNetlink
import Model

/// The parts of a link message that describe its master (IFLA_MASTER) and its role as a port (IFLA_LINKINFO).
enum PortMessage {
    /// The value of BOND_STATE_ACTIVE (linux/if_bonding.h).
    private static let active: UInt8 = 0
    /// The value of BOND_MODE_ACTIVEBACKUP (linux/if_bonding.h), the only mode with one active port.
    private static let activeBackup: UInt8 = 1
    /// The values of BR_STATE_LISTENING, BR_STATE_LEARNING and BR_STATE_FORWARDING (linux/if_bridge.h).
    private static let (listening, learning, forwarding) = (1 as UInt8, 2 as UInt8, 3 as UInt8)

    /// The port; nil if the interface has no master. The names of the masters are missing: link messages do
    /// not contain them.
    static func port(_ attributes: Attributes) -> Port? {
        guard let master = attributes[IFLA_MASTER]?.interfaceIndex else { return nil }
        let info = attributes[IFLA_LINKINFO]?.nested
        let kind = info?[IFLA_INFO_SLAVE_KIND].flatMap { Port.Kind(rawValue: $0.text) } ?? .other
        let traffic = traffic(of: kind, info?[IFLA_INFO_SLAVE_DATA]?.nested)
        return Port(master: master, kind: kind, traffic: traffic)
    }

    /// Whether the interface is a bond in another mode than active-backup (IFLA_BOND_MODE, linux/if_link.h).
    static func isBalancingBond(_ attributes: Attributes) -> Bool {
        guard let info = attributes[IFLA_LINKINFO]?.nested, info[IFLA_INFO_KIND]?.text == "bond" else {
            return false
        }
        return info[IFLA_INFO_DATA]?.nested[IFLA_BOND_MODE]?.number(UInt8.self).map { $0 != activeBackup }
            ?? false
    }

    private static func traffic(of kind: Port.Kind, _ state: Attributes?) -> Port.Traffic {
        switch kind {
        case .vrf: return .own
        case .bond:
            guard let state = state?[IFLA_BOND_SLAVE_STATE]?.number(UInt8.self) else { return .unknown }
            return state == active ? .masters : .none
        case .bridge:
            switch state?[IFLA_BRPORT_STATE]?.number(UInt8.self) {
            case forwarding?: return .masters
            case listening?, learning?: return .pending
            case nil: return .unknown
            default: return .none
            }
        case .team, .openvswitch, .other: return .unknown
        }
    }
}

extension Conversation {
    /// The most masters that are followed upward. The kernel stacks at most eight interfaces.
    private static let mostMasters = 8

    /// The link with the name of its master, and with the interface above it that has the addresses for its
    /// traffic. If the master has disappeared meanwhile, the link has no master's name, and no longer counts
    /// as carrying the master's traffic.
    mutating func linkAndMaster(_ index: InterfaceIndex) throws(Failure) -> Link {
        var link = try link(index)
        guard var port = link.port else { return link }
        let master = try existing { conversation throws(Failure) in try conversation.master(port.master) }
        port.masterName = master?.link.name
        if master?.isBalancingBond == true, port.traffic == .masters { port.traffic = .unknown }
        if port.traffic == .masters {
            port.upper = try upper(of: master?.link, Self.mostMasters)
            if port.upper == nil { port.traffic = .none }
        }
        link.port = port
        return link
    }

    /// The interface that has the addresses for the traffic of this link; nil if the link carries no traffic,
    /// or if the interface is unknown.
    /// - Parameter most: how many more masters may be followed.
    private mutating func upper(of link: Link?, _ most: Int) throws(Failure) -> Port.Device? {
        guard let link, link.isUp, most > 0 else { return nil }
        guard let port = link.port, port.traffic != .own else {
            return Port.Device(index: link.index, name: link.name)
        }
        return port.traffic == .masters ? try upper(of: try existing(port.master), most - 1) : nil
    }

    /// The highest master of an interface, whether or not the interfaces on the way are up; the interface
    /// itself if it is no port, or a port of a VRF.
    mutating func topmostMaster(of index: InterfaceIndex) throws(Failure) -> InterfaceIndex {
        var topmost = index
        for _ in 0..<Self.mostMasters {
            guard let port = try existing(topmost)?.port, port.traffic != .own else { break }
            topmost = port.master
        }
        return topmost
    }

    /// The VRF that an interface belongs to; nil if it belongs to none. The kernel binds the connections of a
    /// VRF to this interface, and not to the one through which their packets pass
    /// (Documentation/networking/vrf.rst).
    mutating func vrf(of index: InterfaceIndex) throws(Failure) -> InterfaceIndex? {
        guard let port = try existing(index)?.port, port.kind == .vrf else { return nil }
        return port.master
    }

    private mutating func existing(_ index: InterfaceIndex) throws(Failure) -> Link? {
        try existing { conversation throws(Failure) in try conversation.link(index) }
    }

    /// What `query` returns; nil if the interface does not exist.
    private mutating func existing<Answer>(
        _ query: (inout Conversation) throws(Failure) -> Answer
    ) throws(Failure) -> Answer? {
        do throws(Failure) { return try query(&self) } catch  where error.kind == .noSuchDevice { return nil }
    }

    /// The interface that has the addresses, routes and neighbours for the traffic of this one; this one if
    /// no other is known.
    mutating func upper(of index: InterfaceIndex) throws(Failure) -> InterfaceIndex {
        try linkAndMaster(index).port?.upper?.index ?? index
    }
}
