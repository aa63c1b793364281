/// Another program that manages a network interface or a part of it. The raw value is its name for people and
/// in records.
public enum Owner: String, Codable, Hashable, Sendable, CaseIterable {
    case networkManager = "NetworkManager"
    case networkd = "systemd-networkd"
    case connman = "ConnMan"
    case iwd
    case supplicant = "wpa_supplicant"
    case dhclient, dhcpcd, udhcpc
    /// Debian's ifup(8). It has no process that keeps running, so it does not react to a bounce.
    case ifupdown
    /// It owns no interface, but resolves names for the machine's programs. It is restarted like an owner.
    case resolved = "systemd-resolved"

    /// The programs that this owner starts for single interfaces. They do not compete with it.
    package var employs: Set<Owner> { self == .ifupdown ? [.supplicant, .dhclient, .dhcpcd, .udhcpc] : [] }

    /// Whether this network manager also directs the program that associates the station.
    package var managesAssociation: Bool { [.networkManager, .connman].contains(self) }

    /// Whether it is a DHCP client, whose work matters only to an interface that has no address or may lose
    /// its address.
    package var isDHCPClient: Bool { [.dhclient, .dhcpcd, .udhcpc].contains(self) }
}

/// The owners of an interface, found from files, sockets and processes, without a request to the owners.
public struct Ownership: Hashable, Sendable {
    /// One program that manages the interface, and the evidence for that.
    public struct Claim: Hashable, Sendable {
        public var owner: Owner
        /// The file, socket or process that shows this, as text for people.
        public var evidence: String
        /// The program's process; nil: it is not known, or there is none.
        public var process: Int32?

        public init(_ owner: Owner, _ evidence: String, process: Int32? = nil) {
            self.owner = owner
            self.evidence = evidence
            self.process = process
        }
    }

    /// One of the two tasks of owners: the association, or the addresses and routes.
    public struct Part: Hashable, Sendable {
        public var claims: [Claim]
        /// Whether everything could be examined. Only then does an empty list of claims mean that there is no
        /// owner.
        public var isComplete: Bool
        /// Whether the interface needs an owner for this part; a wired interface, for example, has no
        /// association.
        public var isNeeded: Bool

        public init(_ claims: [Claim] = [], isComplete: Bool = true, isNeeded: Bool = true) {
            self.claims = claims
            self.isComplete = isComplete
            self.isNeeded = isNeeded
        }

        /// The owners of this part, each once, in the order in which they were found.
        public var owners: [Owner] {
            claims.map(\.owner).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }

        /// Whether two independent owners manage this part: different programs, or one program started twice.
        public var isDisputed: Bool {
            // ifupdown and the DHCP client that it started count as one.
            let rivals = claims.filter { $0.owner.employs.isDisjoint(with: owners) }
            return rivals.count > 1
        }
    }

    /// The programs that associate the station.
    public var station: Part
    /// The programs that give the interface addresses and routes.
    public var network: Part
    /// Programs whose files say that they manage the interface, but that do not run.
    public var absent: [Owner]
    /// Whether NetworkManager manages the interface, and is configured to let iwd associate it.
    public var isDelegatedToIwd: Bool

    public init(
        station: Part = Part(isComplete: false), network: Part = Part(isComplete: false),
        absent: [Owner] = [], isDelegatedToIwd: Bool = false
    ) {
        self.station = station
        self.network = network
        self.absent = absent
        self.isDelegatedToIwd = isDelegatedToIwd
    }

    /// The address owner of the interface, which restores its own configuration after a bounce; of several
    /// owners, the slowest one. nil: none is known.
    public var addressOwner: Owner? {
        network.owners.filter { $0.quirks.timeout != nil }
            .max { ($0.quirks.timeout ?? .zero) < ($1.quirks.timeout ?? .zero) }
    }

    /// The scan owner, which makes the station scan after a bounce and connects from the kernel's scan
    /// results if its scan is aborted; nil: not all programs involved are known to do so.
    public var scanOwner: Owner? {
        guard station.isComplete, network.isComplete, station.owners.count == 1,
            let associator = station.owners.first, associator.quirks.scan?.isHelped == true
        else { return nil }
        let directors = network.owners.filter { $0.quirks.scan != nil }
        guard directors.count <= 1, directors.allSatisfy({ $0.quirks.scan?.isHelped == true }) else {
            return nil
        }
        return directors.first ?? associator
    }

    /// The owners of both parts, each once.
    public var owners: [Owner] { Part(station.claims + network.claims).owners }

    /// The process of an owner; of several, the first one. nil: none is known.
    public func process(of owner: Owner) -> Int32? {
        (station.claims + network.claims).lazy.filter { $0.owner == owner }.compactMap(\.process).first
    }
}
