import CNetlink
import Model

/// One item that lowering a link can lose: as the kernel reports it, or as a snapshot stores it. Both are
/// messages, and the message has everything that is needed to create it again.
protocol SavedState {
    static var kind: Snapshot.Item.Kind { get }
    /// nil: nothing that a bounce can lose for good, or unreadable.
    init?(_ payload: Bytes)
    /// Whether this program restores it.
    var isAdministrators: Bool { get }
    /// The request that creates it if it does not exist yet.
    var request: Request { get }
    /// The request that creates it again; nil: it is not missing, or another program has changed it.
    func order(_ comparison: Comparison) -> Request?
    func description(_ names: InterfaceNames) -> String
    /// The interfaces that it names.
    var indices: [InterfaceIndex] { get }
    /// Whether it is of one of these interfaces, by number, or of nexthop objects, which may be.
    func concerns(_ scope: Set<Int>) -> Bool
}

extension SavedState {
    func concerns(_ scope: Set<Int>) -> Bool { indices.contains { scope.contains($0.number) } }

    func item(_ names: InterfaceNames, _ configSource: ConfigSource?) -> Snapshot.Item {
        // The sequence number is set when it is sent.
        Snapshot.Item(
            kind: Self.kind, message: request.bytes(sequence: 0) ?? [], description: description(names),
            isAdministrators: isAdministrators, configSource: configSource)
    }
}

/// The names of interfaces, as they were when the snapshot was taken.
struct InterfaceNames {
    private var known: [Int: String] = [:]

    init(known: KeyValuePairs<InterfaceIndex, String> = [:]) {
        for (index, name) in known { learn(name, of: index) }
    }

    mutating func learn(_ name: String, of index: InterfaceIndex) { known[index.number] = name }
    func isKnown(_ index: InterfaceIndex) -> Bool { known[index.number] != nil }

    /// As ip(8) prints an interface without a name.
    subscript(index: InterfaceIndex) -> String { known[index.number] ?? "if\(index.rawValue)" }
}

extension InterfaceIndex {
    /// For sets and dictionaries during a bounce: those of numbers are in use anyway, while the runtime first
    /// has to create types for any other.
    var number: Int { Int(rawValue) }
}

/// Which program made a route, a nexthop object, a neighbour or an address.
enum RouteProtocol {
    /// Configured by hand or from a file (ip-route(8), "protocol").
    static func isAdministrators(_ number: UInt8) -> Bool {
        Int32(number) == RTPROT_STATIC || Int32(number) == RTPROT_BOOT
    }

    /// The same for items that most tools create without a protocol.
    static func isAdministratorsOrNobodys(_ number: UInt8) -> Bool {
        Int32(number) == RTPROT_UNSPEC || isAdministrators(number)
    }

    /// The names of rtnetlink(7) and of iproute2's rt_protos, or the number.
    static func name(_ number: UInt8) -> String {
        switch Int32(number) {
        case RTPROT_UNSPEC: "unspec"
        case RTPROT_REDIRECT: "redirect"
        case RTPROT_KERNEL: "kernel"
        case RTPROT_BOOT: "boot"
        case RTPROT_STATIC: "static"
        case RTPROT_RA: "ra"
        case RTPROT_ZEBRA: "zebra"
        case RTPROT_BIRD: "bird"
        case RTPROT_DHCP: "dhcp"
        case RTPROT_KEEPALIVED: "keepalived"
        case RTPROT_BABEL: "babel"
        case RTPROT_BGP: "bgp"
        case RTPROT_ISIS: "isis"
        case RTPROT_OSPF: "ospf"
        case RTPROT_RIP: "rip"
        case RTPROT_EIGRP: "eigrp"
        default: String(number)
        }
    }
}
