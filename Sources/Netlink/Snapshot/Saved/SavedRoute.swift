import CNetlink
import Model

/// A route as it is saved for a bounce.
struct SavedRoute: SavedState {
    static let kind = Snapshot.Item.Kind.route

    /// The properties by which the kernel tells two routes apart. There is one route per identity, whichever
    /// program created it, unless more were appended (ip-route(8)).
    struct Identity: Hashable {
        var family: UInt8
        var table: UInt32
        var typeOfService: UInt8
        var metric: UInt32
        var destination: [UInt8]
        var prefixLength: UInt8
        /// The source prefix to which the route applies; IPv6 only.
        var source: [UInt8]
        var sourceLength: UInt8
    }

    let identity: Identity
    let hops: [SavedHop]
    let header: rtmsg
    let attributes: Attributes

    /// Returns nil for a route that a bounce cannot destroy for good: a cache entry, or one of the kernel's
    /// own routes, which the kernel creates again with the address.
    init?(_ payload: Bytes) {
        guard let header = payload.structure(rtmsg.self),
            [AF_INET, AF_INET6].contains(Int32(header.rtm_family)),
            header.rtm_flags & UInt32(RTM_F_CLONED) == 0, Int32(header.rtm_protocol) != RTPROT_KERNEL
        else { return nil }
        let attributes = Attributes(payload.following(rtmsg.self))
        self.header = header
        self.attributes = attributes
        hops = Self.hops(attributes)
        identity = Identity(
            family: header.rtm_family,
            table: attributes[RTA_TABLE]?.number(UInt32.self) ?? UInt32(header.rtm_table),
            typeOfService: header.rtm_tos, metric: attributes[RTA_PRIORITY]?.number(UInt32.self) ?? 0,
            destination: Array(attributes[RTA_DST] ?? []), prefixLength: header.rtm_dst_len,
            source: Array(attributes[RTA_SRC] ?? []), sourceLength: header.rtm_src_len)
    }

    private static func hops(_ attributes: Attributes) -> [SavedHop] {
        if let object = attributes[RTA_NH_ID]?.number(UInt32.self) { return [SavedHop(object: object)] }
        if let multipath = attributes[RTA_MULTIPATH] { return HopMessage.split(multipath).map(\.hop) }
        return [SavedHop(attributes[RTA_OIF]?.interfaceIndex, attributes)]
    }

    /// The program that created the route (RTPROT_*).
    var routeProtocol: UInt8 { header.rtm_protocol }
    /// Whether an administrator configured the route.
    var isAdministrators: Bool { RouteProtocol.isAdministrators(routeProtocol) }
    /// The source address for packets of this machine (RTA_PREFSRC); nil: the kernel chooses it.
    var source: [UInt8]? { attributes[RTA_PREFSRC].map { Array($0) } }
    /// Whether it is a default route in the main table.
    var isDefault: Bool { identity.prefixLength == 0 && identity.table == RT_TABLE_MAIN.rawValue }
    /// Whether the destination is in fe80::/10 (IPv6 link-local).
    var isLinkLocal: Bool { IPAddress(bytes: identity.destination)?.isIPv6LinkLocal == true }
    /// The identities of the route with each penalty added to the metric, or subtracted if the metric may
    /// include it already. The owner of a link that needs a bounce has often added a penalty.
    var reweighed: [Identity] {
        let penalties = (isDefault ? [Self.limitedPenalty] : []) + [Self.roamingPenalty]
        return penalties.map { penalty in
            var other = identity
            let isWorse = identity.metric >= penalty
            other.metric = isWorse ? identity.metric - penalty : identity.metric + penalty
            return other
        }
    }

    /// NetworkManager 1.42 adds this to the metric of an interface's default routes while its own check
    /// reports limited connectivity.
    private static let limitedPenalty: UInt32 = 20_000
    /// dhcpcd 9 and 10 add this to the metric of all routes while the station is not associated
    /// (RTMETRIC_ROAM in its src/route.h).
    private static let roamingPenalty: UInt32 = 2_000_000

