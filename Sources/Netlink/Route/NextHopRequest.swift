import CNetlink
import Model

/// RTM_GETNEXTHOP (linux/nexthop.h).
enum NextHopRequest {
    /// The nexthop objects of one interface; groups belong to no interface.
    static func of(_ index: InterfaceIndex) -> Request {
        Request(
            RTM_GETNEXTHOP, flags: NLM_F_DUMP, header: nhmsg(),
            attributes: [Request.Attribute(NHA_OIF, Array(of: index.rawValue))])
    }

    /// Every group (NHA_GROUPS, a flag).
    static var groups: Request {
        Request(
            RTM_GETNEXTHOP, flags: NLM_F_DUMP, header: nhmsg(),
            attributes: [Request.Attribute(NHA_GROUPS, [])])
    }
}
