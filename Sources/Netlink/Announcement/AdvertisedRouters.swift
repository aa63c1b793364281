import CNetlink
import Model

extension AdvertisedRouter {
    /// Parses an RTM_NEWROUTE message (rtnetlink(7)). Returns nil unless the message is a default route that
    /// the kernel created from a router advertisement (RTPROT_RA), that has exactly one next hop, on this
    /// interface, and that expires (RTA_CACHEINFO, rta_expires).
    static func parse(_ payload: Bytes, on index: InterfaceIndex) -> AdvertisedRouter? {
        guard let header = payload.structure(rtmsg.self), header.rtm_protocol == UInt8(RTPROT_RA),
            let route = RouteMessage.parse(payload), route.isDefault, route.isUnicast,
            route.nextHops.count == 1, route.nextHops[0].index == index,
            let address = route.nextHops[0].gateway,
            let times = Attributes(payload.following(rtmsg.self))[RTA_CACHEINFO]?
                .structure(rta_cacheinfo.self), times.rta_expires > 0
        else { return nil }
        let seconds = Int64(times.rta_expires) / NeighbourMessage.ticksPerSecond
        return AdvertisedRouter(address: address, remaining: .seconds(seconds))
    }
}

extension Conversation {
    /// The IPv6 routers that have advertised themselves on an interface, with the remaining lifetimes of
    /// their default routes. Empty if the kernel does not handle router advertisements here: a network
    /// manager may process them itself.
    mutating func advertisedRouters(of index: InterfaceIndex) throws(Failure) -> [AdvertisedRouter] {
        try ask(RouteRequest.of(index, family: AF_INET6), of: route).compactMap {
            $0.type == RTM_NEWROUTE ? AdvertisedRouter.parse($0.payload, on: index) : nil
        }
    }
}
