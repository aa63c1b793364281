/// The target of a probe.
public enum ProbeTarget: Codable, Hashable, Sendable {
    case address(IPAddress)
    /// A name that has to be resolved first.
    case name(String)
}

extension ProbeTarget: CustomStringConvertible {
    /// The text that users write in options.
    public var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name
        }
    }
}

/// A probe that the user configured with `--probe`.
public struct ProbeSpec: Codable, Hashable, Sendable {
    /// What the probe does.
    public enum Method: Codable, Hashable, Sendable {
        /// First the kernel state, then a neighbour probe of the gateways, then ICMP echo to them.
        case auto
        /// No packet at all: only the kernel state.
        case none
        /// The kernel verifies that a neighbour is reachable (NUD_PROBE, ARP or neighbour solicitation); nil:
        /// the gateways.
        case neighbour(IPAddress?)
        /// ICMP echo to a host; nil: to the gateways.
        case icmp(ProbeTarget?)
        /// A TCP connection.
        case tcp(ProbeTarget, port: UInt16)
        /// A DNS query for the addresses of a name; server nil: the name servers of the link's own
        /// configuration.
        case dns(name: String, server: IPAddress?)
        /// A request to a web server.
        case http(HTTPQuestion)
        /// A program of the administrator: exit status 0 means healthy, 1 sick, any other unknown.
        case command(path: String)
    }

    public var method: Method
    /// Whether this probe must succeed (a leading `+` in the option). If not, the quorum of its layer
    /// decides.
    public var isRequired: Bool

    public init(_ method: Method, isRequired: Bool = false) {
        self.method = method
        self.isRequired = isRequired
    }
}

/// One question of a probe, which is sent to another host or put to a command.
public struct ProbeRequest: Codable, Hashable, Sendable {
    /// What is asked.
    public enum Question: Codable, Hashable, Sendable {
        case neighbour(IPAddress)
        case icmp(ProbeTarget)
        case tcp(ProbeTarget, port: UInt16)
        /// A DNS query for a name; server nil: the name servers of the link's own configuration.
        case dns(name: String, server: IPAddress?)
        case http(HTTPQuestion)
        /// The program at this absolute path.
        case command(String)
    }

    /// Unique among all requests of one toggler.
    public var id: Int
    public var question: Question
    public var timeout: Duration
    /// The interface to which the socket is bound; nil: the toggler's own interface.
    public var device: Port.Device?

    public init(id: Int, question: Question, timeout: Duration, device: Port.Device? = nil) {
        self.id = id
        self.question = question
        self.timeout = timeout
        self.device = device
    }
}

/// The result of a probe.
public enum ProbeResult: Codable, Hashable, Sendable {
    /// An answer came, this long after the question was sent.
    case answered(roundTrip: Duration, detail: String)
    /// The question was sent, and no answer came.
    case unanswered(detail: String)
    /// An answer came, this long after the question was sent, and shows a fault in this layer: a name server
    /// that refuses (dns), a page other than the expected one (portal), a refused connection (internet).
    case refuted(layer: Layer, roundTrip: Duration, detail: String)
    /// No answer, from a target that has never answered in this network: no evidence.
    case neverAnswered(detail: String)
    /// The question could not be asked, or a command gave no usable result: no evidence.
    case unknown(Failure)
}
