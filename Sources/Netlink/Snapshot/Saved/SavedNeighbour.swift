import CNetlink
import Model

/// A neighbour entry as it is saved for a bounce. It is permanent, a proxy entry (NTF_PROXY), or managed: the
/// kernel keeps its link-layer address resolved (NTF_EXT_MANAGED).
struct SavedNeighbour: SavedState {
    static let kind = Snapshot.Item.Kind.neighbour

    struct Identity: Hashable {
        var index: InterfaceIndex
        /// The address as bytes in network order.
        var address: [UInt8]
        var isProxy: Bool
    }

    let identity: Identity
    private let address: IPAddress
    private let header: ndmsg
    private let attributes: Attributes

    /// Returns nil unless the entry is a proxy entry, is managed (NTF_EXT_MANAGED), or is permanent with a
    /// hardware address: the kernel can learn any other entry again.
    init?(_ payload: Bytes) {
        guard let header = payload.structure(ndmsg.self), header.ndm_ifindex > 0 else { return nil }
        attributes = Attributes(payload.following(ndmsg.self))
        self.header = header
        guard
            let address = attributes[NDA_DST].flatMap({
                IPAddress(bytes: $0, family: Int32(header.ndm_family))
            })
        else { return nil }
        self.address = address
        identity = Identity(
            index: InterfaceIndex(rawValue: header.ndm_ifindex), address: address.bytes,
            isProxy: Int32(header.ndm_flags) & NTF_PROXY != 0)
        guard identity.isProxy || isManaged || isPermanent && attributes[NDA_LLADDR] != nil else {
            return nil
        }
    }

    private var isPermanent: Bool { Int32(header.ndm_state) & NUD_PERMANENT != 0 }

    private var isManaged: Bool {
        (attributes[NDA_FLAGS_EXT]?.number(UInt32.self) ?? 0) & UInt32(NTF_EXT_MANAGED) != 0
    }

    private var routeProtocol: UInt8 { attributes[NDA_PROTOCOL]?.number(UInt8.self) ?? 0 }
    private var isLearned: Bool { Int32(header.ndm_flags) & NTF_EXT_LEARNED != 0 }

    var isAdministrators: Bool { !isLearned && RouteProtocol.isAdministratorsOrNobodys(routeProtocol) }

    var indices: [InterfaceIndex] { [identity.index] }

    /// The request that creates the entry. It replaces an entry that the kernel may have learned meanwhile
    /// (NLM_F_REPLACE).
    var request: Request {
        var header = header
        header.ndm_flags &= UInt8(NTF_PROXY | NTF_ROUTER | NTF_EXT_LEARNED)
        header.ndm_state = isPermanent ? UInt16(NUD_PERMANENT) : 0
        let ordered = attributes.all.filter { Self.settable.contains($0.type) }
            // The kernel itself resolves the link-layer address of a managed entry.
            .filter { isPermanent || $0.type != Int32(NDA_LLADDR) }
        return Request(
            RTM_NEWNEIGH, flags: NLM_F_CREATE | NLM_F_REPLACE, header: header,
            attributes: ordered.map { Request.Attribute($0.type, Array($0.payload)) })
    }

    private static let settable: Set<Int32> = [
        Int32(NDA_DST), Int32(NDA_LLADDR), Int32(NDA_PROTOCOL), Int32(NDA_FLAGS_EXT),
    ]

    func order(_ comparison: Comparison) -> Request? {
        comparison.has(identity) ? nil : request
    }

    /// The entry in the notation of ip-neighbour(8).
    func description(_ names: InterfaceNames) -> String {
        var words = ["neighbour", "\(address)", "dev", names[identity.index]]
        if isPermanent, let bytes = attributes[NDA_LLADDR] {
            let bytes = bytes.map { byte in
                byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
            }
            words += ["lladdr", bytes.joined(separator: ":")]
        }
        if isManaged { words.append("managed") }
        if isLearned { words.append("extern_learn") }
        if Int32(header.ndm_flags) & NTF_ROUTER != 0 { words.append("router") }
        if identity.isProxy { words.append("proxy") }
        if isPermanent, !identity.isProxy { words.append("PERMANENT") }
        if routeProtocol != 0 { words += ["proto", RouteProtocol.name(routeProtocol)] }
        return words.joined(separator: " ")
    }
}
