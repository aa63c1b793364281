import CNetlink
import Model

/// One next hop of a route: an entry of RTA_MULTIPATH, the only next hop, or a nexthop object.
struct SavedHop: Hashable {
    /// The interface; nil for a nexthop object.
    var index: InterfaceIndex?
    /// The gateway, as the kernel sent it: the value of RTA_GATEWAY. For a gateway of the other address
    /// family, it is the value of RTA_VIA, which begins with the family.
    var gateway: [UInt8] = []
    /// The value of RTA_ENCAP; empty without encapsulation.
    var encapsulation: [UInt8] = []
    /// The number of the nexthop object (RTA_NH_ID); nil if the route has none.
    var object: UInt32?

    init(object: UInt32) { self.object = object }

    init(_ index: InterfaceIndex?, _ attributes: Attributes) {
        self.index = index
        gateway = Array(attributes[RTA_GATEWAY] ?? attributes[RTA_VIA] ?? [])
        encapsulation = Array(attributes[RTA_ENCAP] ?? [])
    }
}

/// One entry of RTA_MULTIPATH: struct rtnexthop, followed by attributes (RTNH_OK, RTNH_NEXT,
/// linux/rtnetlink.h).
struct HopMessage {
    let header: rtnexthop
    let attributes: Attributes
    /// The entry with its header and padding.
    private let bytes: Bytes

    /// Splits the value of RTA_MULTIPATH. Ends at the first entry that does not fit.
    static func split(_ multipath: Bytes) -> [HopMessage] {
        var rest = multipath
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

    /// The position of the entry in the array that underlies the slice.
    var start: Int { bytes.startIndex }

    /// The interface (rtnh_ifindex); nil if there is none.
    var index: InterfaceIndex? {
        header.rtnh_ifindex > 0 ? InterfaceIndex(rawValue: header.rtnh_ifindex) : nil
    }

    var hop: SavedHop { SavedHop(index, attributes) }

    /// The entry for a request. The kernel reports state flags of a next hop (RTNH_F_DEAD, RTNH_F_LINKDOWN),
    /// but refuses them in a request.
    var settable: [UInt8] {
        var bytes = Array(bytes)
        bytes[MemoryLayout<rtnexthop>.offset(of: \.rtnh_flags)!] &= UInt8(RTNH_F_ONLINK)
        return bytes
    }
}
