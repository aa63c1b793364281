/// What an interface is a port of, and whether the traffic of that master passes through it.
public struct Port: Codable, Hashable, Sendable {
    /// The kind of the master: IFLA_INFO_SLAVE_KIND, rtnetlink(7).
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        case bridge, bond, team, openvswitch, vrf
        case other
    }

    public enum Traffic: String, Codable, Hashable, Sendable, CaseIterable {
        /// The port's own: a member of a VRF keeps its addresses, and its routes are in the VRF's table.
        case own
        /// The master's: a bond's active port (BOND_STATE_ACTIVE), a bridge's forwarding one
        /// (BR_STATE_FORWARDING).
        case masters
        /// None yet: a bridge's port that is listening or learning.
        case pending
        /// None: a bond's backup, a bridge's blocked port, or the port of a master that is down.
        case none
        /// The kernel does not report it: of a team teamd(8) knows, of Open vSwitch its daemon.
        case unknown
    }

    /// An interface by its number and its name.
    public struct Device: Codable, Hashable, Sendable {
        public var index: InterfaceIndex
        public var name: String

        public init(index: InterfaceIndex, name: String) {
            self.index = index
            self.name = name
        }
    }

    /// IFLA_MASTER.
    public var master: InterfaceIndex
    /// nil: not asked for, as in an announcement.
    public var masterName: String?
    public var kind: Kind
    public var traffic: Traffic
    /// The interface that has the addresses, routes and neighbours of the master's traffic: the master, or
    /// the last of several that are ports of one another. nil: there is none, or it was not asked for.
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
    /// Whether the addresses, routes and neighbours that a kernel state has beside this link are those of its
    /// traffic. If not, as with a backup port, nothing above the association can be judged.
    package var hasUpperLayers: Bool { port.map { $0.traffic == .own || $0.upper != nil } ?? true }

    /// Whether packets can pass again as before a bounce: the link is operational, and the port of the same
    /// master, which has admitted it.
    package func isBack(asBefore before: Link) -> Bool {
        isOperational && port?.master == before.port?.master && port?.traffic != .pending
    }
}

extension Link {
    /// What of a link makes a check due when it changes.
    package struct Appearance: Hashable, Sendable {
        package let isUp: Bool
        package let isOperational: Bool
        /// nil: no port.
        package let master: InterfaceIndex?
    }

    package var appearance: Appearance {
        Appearance(isUp: isUp, isOperational: isOperational, master: port?.master)
    }
}
