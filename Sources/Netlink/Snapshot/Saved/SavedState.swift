import CNetlink
import Model

/// One item that can be lost when a link is set down, as the kernel reports it or as a snapshot stores it.
/// Both forms are netlink messages with all that is needed to create the item again.
protocol SavedState {
    static var kind: Snapshot.Item.Kind { get }
    /// Returns nil if the message cannot be read, or if a bounce cannot destroy the item for good.
    init?(_ payload: Bytes)
    /// Whether an administrator configured the item. Only such items are restored by this program.
    var isAdministrators: Bool { get }
    /// The request that creates the item if it does not exist.
    var request: Request { get }
    /// The request that restores the item; nil if it is not missing, or if another program has changed it.
    func order(_ comparison: Comparison) -> Request?
    func description(_ names: InterfaceNames) -> String
    /// The interfaces that the item names.
    var indices: [InterfaceIndex] { get }
    /// Whether the item belongs to one of these interfaces, given by number, or may belong to it through a
    /// nexthop object.
    func concerns(_ scope: Set<Int>) -> Bool
}

extension SavedState {
    func concerns(_ scope: Set<Int>) -> Bool { indices.contains { scope.contains($0.number) } }

    func item(_ names: InterfaceNames, _ configSource: ConfigSource?) -> Snapshot.Item {
        // The sequence number is set when the message is sent.
        Snapshot.Item(
            kind: Self.kind, message: request.bytes(sequence: 0) ?? [], description: description(names),
            isAdministrators: isAdministrators, configSource: configSource)
    }
}

/// The names of the interfaces when the snapshot was taken.
struct InterfaceNames {
    private var known: [Int: String] = [:]

    init(known: KeyValuePairs<InterfaceIndex, String> = [:]) {
        for (index, name) in known { learn(name, of: index) }
    }

    mutating func learn(_ name: String, of index: InterfaceIndex) { known[index.number] = name }
    func isKnown(_ index: InterfaceIndex) -> Bool { known[index.number] != nil }

    /// The name of an interface, or `if` and its index, as ip(8) prints an interface without a name.
    subscript(index: InterfaceIndex) -> String { known[index.number] ?? "if\(index.rawValue)" }
}

extension InterfaceIndex {
    /// The index as an Int, for sets and dictionaries. The program contains the types `Set<Int>` and
    /// `Dictionary<Int, …>` anyway. For any other type of key, the Swift runtime would first have to create
    /// these types, which takes time during a bounce.
    var number: Int { Int(rawValue) }
}

/// The program that created a route, nexthop object or neighbour entry (RTPROT_*).
enum RouteProtocol {
    /// Whether the item was configured by hand or from a file (RTPROT_STATIC, RTPROT_BOOT; ip-route(8),
    /// "protocol").
    static func isAdministrators(_ number: UInt8) -> Bool {
        Int32(number) == RTPROT_STATIC || Int32(number) == RTPROT_BOOT
    }

    /// As ``isAdministrators(_:)``, but true also for RTPROT_UNSPEC: for kinds of items that most tools
    /// create without a protocol.
    static func isAdministratorsOrNobodys(_ number: UInt8) -> Bool {
        Int32(number) == RTPROT_UNSPEC || isAdministrators(number)
    }

    /// The name in iproute2's rt_protos, or the number.
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
