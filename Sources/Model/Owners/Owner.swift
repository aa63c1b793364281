/// Another program that manages a network interface, or a part of it; the raw value is its name for people
/// and in records.
public enum Owner: String, Codable, Hashable, Sendable, CaseIterable {
    case networkManager = "NetworkManager"
    case networkd = "systemd-networkd"
    case connman = "ConnMan"
    case iwd
    case supplicant = "wpa_supplicant"
    case dhclient, dhcpcd, udhcpc
    /// Has no process: its configuration stays as it is.
    case ifupdown

    /// The programs that it starts for single interfaces: they are not its rivals.
    package var employs: Set<Owner> { self == .ifupdown ? [.supplicant, .dhclient, .dhcpcd, .udhcpc] : [] }
}

/// The owners of an interface, as found without asking them.
public struct Ownership: Hashable, Sendable {
    /// One program that manages the interface, and what shows it.
    public struct Claim: Hashable, Sendable {
        public var owner: Owner
        /// For people: a file, a socket or a process.
        public var evidence: String

        public init(_ owner: Owner, _ evidence: String) {
            self.owner = owner
            self.evidence = evidence
        }
    }

    /// One of the two parts that are managed.
    public struct Part: Hashable, Sendable {
        public var claims: [Claim]
        /// Whether everything could be examined: only then an empty list means that there is no owner.
        public var isComplete: Bool
        /// Whether the interface needs what a program for this part would give it: a wired one has no
        /// association.
        public var isNeeded: Bool

        public init(_ claims: [Claim] = [], isComplete: Bool = true, isNeeded: Bool = true) {
            self.claims = claims
            self.isComplete = isComplete
            self.isNeeded = isNeeded
        }

        /// Each once, in the order in which they were found.
        public var owners: [Owner] {
            claims.map(\.owner).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }

        /// Whether two independent owners manage this part: different programs, or one of them started twice.
        public var isDisputed: Bool {
            // ifupdown and the DHCP client that it started count as one.
            let rivals = claims.filter { $0.owner.employs.isDisjoint(with: owners) }
            return rivals.count > 1
        }
    }

    /// The programs that associate the station.
    public var station: Part
    /// The programs that give it addresses and routes.
    public var network: Part
    /// Programs that do not run, although their files say that they manage the interface.
    public var absent: [Owner]

    public init(
        station: Part = Part(isComplete: false), network: Part = Part(isComplete: false), absent: [Owner] = []
    ) {
        self.station = station
        self.network = network
        self.absent = absent
    }

    /// The address owner of the interface, which restores its own configuration after a bounce; of several,
    /// the one that takes longest. nil: none is known.
    public var addressOwner: Owner? {
        network.owners.filter { $0.quirks.timeout != nil }
            .max { ($0.quirks.timeout ?? .zero) < ($1.quirks.timeout ?? .zero) }
    }

    /// The scan owner, which after a bounce makes the station scan, and connects from the kernel's scan
    /// results if that scan is aborted; nil: not every program involved is known to do so.
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
}
