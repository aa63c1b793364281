import Model

/// Facts about a machine that affect its Wi-Fi links. They contain no judgement. A fact that could not be
/// determined is nil, and leads to no finding.
public struct MachineFacts: Hashable, Sendable {
    /// Another program that sets links down and up by itself.
    public struct Rival: Hashable, Sendable {
        public var name: String
        public var process: Int32
    }

    /// A line of a cron(8) table that changes links, by this program or by another one.
    public struct CronLine: Hashable, Sendable {
        public enum Kind: Hashable, Sendable { case ours, rival }

        public var file: String
        /// The number of the line in its file, starting at 1.
        public var number: Int
        public var kind: Kind
    }

    /// The state of the service's systemd unit.
    public enum Unit: Hashable, Sendable, CaseIterable {
        case missing, disabled
        /// The service or an instance of it starts with the machine.
        case enabled
        /// Instead of a service, a timer starts one-shots.
        case timer
        case masked
    }

    /// Whether this process has CAP_NET_ADMIN.
    public var mayChangeLinks = true
    /// Whether the running service may send ICMP echoes: it has CAP_NET_RAW, or a group in
    /// net.ipv4.ping_group_range. If no service is found, whether this process may.
    public var mayPing = true
    /// Whether the running service has CAP_NET_RAW; if no service is found, whether this process has it.
    public var mayOpenRawSockets = true
    public var rivals: [Rival] = []
    public var cron: [CronLine] = []
    /// The files of systemd-rfkill(8) because of which a Wi-Fi radio will be blocked at the next boot.
    public var storedBlocks: [String] = []
    /// The names of the interfaces that have an IPv4 default route, each once.
    public var uplinks: [String] = []
    /// The uplinks that have a strict reverse-path filter (rp_filter).
    public var strictlyFiltered: [String] = []
    /// The condition of systemd-resolved; nil: systemd-resolved works, or programs do not ask it for names.
    public var resolverCondition: OwnerCondition?
    /// The country code of the regulatory domain, two characters; 00 is the world domain.
    public var country: String?
    /// How far the wall clock is behind the modification time of the program's file.
    public var clockBehind: Duration?
    public var unit: Unit?
    /// Whether the service or an instance of it runs, whatever has started it.
    public var isServiceRunning = false
    /// The problems of the state directory and the run directory, as clauses.
    public var directoryProblems: [String] = []

    public init() {}
}

/// Facts about one interface.
public struct InterfaceFacts: Sendable {
    /// How packets reach an IPv4 gateway.
    public struct GatewayPath: Hashable, Sendable {
        public var gateway: IPAddress
        /// The source address that the kernel chooses for packets that set none.
        public var source: IPAddress

        public init(to gateway: IPAddress, from source: IPAddress) {
            self.gateway = gateway
            self.source = source
        }
    }

    public var name: String
    public var kernelState: KernelState
    public var ownership: Ownership
    /// The condition of its owners; nil if they are working, or cannot be asked.
    public var ownerCondition: OwnerCondition?
    /// Conflicts between the interface's settings and its owners.
    public var configConflicts: [ConfigConflict] = []
    /// Whether a default route of either family leads over the interface.
    public var hasDefaultRoute: Bool?
    public var driver: DriverName?
    /// The rule about this driver in the driver files.
    public var driverRule: DriverRule?
    /// Whether the settings keep its power saving off, by themselves or because of the rule.
    public var keepsPowerSaveOff = false
    /// The configured methods that the running service may not carry out.
    public var forbiddenMethods: [ForbiddenMethods] = []
    /// What decides about a reboot of the machine; nil: the settings do not name this method.
    public var reboot: RebootFacts?
    /// Why the running service may not reset the device; nil: it may, it never would, the device cannot be
    /// reset, no service runs, or the settings name `reset` (``forbiddenMethods`` then has the reason).
    public var forbiddenReset: ForbiddenMethods?
    /// Whether the settings and the driver files let the service restart an owner that is dead or hung.
    public var mayRestartOwner = false
    /// Whether the running service may restart the owner; nil: the service never would, the service needs no
    /// permission, or the answer is not known.
    public var restartAccess: RestartAccess?
    /// The value of ActivationPolicy= in networkd's configuration (systemd.network(5)).
    public var activationPolicy: String?
    /// The number of connection attempts in NetworkManager's profile or configuration, if set; 0 means no
    /// limit.
    public var autoconnectRetries: Int?
    public var gatewayPath: GatewayPath?
    public var lastAdvertisement: LastAdvertisement?
    /// The round trips that the service measured; nil: there are none, or the probes also ask targets beyond the
    /// gateway.
    public var roundTrips: GatewayRoundTrips?
    /// Whether the settings name a probe `icmp`.
    public var sendsEchoes = false
    /// Whether the settings ask for announcements of its addresses.
    public var announces = false
}
