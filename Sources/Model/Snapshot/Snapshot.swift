/// What lowering a link makes the kernel forget, in the kernel's own messages, taken before a bounce.
public struct Snapshot: Codable, Hashable, Sendable {
    /// One thing that can be put back by one message.
    public struct Item: Codable, Hashable, Sendable {
        /// What it is; the raw value is its word in records.
        public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
            /// An interface stacked on ours that an administrator had set down, and that the kernel raises.
            case link
            case address, neighbour
            case nextHop = "nexthop"
            case route
            case powerSave = "power-save"
        }

        public var kind: Kind
        /// The kernel's message as it came (struct nlmsghdr and all), to be sent back as it is.
        public var message: [UInt8]
        /// The same in the words of ip-route(8), ip-address(8), ip-neighbour(8) or ip-nexthop(8).
        public var words: String
        /// An administrator's (protocol static or boot, a permanent address or neighbour): ours to put back.
        /// The rest belongs to a manager, a DHCP client, router advertisements or a routing daemon.
        public var isAdministrators: Bool
        /// What it is to whoever gives the interface its addresses; nil: nothing of theirs.
        public var configSource: ConfigSource?

        public init(
            kind: Kind, message: [UInt8], words: String, isAdministrators: Bool,
            configSource: ConfigSource? = nil
        ) {
            self.kind = kind
            self.message = message
            self.words = words
            self.isAdministrators = isAdministrators
            self.configSource = configSource
        }
    }

    /// In an order in which they can be put back: addresses, neighbours, nexthop objects before their groups,
    /// routes without a gateway, then the rest.
    public var items: [Item]
    /// Who gives the interface its addresses and routes, and brings its own back after a bounce; nil: nobody is
    /// known who does.
    public var addressOwner: Owner?
    /// Whether the link had name servers of its own, which are the address owner's to bring back as well.
    public var hasNameServers: Bool
    /// Who has the station scan for its network after a bounce, and connects from what the kernel knows where that scan is
    /// cut short; nil: nobody is known who does.
    public var scanOwner: Owner?

    public init(
        items: [Item] = [], addressOwner: Owner? = nil, hasNameServers: Bool = false, scanOwner: Owner? = nil
    ) {
        self.items = items
        self.addressOwner = addressOwner
        self.hasNameServers = hasNameServers
        self.scanOwner = scanOwner
    }

    /// What an earlier snapshot has left to put back, and what this one has beyond it.
    package func after(_ leftover: Snapshot) -> Snapshot {
        leftover.items.isEmpty && !leftover.hasNameServers
            ? self
            : Snapshot(
                items: leftover.items + items.filter { !leftover.items.contains($0) },
                addressOwner: addressOwner ?? leftover.addressOwner,
                hasNameServers: hasNameServers || leftover.hasNameServers, scanOwner: scanOwner)
    }

    /// What may be put back at the next attempt. What was put back and went away again was taken away by
    /// somebody, and is not fought for.
    public func rest(after restoration: Restoration) -> Snapshot {
        var rest = self
        rest.items = items.filter { !restoration.restored.contains($0.words) }
        return rest
    }
}

/// What became of a snapshot after the bounce, in the words of ip-route(8).
public struct Restoration: Codable, Hashable, Sendable {
    /// A thing that was missing and could not be put back.
    public struct Refused: Codable, Hashable, Sendable {
        public var words: String
        public var failure: Failure
        public init(words: String, failure: Failure) {
            self.words = words
            self.failure = failure
        }
    }

    /// Missing after the bounce, whoever has put it back since.
    public var lost: [String]
    public var restored: [String]
    public var refused: [Refused]
    /// The link had name servers of its own, and has none now. They are never ours to put back.
    public var lacksNameServers: Bool

    public init(
        lost: [String] = [], restored: [String] = [], refused: [Refused] = [], lacksNameServers: Bool = false
    ) {
        self.lost = lost
        self.restored = restored
        self.refused = refused
        self.lacksNameServers = lacksNameServers
    }

    /// Takes in what became of the rest at another attempt.
    public mutating func add(_ next: Restoration) {
        self = Restoration(
            lost: restored + next.lost, restored: restored + next.restored, refused: next.refused,
            lacksNameServers: next.lacksNameServers)
    }
}
