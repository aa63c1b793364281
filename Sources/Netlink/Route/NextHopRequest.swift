import CNetlink
import Model

/// Requests nexthop objects (RTM_GETNEXTHOP, linux/nexthop.h; ip-nexthop(8)).
enum NextHopRequest {
    /// Requests the nexthop objects of one interface. Groups belong to no interface, so this does not return
    /// them.
    static func of(_ index: InterfaceIndex) -> Request {
        Request(
            RTM_GETNEXTHOP, flags: NLM_F_DUMP, header: nhmsg(),
            attributes: [Request.Attribute(NHA_OIF, Array(of: index.rawValue))])
    }

    /// Requests all groups (NHA_GROUPS, an attribute without a value).
    static var groups: Request {
        Request(
            RTM_GETNEXTHOP, flags: NLM_F_DUMP, header: nhmsg(),
            attributes: [Request.Attribute(NHA_GROUPS, [])])
    }
}
