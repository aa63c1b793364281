/// What the kernel forgets when a link is lowered, as the kernel's own messages, taken before a bounce.
public struct Snapshot: Codable, Hashable, Sendable {
    /// One item that one message can restore.
    public struct Item: Codable, Hashable, Sendable {
        /// The kind of item; the raw value is its name in records.
        public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
            /// An interface stacked on this one that an administrator had set down, and that the kernel
            /// raises with it.
            case link
            case address, neighbour
            case nextHop = "nexthop"
            case route
            case powerSave = "power-save"
        }

        public var kind: Kind
        /// The kernel's message as received (with struct nlmsghdr), to be sent back unchanged.
        public var message: [UInt8]
        /// The same in the syntax of ip-route(8), ip-address(8), ip-neighbour(8) or ip-nexthop(8).
        public var description: String
        /// Configured by an administrator (protocol static or boot, a permanent address or neighbour): this
        /// program restores it. Everything else belongs to a network manager, a DHCP client, router
        /// advertisements or a routing daemon.
        public var isAdministrators: Bool
        /// The item's source, if it comes from the address owner; nil: it does not.
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

    /// In an order in which they can be restored: addresses, neighbours, nexthop objects before their groups,
    /// routes without a gateway, then the rest.
    public var items: [Item]
    /// The program that gives the interface its addresses and routes, and restores its own after a bounce;
    /// nil: none is known.
    public var addressOwner: Owner?
    /// Whether the link had name servers of its own, which the address owner has to restore as well.
    public var hasNameServers: Bool
    /// The program that makes the station scan for its network after a bounce, and connects from the kernel's
    /// scan results if that scan is aborted; nil: none is known.
    public var scanOwner: Owner?
    /// The interface that the owner gives addresses; nil: the bounced one itself (``Port/upper``).
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

    /// What an earlier snapshot has left to restore, and the items of this one that it does not have.
    package func after(_ leftover: Snapshot) -> Snapshot {
        leftover.items.isEmpty && !leftover.hasNameServers
            ? self
            : Snapshot(
                items: leftover.items + items.filter { !leftover.items.contains($0) },
                addressOwner: addressOwner ?? leftover.addressOwner,
                hasNameServers: hasNameServers || leftover.hasNameServers, scanOwner: scanOwner, upper: upper)
    }

    /// What may be restored at the next attempt. If a restored item disappeared again, another program or a
    /// user removed it, and it is not restored again.
    public func rest(after restoration: Restoration) -> Snapshot {
        var rest = self
        rest.items = items.filter { !restoration.restored.contains($0.description) }
        return rest
    }
}

/// What became of a snapshot after the bounce, in the syntax of ip-route(8).
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

    /// Missing after the bounce, even if an owner has restored it since.
    public var lost: [String]
    public var restored: [String]
    public var refused: [Refused]
    /// The link had name servers of its own, and has none now. This program never restores them.
    public var lacksNameServers: Bool

    public init(
        lost: [String] = [], restored: [String] = [], refused: [Refused] = [], lacksNameServers: Bool = false
    ) {
        self.lost = lost
        self.restored = restored
        self.refused = refused
        self.lacksNameServers = lacksNameServers
    }

    /// Adds the result of another attempt to restore the rest.
    public mutating func add(_ next: Restoration) {
        self = Restoration(
            lost: restored + next.lost, restored: restored + next.restored, refused: next.refused,
            lacksNameServers: next.lacksNameServers)
    }
}
