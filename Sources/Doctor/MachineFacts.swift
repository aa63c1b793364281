import Model

/// Facts about a machine that affect its Wi-Fi links, without a judgement. What could not be found out is
/// nil, and leads to no finding.
public struct MachineFacts: Hashable, Sendable {
    /// Another program that sets links down and up by itself.
    public struct Rival: Hashable, Sendable {
        public var name: String
        public var process: Int32
    }

    /// A line of a table of cron(8) that touches links.
    public struct CronLine: Hashable, Sendable {
        public enum Kind: Hashable, Sendable { case ours, rival }

        public var file: String
        /// The first line is 1.
        public var number: Int
        public var kind: Kind
    }

    /// The unit of systemd that runs the service.
    public enum Unit: Hashable, Sendable, CaseIterable { case missing, disabled, enabled, masked }

    /// CAP_NET_ADMIN of this process.
    public var mayChangeLinks = true
    /// CAP_NET_RAW, or a group of this process within net.ipv4.ping_group_range.
    public var mayPing = true
    /// CAP_NET_RAW of the running service; where none is seen, of this process.
    public var mayOpenRawSockets = true
    public var rivals: [Rival] = []
    public var cron: [CronLine] = []
    /// Files of systemd-rfkill(8) that will block a Wi-Fi radio at the next boot.
    public var storedBlocks: [String] = []
    /// The interfaces with an IPv4 default route, each once.
    public var uplinks: [String] = []
    /// Those of them with strict rp_filter.
    public var strictlyFiltered: [String] = []
    /// The two letters of the regulatory domain; 00 is the world domain.
    public var country: String?
    /// By how much the wall clock is behind the modification time of the program's file.
    public var clockBehind: Duration?
    public var unit: Unit?
    public var isServiceRunning = false
    /// What is wrong with the state directory and the run directory, a clause each.
    public var directoryProblems: [String] = []

    public init() {}
}

/// Facts about one interface.
public struct InterfaceFacts: Hashable, Sendable {
    /// How packets reach an IPv4 gateway.
    public struct Way: Hashable, Sendable {
        public var gateway: IPAddress
        /// The source address of packets that choose none themselves.
        public var source: IPAddress

        public init(to gateway: IPAddress, from source: IPAddress) {
            self.gateway = gateway
            self.source = source
        }
    }

    public var name: String
    public var kernelState: KernelState
    public var ownership: Ownership
    /// What its owners report, or that they do not answer; nil: they are at work, or cannot be asked.
    public var ownerCondition: OwnerCondition?
    /// Of its settings with its owners.
    public var configConflicts: [ConfigConflict] = []
    /// Of either family.
    public var hasDefaultRoute: Bool?
    public var driver: DriverName?
    /// What the driver files know of it.
    public var driverRule: DriverRule?
    /// networkd's ActivationPolicy= (systemd.network(5)).
    public var activationPolicy: String?
    /// From NetworkManager's profile or configuration, if set there; 0 means no limit.
    public var autoconnectRetries: Int?
    public var way: Way?
    /// Its settings want its addresses announced.
    public var announces = false
}
