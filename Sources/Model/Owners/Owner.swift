/// A program of somebody else's that manages a network interface, or a part of it; the raw value is its name for
/// people and records.
public enum Owner: String, Codable, Hashable, Sendable, CaseIterable {
    case networkManager = "NetworkManager"
    case networkd = "systemd-networkd"
    case connman = "ConnMan"
    case iwd
    case supplicant = "wpa_supplicant"
    case dhclient, dhcpcd, udhcpc
    /// Keeps no process: what it set up stays as it is.
    case ifupdown

    /// Runs other programs for single interfaces: those are not its rivals.
    package var employs: Set<Owner> { self == .ifupdown ? [.supplicant, .dhclient, .dhcpcd, .udhcpc] : [] }
}

/// Who manages an interface, by what can be seen without asking anybody.
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

    /// One of the two things that are managed.
    public struct Part: Hashable, Sendable {
        public var claims: [Claim]
        /// Whether everything could be looked at: only then no claim means nobody.
        public var isComplete: Bool

        public init(_ claims: [Claim] = [], isComplete: Bool = true) {
            self.claims = claims
            self.isComplete = isComplete
        }

        /// Each once, in the order in which they were found.
        public var owners: [Owner] {
            claims.map(\.owner).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }

        /// Two that know nothing of each other: different programs, or one of them started twice.
        public var isDisputed: Bool {
            // ifupdown with the DHCP client that it has started is one.
            let rivals = claims.filter { $0.owner.employs.isDisjoint(with: owners) }
            return rivals.count > 1
        }
    }

    /// Who associates the station.
    public var station: Part
    /// Who gives it addresses and routes.
    public var network: Part

    public init(station: Part = Part(isComplete: false), network: Part = Part(isComplete: false)) {
        self.station = station
        self.network = network
    }

    /// Who gives the interface its addresses and routes, and brings its own back after a bounce; of several the one
    /// that takes longest. nil: nobody is known who does.
    public var addressOwner: Owner? {
        network.owners.filter { $0.quirks.timeout != nil }
            .max { ($0.quirks.timeout ?? .zero) < ($1.quirks.timeout ?? .zero) }
    }

    /// Who has the station scan for its network after a bounce, and connects from what the kernel knows where that scan is
    /// cut short; nil: not all who have a say in it are known to.
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

    /// Everybody who has a part in it, each once.
    public var owners: [Owner] { Part(station.claims + network.claims).owners }
}