    /// Whether the route depends on another route or on a nexthop object.
    var hasGateway: Bool { hops.contains { $0.object != nil || !$0.gateway.isEmpty } }
    var indices: [InterfaceIndex] { hops.compactMap(\.index) }

    func concerns(_ scope: Set<Int>) -> Bool {
        hops.contains { $0.object != nil || $0.index.map { scope.contains($0.number) } == true }
    }

    // MARK: Restoring

    var request: Request { request(NLM_F_CREATE | NLM_F_EXCL) }

    /// The request that creates the route: the kernel's own message, without the parts that the kernel
    /// reports but refuses in a request.
    /// - Parameter missing: the next hops to include; nil for all.
    func request(_ flags: Int32, missing: [SavedHop]? = nil) -> Request {
        var header = header
        header.rtm_flags &= UInt32(RTNH_F_ONLINK | RTNH_F_PERVASIVE)
        let isByObject = attributes[RTA_NH_ID]?.number(UInt32.self) != nil
        let told = attributes.all.filter { attribute in
            !Self.onlyTold.contains(attribute.type)
                && (!isByObject || !Self.resolved.contains(attribute.type))
        }
        return Request(
            RTM_NEWROUTE, flags: flags, header: header,
            attributes: told.map { Request.Attribute($0.type, Self.settable($0, missing)) } + expiry)
    }

    /// The attributes that the kernel derives from a nexthop object. The kernel refuses a request that
    /// contains them as well as the object.
    private static let resolved: Set<Int32> = [
        Int32(RTA_OIF.rawValue), Int32(RTA_GATEWAY.rawValue), Int32(RTA_VIA.rawValue),
        Int32(RTA_MULTIPATH.rawValue), Int32(RTA_ENCAP_TYPE.rawValue), Int32(RTA_ENCAP.rawValue),
    ]

    /// The attributes that the kernel reports but that a request must not repeat. `expiry` replaces them.
    private static let onlyTold: Set<Int32> = [
        Int32(RTA_CACHEINFO.rawValue), Int32(RTA_EXPIRES.rawValue),
    ]

    private static func settable(_ attribute: Attributes.Attribute, _ missing: [SavedHop]?) -> [UInt8] {
        guard attribute.type == Int32(RTA_MULTIPATH.rawValue) else { return Array(attribute.payload) }
        let hops = HopMessage.split(attribute.payload)
        return hops.filter { missing?.contains($0.hop) ?? true }.flatMap(\.settable)
    }

    /// The remaining lifetime for a request. The kernel reports it in ticks, and expects whole seconds.
    private var expiry: [Request.Attribute] {
        lifetime.map { [Request.Attribute(RTA_EXPIRES, Array(of: $0))] } ?? []
    }

    private var secondsLeft: UInt32? {
        guard let times = attributes[RTA_CACHEINFO]?.structure(rta_cacheinfo.self), times.rta_expires > 0
        else { return nil }
        let ticks = Int64(times.rta_expires)
        let perSecond = NeighbourMessage.ticksPerSecond
        return UInt32(clamping: (ticks + perSecond - 1) / perSecond)
    }

    /// The remaining lifetime in seconds: RTA_EXPIRES of a saved request, or what the kernel reports. nil:
    /// unlimited.
    var lifetime: UInt32? { attributes[RTA_EXPIRES]?.number(UInt32.self) ?? secondsLeft }

    // MARK: Comparing

    func order(_ comparison: Comparison) -> Request? {
        // The kernel drops a route that uses a nexthop object only together with the object. As long as a
        // group lacks its member on this interface, the kernel does not list the route for the interface,
        // although the route still exists.
        if let object = hops.first?.object, comparison.isAborted(object) { return nil }
        guard case .without(let missing) = comparison.ways(of: self), !comparison.hasReweighed(self)
        else { return nil }
        if comparison.isGone(self) { return request }
        // IPv6 stores each next hop as a route of its own, so the missing ones are appended.
        let isRow = Int32(identity.family) == AF_INET6 && hops.count > 1
        return request(NLM_F_CREATE | NLM_F_APPEND, missing: isRow ? missing : nil)
    }
}
