import Model
import Toggling

/// What was found on a machine that bears on its Wi-Fi links, without a judgement. What could not be found out is nil,
/// and is no ground for a finding.
public struct MachineFacts: Hashable, Sendable {
    /// A program that sets links down and up by itself.
    public struct Rival: Hashable, Sendable {
        public var name: String
        public var process: Int32

        public init(name: String, process: Int32) {
            self.name = name
            self.process = process
        }
    }

    /// A line of a table of cron(8) that touches links.
    public struct CronLine: Hashable, Sendable {
        public enum Kind: Hashable, Sendable { case ours, rival }

        public var file: String
        /// From 1 on.
        public var number: Int
        public var kind: Kind

        public init(file: String, number: Int, kind: Kind) {
            self.file = file
            self.number = number
            self.kind = kind
        }
    }

    /// The unit of systemd that runs the service.
    public enum Unit: Hashable, Sendable, CaseIterable { case missing, disabled, enabled, masked }

    /// CAP_NET_ADMIN of this process.
    public var mayChangeLinks = true
    /// CAP_NET_RAW, or a group of this process within net.ipv4.ping_group_range.
    public var mayPing = true
    public var rivals: [Rival] = []
    public var cron: [CronLine] = []
    /// Files of systemd-rfkill(8) by which a Wi-Fi radio is blocked when the machine starts again.
    public var storedBlocks: [String] = []
    /// The interfaces with a default route of IPv4, each once.
    public var uplinks: [String] = []
    /// Those of them on which rp_filter is strict.
    public var strictlyFiltered: [String] = []
    /// The two letters of the regulatory domain; 00 is that of the whole world.
    public var country: String?
    /// How much older than the program's own file the clock on the wall says that it is.
    public var clockBehind: Duration?
    public var unit: Unit?
    public var isServiceRunning = false
    /// What is wrong with the directories for what is learned and for locks, a clause each.
    public var directoryProblems: [String] = []

    public init() {}
}

/// The same of one interface.
public struct InterfaceFacts: Hashable, Sendable {
    /// How packets go to a gateway of IPv4.
    public struct Way: Hashable, Sendable {
        public var gateway: IPAddress
        /// The address with which they leave where they choose none themselves.
        public var source: IPAddress

        public init(to gateway: IPAddress, from source: IPAddress) {
            self.gateway = gateway
            self.source = source
        }
    }

    public var name: String
    public var kernelState: KernelState
    public var ownership: Ownership
    public var settings: Settings
    /// Of either family.
    public var hasDefaultRoute: Bool?
    /// The kernel's name of its driver.
    public var driver: String?
    /// networkd's word (ActivationPolicy= in systemd.network(5)).
    public var activationPolicy: String?
    /// What NetworkManager's profile or configuration says, where it says anything; 0 is without end.
    public var autoconnectRetries: Int?
    public var way: Way?

    public init(name: String, kernelState: KernelState, ownership: Ownership, settings: Settings = Settings())
    {
        self.name = name
        self.kernelState = kernelState
        self.ownership = ownership
        self.settings = settings
    }
}
