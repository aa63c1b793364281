import CNetlink
import Model

/// A nexthop object (ip-nexthop(8)) as it is saved for a bounce: one next hop, or a group of them.
struct SavedNextHop: SavedState {
    static let kind = Snapshot.Item.Kind.nextHop

    /// One member of a group (struct nexthop_grp, linux/nexthop.h).
    struct Member: Hashable {
        var id: UInt32
        /// The weight, 1 or more.
        var weight: Int
        /// The structure as the kernel sent it. The weight may be wider than one byte.
        fileprivate var bytes: [UInt8]
    }

    /// The number of the object (NHA_ID).
    let id: UInt32
    /// The members of a group; empty if this is not a group.
    let members: [Member]
    private let header: nhmsg
    private let attributes: Attributes

    init?(_ payload: Bytes) {
        guard let header = payload.structure(nhmsg.self) else { return nil }
        attributes = Attributes(payload.following(nhmsg.self))
        self.header = header
        guard let id = attributes[NHA_ID]?.number(UInt32.self), id != 0 else { return nil }
        self.id = id
        members = Self.members(attributes[NHA_GROUP] ?? [])
        guard isGroup || index != nil else { return nil }
    }

    /// The offset in struct nexthop_grp of the weight's high byte. Kernel headers since Linux 6.12 call it
    /// weight_high, older ones resvd1, which is 0. The offset works with both.
    private static let placeOfHighWeight = 5

    private static func members(_ payload: Bytes) -> [Member] {
        var rest = payload
        var found: [Member] = []
        while let entry: nexthop_grp = rest.structure() {
            let bytes = Array(of: entry)
            let weight = Int(bytes[placeOfHighWeight]) << 8 | Int(entry.weight)
            found.append(Member(id: entry.id, weight: weight + 1, bytes: bytes))
            rest = rest.following(nexthop_grp.self)
        }
        return found
    }

    var isGroup: Bool { !members.isEmpty }
    /// The interface (NHA_OIF); nil for a group.
    var index: InterfaceIndex? { isGroup ? nil : attributes[NHA_OIF]?.interfaceIndex }
    var indices: [InterfaceIndex] { index.map { [$0] } ?? [] }

    func concerns(_ scope: Set<Int>) -> Bool { isGroup || indices.contains { scope.contains($0.number) } }
    var isAdministrators: Bool { RouteProtocol.isAdministratorsOrNobodys(header.nh_protocol) }

    var request: Request { request(NLM_F_CREATE | NLM_F_EXCL) }

    private func request(_ flags: Int32) -> Request {
        var header = header
        header.nh_scope = 0
        header.nh_flags &= UInt32(RTNH_F_ONLINK)
        return Request(
            RTM_NEWNEXTHOP, flags: flags, header: header,
            attributes: attributes.all.compactMap(Self.settable))
    }

    /// The attribute for a request; nil if the kernel reports it but refuses it in a request. For nested
    /// attributes of nexthop objects the kernel requires NLA_F_NESTED, unlike elsewhere.
    private static func settable(_ attribute: Attributes.Attribute) -> Request.Attribute? {
        switch attribute.type {
        case Int32(NHA_ID), Int32(NHA_GROUP), Int32(NHA_GROUP_TYPE), Int32(NHA_BLACKHOLE), Int32(NHA_OIF),
            Int32(NHA_GATEWAY), Int32(NHA_ENCAP_TYPE), Int32(NHA_FDB):
            Request.Attribute(attribute.type, Array(attribute.payload))
        case Int32(NHA_ENCAP):
            Request.Attribute(attribute.type | NLA_F_NESTED, Array(attribute.payload))
        case Int32(NHA_RES_GROUP):
            Request.Attribute(attribute.type | NLA_F_NESTED, resilient(attribute.payload))
        default: nil
        }
    }

    /// The settings of a resilient group: buckets and timers, without the time for which the group has been
    /// unbalanced.
    private static func resilient(_ payload: Bytes) -> [UInt8] {
        let ordered = [NHA_RES_GROUP_BUCKETS, NHA_RES_GROUP_IDLE_TIMER, NHA_RES_GROUP_UNBALANCED_TIMER]
        let attributes = payload.nested.all.filter { found in
            ordered.contains { found.type == Int32($0) } && found.payload.count <= MemoryLayout<UInt32>.size
        }
        return attributes.flatMap { Request.Attribute($0.type, Array($0.payload)).bytes }
    }

    /// The request that creates the object again if it is gone. A group loses the members that disappear, and
    /// disappears with the last one. A group that has fewer members than before is replaced.
    func order(_ comparison: Comparison) -> Request? {
        guard let now = comparison.nextHop(id) else { return request }
        return now.isAborted(of: self) ? request(NLM_F_CREATE | NLM_F_REPLACE) : nil
    }

    func isAborted(of whole: SavedNextHop) -> Bool {
        isGroup && Set(members).isStrictSubset(of: Set(whole.members))
    }

    /// The object in the notation of ip-nexthop(8).
    func description(_ names: InterfaceNames) -> String {
        var words = ["nexthop", "id", "\(id)"]
        if isGroup {
            let list = members.map { $0.weight == 1 ? "\($0.id)" : "\($0.id),\($0.weight)" }
            words += ["group", list.joined(separator: "/")]
            let type = attributes[NHA_GROUP_TYPE]?.number(UInt16.self)
            if type == UInt16(NEXTHOP_GRP_TYPE_RES) { words += ["type", "resilient"] }
        }
        words += RouteWords.encapsulation(attributes[NHA_ENCAP_TYPE])
        if let gateway = attributes[NHA_GATEWAY].flatMap({ IPAddress(bytes: $0) }) {
            words += ["via", "\(gateway)"]
        }
        if let index { words += ["dev", names[index]] }
        words += ["proto", RouteProtocol.name(header.nh_protocol)]
        if header.nh_flags & UInt32(RTNH_F_ONLINK) != 0 { words.append("onlink") }
        return words.joined(separator: " ")
    }
}
