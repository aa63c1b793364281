import CNetlink
import Model

/// One next hop of a route: of RTA_MULTIPATH, the only one, or a nexthop object.
struct SavedHop: Hashable {
    /// Absent for a nexthop object.
    var index: InterfaceIndex?
    /// RTA_GATEWAY, or RTA_VIA for a gateway of the other family (with the family in front), as it came.
    var gateway: [UInt8] = []
    /// RTA_ENCAP.
    var encapsulation: [UInt8] = []
    /// RTA_NH_ID.
    var object: UInt32?

    init(object: UInt32) { self.object = object }

    init(_ index: InterfaceIndex?, _ attributes: Attributes) {
        self.index = index
        gateway = Array(attributes[RTA_GATEWAY] ?? attributes[RTA_VIA] ?? [])
        encapsulation = Array(attributes[RTA_ENCAP] ?? [])
    }
}

/// One entry of RTA_MULTIPATH: struct rtnexthop, then attributes (RTNH_OK, RTNH_NEXT, rtnetlink(3)).
struct HopMessage {
    let header: rtnexthop
    let attributes: Attributes
    /// With padding.
    private let bytes: Bytes

    /// Ends at the first entry that does not fit.
    static func split(_ row: Bytes) -> [HopMessage] {
        var rest = row
        var found: [HopMessage] = []
        while let header: rtnexthop = rest.structure() {
            let length = Int(header.rtnh_len)
            guard length >= MemoryLayout<rtnexthop>.size, length <= rest.count else { break }
            let alignment = Int(RTNH_ALIGNTO)
            let whole = (length + alignment - 1) / alignment * alignment
            let attributes = Attributes(rest.prefix(length).following(rtnexthop.self))
            found.append(HopMessage(header: header, attributes: attributes, bytes: rest.prefix(whole)))
            rest = rest.dropFirst(whole)
        }
        return found
    }

    /// Its position in the array that the row is a slice of.
    var start: Int { bytes.startIndex }

    /// rtnh_ifindex.
    var index: InterfaceIndex? {
        header.rtnh_ifindex > 0 ? InterfaceIndex(rawValue: header.rtnh_ifindex) : nil
    }

    var hop: SavedHop { SavedHop(index, attributes) }

    /// The state of a next hop (RTNH_F_DEAD, RTNH_F_LINKDOWN) is reported, and must not be sent.
    var settable: [UInt8] {
        var bytes = Array(bytes)
        bytes[MemoryLayout<rtnexthop>.offset(of: \.rtnh_flags)!] &= UInt8(RTNH_F_ONLINK)
        return bytes
    }
}
