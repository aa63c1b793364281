import Model

/// The result of announcing an interface's addresses to its neighbours.
public struct AnnouncementResult: Equatable, Sendable {
    /// Why an address was not announced.
    public enum Problem: Hashable, Sendable {
        /// The kernel announces only the first IPv4 address of a subnet, and this is another one.
        case omitted(IPAddress)
        /// IPv6 addresses cannot be announced: that needs a raw socket, and CAP_NET_RAW is missing
        /// (capabilities(7)).
        case noRawSockets
        case failed(Failure)
    }

    public var announced: [IPAddress] = []
    /// The routers whose default routes have not been renewed for long, so that the program asked for new
    /// advertisements (router solicitation, RFC 4861).
    public var solicited: [AdvertisedRouter] = []
    public var problems: [Problem] = []

    public init(
        announced: [IPAddress] = [], solicited: [AdvertisedRouter] = [], problems: [Problem] = []
    ) {
        self.announced = announced
        self.solicited = solicited
        self.problems = problems
    }
}

/// Formats the announcements of one interface as log lines. It keeps what was logged, because every check
/// meets the same problem again, and each problem is logged once.
public struct AnnouncementLog {
    private var told: Set<AnnouncementResult.Problem> = []

    public init() {}

    /// The log lines for a result, without the interface's name.
    public mutating func lines(for result: AnnouncementResult) -> [Line] {
        let addresses = result.announced.map(\.description).joined(separator: ", ")
        let announced = addresses.isEmpty ? [] : [Line(.debug, "announced to the neighbours: \(addresses)")]
        let solicited = result.solicited.map {
            Line(
                .notice,
                "asked the IPv6 routers for an advertisement: the default route through \($0.address) ends in"
                    + " \($0.remaining.text)")
        }
        return announced + solicited + result.problems.filter { told.insert($0).inserted }.map(Self.line)
    }

    private static func line(_ problem: AnnouncementResult.Problem) -> Line {
        switch problem {
        case .omitted(let address):
            Line(
                .notice,
                "\(address) is not announced: the kernel announces only the first address of a subnet"
            )
        case .noRawSockets:
            Line(
                .warning,
                "IPv6 addresses are not announced: that needs CAP_NET_RAW (run as root, or give the service the"
                    + " drop-in echo.conf)")
        case .failed(let failure):
            Line(.warning, failure.description(after: "could not announce its addresses"))
        }
    }
}
