import CNetlink
import Glibc
import Model

/// Requests interfaces, and changes them (RTM_GETLINK, RTM_SETLINK, rtnetlink(7)).
enum LinkRequest {
    /// Requests all interfaces.
    static var all: Request { Request(RTM_GETLINK, flags: NLM_F_DUMP, header: ifinfomsg()) }

    /// Requests the interface of a name. A name that is too long for IFLA_IFNAME can only be an alternative
    /// name.
    static func named(_ name: String) -> Request {
        let bytes = Array(name.utf8)
        let attribute = bytes.count < CNetlink.IFNAMSIZ ? IFLA_IFNAME : IFLA_ALT_IFNAME
        return Request(
            RTM_GETLINK, header: ifinfomsg(), attributes: [Request.Attribute(attribute, bytes + [0])])
    }

    static func of(_ index: InterfaceIndex) -> Request {
        Request(RTM_GETLINK, header: header(of: index))
    }

    /// Changes IFF_UP and no other flag: `ifi_change` is the mask of the flags to change.
    static func administrativeState(up: Bool, of index: InterfaceIndex) -> Request {
        var header = header(of: index)
        header.ifi_flags = up ? IFF_UP.rawValue : 0
        header.ifi_change = IFF_UP.rawValue
        return Request(RTM_SETLINK, header: header)
    }

    private static func header(of index: InterfaceIndex) -> ifinfomsg {
        var header = ifinfomsg()
        header.ifi_index = index.rawValue
        return header
    }
}

extension Conversation {
    mutating func links() throws(Failure) -> [Link] {
        try ask(LinkRequest.all, of: route).compactMap { LinkMessage.parse($0.payload)?.link }
    }

    mutating func link(named name: String) throws(Failure) -> Link {
        // The kernel reads a name up to the first NUL, so a name with a NUL could match another interface.
        guard !name.isEmpty, !name.utf8.contains(0) else { throw Failure(errno: ENODEV) }
        return try link(LinkRequest.named(name).forOneMessage)
    }

    mutating func link(_ index: InterfaceIndex) throws(Failure) -> Link { try master(index).link }

    /// The link of a master, and whether it is a balancing bond. Nothing says which ports of a balancing bond
    /// carry its traffic.
    mutating func master(_ index: InterfaceIndex) throws(Failure) -> (link: Link, isBalancingBond: Bool) {
        guard index.rawValue > 0 else { throw Failure(errno: ENODEV) }
        return try linkMessage(LinkRequest.of(index).forOneMessage)
    }

    mutating func setAdministrativeState(up: Bool, of index: InterfaceIndex) throws(Failure) {
        guard index.rawValue > 0 else { throw Failure(errno: ENODEV) }
        try order(LinkRequest.administrativeState(up: up, of: index), of: route)
    }

    private mutating func link(_ request: Request) throws(Failure) -> Link { try linkMessage(request).link }

    private mutating func linkMessage(
        _ request: Request
    ) throws(Failure) -> (link: Link, isBalancingBond: Bool) {
        for answer in try ask(request, of: route) {
            guard let message = LinkMessage.parse(answer.payload), let link = message.link else { continue }
            return (link, message.isBalancingBond)
        }
        throw .unreadable("a link")
    }
}
