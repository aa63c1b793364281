import CNetlink
import Glibc
import Model

extension Conversation {
    /// The interface through which packets from one address to another leave (RTM_GETROUTE without
    /// NLM_F_DUMP); nil if there is no route.
    /// - Parameter bound: the VRF in which to look for the route; nil for none.
    mutating func interface(
        from local: IPAddress, to peer: IPAddress, over bound: InterfaceIndex?
    ) throws(Failure) -> InterfaceIndex? {
        try route(from: local, to: peer, over: bound)?.nextHops.first?.index
    }

    /// The next hop of packets to a peer; nil if there is no route, or if the packets do not leave the
    /// machine.
    /// - Parameter bound: the interface that the packets must use; nil for any.
    mutating func wayOut(
        from local: IPAddress, to peer: IPAddress, over bound: InterfaceIndex?
    ) throws(Failure) -> RouteMessage.NextHop? {
        guard let route = try route(from: local, to: peer, over: bound), route.leadsOut else { return nil }
        return route.nextHops.first
    }

    /// The source address that the kernel chooses for packets that set none, such as ARP requests
    /// (RTA_PREFSRC); nil if there is no route.
    mutating func source(toward peer: IPAddress, over bound: InterfaceIndex) throws(Failure) -> IPAddress? {
        try answers(from: nil, to: peer, over: bound).lazy.compactMap { message in
            let attributes = Attributes(message.payload.following(rtmsg.self))
            return attributes[RTA_PREFSRC].flatMap { IPAddress(bytes: $0, family: Int32(peer.family)) }
        }.first
    }

    private mutating func route(
        from local: IPAddress, to peer: IPAddress, over bound: InterfaceIndex?
    ) throws(Failure) -> RouteMessage? {
        try answers(from: local, to: peer, over: bound).lazy.compactMap { RouteMessage.parse($0.payload) }
            .first
    }

    /// The answers to a look-up of a route; empty if there is no route.
    private mutating func answers(
        from local: IPAddress?, to peer: IPAddress, over bound: InterfaceIndex?
    ) throws(Failure) -> [Message] {
        var header = rtmsg()
        header.rtm_family = UInt8(peer.family)
        header.rtm_dst_len = UInt8(peer.bytes.count * 8)
        header.rtm_src_len = UInt8((local?.bytes.count ?? 0) * 8)
        let request = Request(
            RTM_GETROUTE, header: header,
            attributes: [Request.Attribute(RTA_DST, peer.bytes)]
                + (local.map { [Request.Attribute(RTA_SRC, $0.bytes)] } ?? [])
                + (bound.map { [Request.Attribute(RTA_OIF, Array(of: $0.rawValue))] } ?? []))
        do throws(Failure) {
            return try ask(request, of: route)
        } catch  where Self.unreachable.contains(error.code) {
            return []
        }
    }

    /// The errors that mean "no route": no route exists, the route is an unreachable, prohibit or blackhole
    /// route, or the source address was removed.
    private static let unreachable = [ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL]
}
