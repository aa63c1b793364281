/// The master (bridge, bond and the like) that an interface is a port of, and whether the master's traffic
/// passes through this port.
public struct Port: Codable, Hashable, Sendable {
    /// The kind of the master: IFLA_INFO_SLAVE_KIND, rtnetlink(7).
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        case bridge, bond, team, openvswitch, vrf
        case other
    }

    /// Whose traffic passes through the port.
    public enum Traffic: String, Codable, Hashable, Sendable, CaseIterable {
        /// The port's own traffic: a member of a VRF keeps its addresses, and its routes are in the VRF's
        /// table.
        case own
        /// The master's traffic: a bond's active port (BOND_STATE_ACTIVE, linux/if_bonding.h), or a bridge's
        /// forwarding port (BR_STATE_FORWARDING, linux/if_bridge.h).
        case masters
        /// No traffic yet: a bridge's port that is listening or learning (BR_STATE_LISTENING,
        /// BR_STATE_LEARNING).
        case pending
        /// No traffic: a bond's backup port, a bridge's blocked port, or the port of a master that is down.
        case none
        /// Perhaps some of the master's traffic; the kernel does not report how much. A bond in another mode
        /// than active-backup spreads its traffic over its ports; only the daemon of a team or of Open
        /// vSwitch knows which of its ports carries what.
        case unknown
    }

    /// An interface by its index and its name.
    public struct Device: Codable, Hashable, Sendable {
        public var index: InterfaceIndex
        public var name: String

        public init(index: InterfaceIndex, name: String) {
            self.index = index
            self.name = name
        }
    }

    /// The index of the master (IFLA_MASTER, rtnetlink(7)).
    public var master: InterfaceIndex
    /// The name of the master; nil: not requested. Announcements of the kernel do not contain it.
    public var masterName: String?
    public var kind: Kind
    public var traffic: Traffic
    /// The interface that has the addresses, routes and neighbours of the master's traffic: the master, or,
    /// if the master is a port itself, the last master in that chain. nil: there is none, or it was not
    /// requested.
    public var upper: Device?

    public init(
        master: InterfaceIndex, masterName: String? = nil, kind: Kind, traffic: Traffic, upper: Device? = nil
    ) {
        self.master = master
        self.masterName = masterName
        self.kind = kind
        self.traffic = traffic
        self.upper = upper
    }
}

extension Link {
    /// Whether the addresses, routes and neighbours of the kernel state belong to the traffic of this link.
    /// If they do not, as for a bond's backup port, no layer above the association can be judged.
    package var hasUpperLayers: Bool { port.map { $0.traffic == .own || $0.upper != nil } ?? true }

    /// Whether packets can pass again as before a bounce: the link is operational, has the same master as
    /// before (or none, as before), and does not wait for the master to forward its packets
    /// (`Traffic.pending`).
    package func isBack(asBefore before: Link) -> Bool {
        isOperational && port?.master == before.port?.master && port?.traffic != .pending
    }
}

extension Link {
    /// The properties of a link that the program compares: if one of them changes, a check is due.
    package struct Appearance: Hashable, Sendable {
        package let isUp: Bool
        package let isOperational: Bool
        /// The master; nil: the link is no port.
        package let master: InterfaceIndex?
    }

    package var appearance: Appearance {
        Appearance(isUp: isUp, isOperational: isOperational, master: port?.master)
    }
}
