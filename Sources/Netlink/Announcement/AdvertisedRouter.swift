import CNetlink
import Model

/// A router whose advertisements (RFC 4861) have made it the default route.
public struct AdvertisedRouter: Equatable, Sendable {
    public var address: IPAddress
    /// How long the route stays without another advertisement (RTA_CACHEINFO, rta_expires), in whole seconds.
    public var remaining: Duration

    public init(address: IPAddress, remaining: Duration) {
        self.address = address
        self.remaining = remaining
    }

    /// nil: no default route with one next hop, on this interface, that an advertisement made and that ends.
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
    /// The routers of an interface that have advertised themselves, if the kernel knows how long their routes stay: a
    /// network manager may keep that to itself.
    mutating func advertisedRouters(of index: InterfaceIndex) throws(Failure) -> [AdvertisedRouter] {
        try ask(RouteRequest.of(index, family: AF_INET6), of: route).compactMap {
            $0.type == RTM_NEWROUTE ? AdvertisedRouter.parse($0.payload, on: index) : nil
        }
    }
}
