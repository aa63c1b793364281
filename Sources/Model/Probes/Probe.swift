/// What a probe asks, and of whom.
public enum ProbeTarget: Codable, Hashable, Sendable {
    case address(IPAddress)
    /// A name that has to be resolved first.
    case name(String)
}

extension ProbeTarget: CustomStringConvertible {
    /// As people write it.
    public var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name
        }
    }
}

/// What the user configured with `--probe`.
public struct ProbeSpec: Codable, Hashable, Sendable {
    public enum Method: Codable, Hashable, Sendable {
        /// The kernel's knowledge first, then the neighbour probe of the gateways, then ICMP echo to them.
        case auto
        /// No packet at all: the kernel's knowledge alone.
        case none
        /// The kernel verifies a neighbour; nil: the gateways.
        case neighbour(IPAddress?)
        /// ICMP echo; nil: to the gateways.
        case icmp(ProbeTarget?)
        /// A TCP connection.
        case tcp(ProbeTarget, port: UInt16)
        /// The addresses of a name; nil: of the servers that the link's own configuration names.
        case dns(name: String, server: IPAddress?)
        /// A page of the web.
        case http(HTTPQuestion)
        /// A program of the administrator's: exit status 0 is healthy, 1 sick, everything else unknown.
        case command(path: String)
    }

    public var method: Method
    /// Must succeed (a leading `+`); otherwise one success of the same layer is enough.
    public var isRequired: Bool

    public init(_ method: Method, isRequired: Bool = false) {
        self.method = method
        self.isRequired = isRequired
    }
}

/// One question to the outside, on its way.
public struct ProbeRequest: Codable, Hashable, Sendable {
    public enum Question: Codable, Hashable, Sendable {
        case neighbour(IPAddress)
        case icmp(ProbeTarget)
        case tcp(ProbeTarget, port: UInt16)
        /// A name, asked of this server; nil: of the servers that the link's own configuration names.
        case dns(name: String, server: IPAddress?)
        case http(HTTPQuestion)
        /// The program at this absolute path.
        case command(String)
    }

    /// Told apart from every earlier request of the same toggler.
    public var id: Int
    public var question: Question
    public var timeout: Duration

    public init(id: Int, question: Question, timeout: Duration) {
        self.id = id
        self.question = question
        self.timeout = timeout
    }
}

/// How a probe ended.
public enum ProbeResult: Codable, Hashable, Sendable {
    /// An answer came, by the time given after the question was sent.
    case answered(roundTrip: Duration, detail: String)
    /// The question was sent, and no answer came.
    case unanswered(detail: String)
    /// An answer came, by the time given, and it says that something is wrong in this layer: a name server that
    /// refuses (dns), a page that is not the one asked for (portal), a certificate that has run out (internet).
    case refuted(layer: Layer, roundTrip: Duration, detail: String)
    /// As unanswered, from a target that has never answered in this network: nothing follows from that.
    case neverAnswered(detail: String)
    /// The question could not be asked: nothing follows from that.
    case unknown(Failure)
}
