/// What the kernel forgets when a link is lowered. It is recorded before a bounce, as netlink messages.
public struct Snapshot: Codable, Hashable, Sendable {
    /// One item, which one netlink message restores.
    public struct Item: Codable, Hashable, Sendable {
        /// The kind of item; the raw value is its name in records.
        public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
            /// An interface stacked on this one, such as a VLAN, that an administrator had set down. The
            /// kernel raises it together with this interface.
            case link
            case address, neighbour
            case nextHop = "nexthop"
            case route
            case powerSave = "power-save"
        }

        public var kind: Kind
        /// The request that creates the item again, with its header (struct nlmsghdr, netlink(7)); its
        /// sequence number is set when it is sent.
        public var message: [UInt8]
        /// The item for people, in the syntax of ip-route(8), ip-address(8), ip-neighbour(8) or
        /// ip-nexthop(8).
        public var description: String
        /// Whether an administrator configured the item (protocol static or boot, a permanent address or
        /// neighbour; always for a stacked link and for power saving), so that this program restores it. All
        /// other items belong to a network manager, a DHCP client, router advertisements or a routing daemon.
        public var isAdministrators: Bool
        /// How the address owner got the item; nil: the item is not the address owner's.
        public var configSource: ConfigSource?

        public init(
            kind: Kind, message: [UInt8], description: String, isAdministrators: Bool,
            configSource: ConfigSource? = nil
        ) {
            self.kind = kind
            self.message = message
            self.description = description
            self.isAdministrators = isAdministrators
            self.configSource = configSource
        }
    }

    /// The items in the order of the restore: stacked links, addresses, neighbours, nexthop objects before
    /// their groups, routes without a gateway, then the rest.
    public var items: [Item]
    /// The program that gives the interface its addresses and routes, and restores them after a bounce; nil:
    /// none is known.
    public var addressOwner: Owner?
    /// Whether the link had name servers of its own. Only the address owner can restore them.
    public var hasNameServers: Bool
    /// The program that makes the station scan after a bounce, and that connects from the kernel's scan
    /// results if its scan is aborted; nil: none is known.
    public var scanOwner: Owner?
    /// The interface to which the owner gives addresses (``Port/upper``); nil: the bounced interface itself.
    public var upper: Port.Device?

    public init(
        items: [Item] = [], addressOwner: Owner? = nil, hasNameServers: Bool = false, scanOwner: Owner? = nil,
        upper: Port.Device? = nil
    ) {
        self.items = items
        self.addressOwner = addressOwner
        self.hasNameServers = hasNameServers
        self.scanOwner = scanOwner
        self.upper = upper
    }

    /// The items of an earlier snapshot that are still to be restored, followed by the other items of this
    /// snapshot.
    package func after(_ leftover: Snapshot) -> Snapshot {
        leftover.items.isEmpty && !leftover.hasNameServers
            ? self
            : Snapshot(
                items: leftover.items + items.filter { !leftover.items.contains($0) },
                addressOwner: addressOwner ?? leftover.addressOwner,
                hasNameServers: hasNameServers || leftover.hasNameServers, scanOwner: scanOwner, upper: upper)
    }

    /// The items that the next attempt may restore: all but those already restored. If a restored item is
    /// missing again, another program or a user has removed it.
    public func rest(after restoration: Restoration) -> Snapshot {
        var rest = self
        rest.items = items.filter { !restoration.restored.contains($0.description) }
        return rest
    }
}

/// What became of the items of a snapshot after the bounce. Each item is the text of its
/// ``Snapshot/Item/description``.
public struct Restoration: Codable, Hashable, Sendable {
    /// An item that was missing and could not be restored.
    public struct Refused: Codable, Hashable, Sendable {
        public var description: String
        public var failure: Failure
        public init(description: String, failure: Failure) {
            self.description = description
            self.failure = failure
        }
    }

    /// The items that this program restored, and those that were missing at the last comparison.
    public var lost: [String]
    /// The items that this program restored.
    public var restored: [String]
    /// The items that the kernel refused.
    public var refused: [Refused]
    /// Whether the link had name servers of its own before the bounce and has none now. This program never
    /// restores them.
    public var lacksNameServers: Bool

    public init(
        lost: [String] = [], restored: [String] = [], refused: [Refused] = [], lacksNameServers: Bool = false
    ) {
        self.lost = lost
        self.restored = restored
        self.refused = refused
        self.lacksNameServers = lacksNameServers
    }

    /// Adds the result of a later comparison of all items that this program had not restored by then.
    public mutating func add(_ next: Restoration) {
        self = Restoration(
            lost: restored + next.lost, restored: restored + next.restored, refused: next.refused,
            lacksNameServers: next.lacksNameServers)
    }
}
