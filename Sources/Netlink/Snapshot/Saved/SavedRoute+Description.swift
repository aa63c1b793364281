import CNetlink
import Model

/// Describes a route in the notation of ip-route(8). The text of an ordinary route can be passed to `ip route
/// add`.
extension SavedRoute {
    func description(_ names: InterfaceNames) -> String {
        var words = Int(header.rtm_type) == Int(RTN_UNICAST) ? [] : [RouteWords.type(header.rtm_type)]
        words.append(Self.prefix(identity.destination, identity.prefixLength) ?? "default")
        if let source = Self.prefix(identity.source, identity.sourceLength) { words += ["from", source] }
        if identity.typeOfService != 0 { words += ["tos", "0x" + String(identity.typeOfService, radix: 16)] }
        if let object = hops.first?.object {
            words += ["nhid", "\(object)"]
        } else if hops.count == 1, multipath == nil {
            words += RouteWords.way(attributes, hops[0].index, names)
        }
        if identity.table != UInt32(RT_TABLE_MAIN.rawValue) { words += ["table", "\(identity.table)"] }
        words += ["proto", RouteProtocol.name(routeProtocol)]
        if let scope = RouteWords.scope(header.rtm_scope) { words += ["scope", scope] }
        if let source = attributes[RTA_PREFSRC].flatMap({ IPAddress(bytes: $0) }) {
            words += ["src", "\(source)"]
        }
        if identity.metric != 0 { words += ["metric", "\(identity.metric)"] }
        let isOnLink = header.rtm_flags & UInt32(RTNH_F_ONLINK) != 0
        if isOnLink, multipath == nil { words.append("onlink") }
        words += RouteWords.metrics(attributes[RTA_METRICS])
        if let lifetime { words += ["expires", "\(lifetime)"] }
        if let preference = attributes[RTA_PREF]?.number(UInt8.self).flatMap(RouteWords.preference) {
            words += ["pref", preference]
        }
        return (words + multipathWords(names)).joined(separator: " ")
    }

    /// An address with its prefix length, which is left out if the prefix is a single host; nil if the length
    /// is 0.
    private static func prefix(_ bytes: [UInt8], _ length: UInt8) -> String? {
        guard length > 0, let address = IPAddress(bytes: bytes[...]) else { return nil }
        return Int(length) == bytes.count * 8 ? "\(address)" : "\(address)/\(length)"
    }

    /// The value of RTA_MULTIPATH; nil if the route uses a nexthop object, because its next hops belong to
    /// the object.
    private var multipath: Bytes? { hops.first?.object == nil ? attributes[RTA_MULTIPATH] : nil }

    private func multipathWords(_ names: InterfaceNames) -> [String] {
        guard let multipath else { return [] }
        return HopMessage.split(multipath).flatMap { hop in
            // rtnh_hops is the weight minus 1.
            let weight = ["weight", "\(Int(hop.header.rtnh_hops) + 1)"]
            let isOnLink = hop.header.rtnh_flags & UInt8(RTNH_F_ONLINK) != 0
            return ["nexthop"] + RouteWords.way(hop.attributes, hop.index, names) + weight
                + (isOnLink ? ["onlink"] : [])
        }
    }
}

/// iproute2's names for the numbers in a route.
enum RouteWords {
    /// The words `encap … via … dev …`.
    static func way(
        _ attributes: Attributes, _ index: InterfaceIndex?, _ names: InterfaceNames
    ) -> [String] {
        var words = encapsulation(attributes[RTA_ENCAP_TYPE])
        if let gateway = attributes[RTA_GATEWAY].flatMap({ IPAddress(bytes: $0) }) {
            words += ["via", "\(gateway)"]
        } else if let via = attributes[RTA_VIA], let family: UInt16 = via.structure(),
            let gateway = IPAddress(bytes: via.following(UInt16.self), family: Int32(family))
        {
            words += ["via", Int32(family) == AF_INET6 ? "inet6" : "inet", "\(gateway)"]
        }
        if let index { words += ["dev", names[index]] }
        return words
    }

    /// The kind of encapsulation. Its details are left out of the description.
    static func encapsulation(_ type: Bytes?) -> [String] {
        guard let number = type?.number(UInt16.self), number != 0 else { return [] }
        return ["encap", encapsulations[UInt32(number)] ?? "\(number)"]
    }

    private static let encapsulations: [UInt32: String] = [
        LWTUNNEL_ENCAP_MPLS.rawValue: "mpls", LWTUNNEL_ENCAP_IP.rawValue: "ip",
        LWTUNNEL_ENCAP_ILA.rawValue: "ila", LWTUNNEL_ENCAP_IP6.rawValue: "ip6",
        LWTUNNEL_ENCAP_SEG6.rawValue: "seg6", LWTUNNEL_ENCAP_BPF.rawValue: "bpf",
        LWTUNNEL_ENCAP_SEG6_LOCAL.rawValue: "seg6local", LWTUNNEL_ENCAP_RPL.rawValue: "rpl",
        LWTUNNEL_ENCAP_IOAM6.rawValue: "ioam6", LWTUNNEL_ENCAP_XFRM.rawValue: "xfrm",
    ]

    /// The name of a scope; nil for global scope, which ip(8) does not print.
    static func scope(_ number: UInt8) -> String? {
        switch UInt32(number) {
        case RT_SCOPE_UNIVERSE.rawValue: nil
        case RT_SCOPE_SITE.rawValue: "site"
        case RT_SCOPE_LINK.rawValue: "link"
        case RT_SCOPE_HOST.rawValue: "host"
        case RT_SCOPE_NOWHERE.rawValue: "nowhere"
        default: String(number)
        }
    }

    static func type(_ number: UInt8) -> String {
        switch Int(number) {
        case Int(RTN_LOCAL): "local"
        case Int(RTN_BROADCAST): "broadcast"
        case Int(RTN_ANYCAST): "anycast"
        case Int(RTN_MULTICAST): "multicast"
        default: String(number)
        }
    }

    /// The name of a router preference; nil for medium, which ip(8) does not print. The values are the two
    /// bits of RFC 4191.
    static func preference(_ number: UInt8) -> String? {
        switch number {
        case 0b01: "high"
        case 0b11: "low"
        default: nil
        }
    }

    /// The words for RTA_METRICS (RTAX_*), with `lock` for a metric that the kernel may not change
    /// (RTAX_LOCK).
    static func metrics(_ payload: Bytes?) -> [String] {
        guard let metrics = payload?.nested else { return [] }
        let locked = metrics[RTAX_LOCK]?.number(UInt32.self) ?? 0
        return metrics.all.flatMap { metric -> [String] in
            guard let name = metricNames[metric.type] else { return [] }
            if metric.type == Int32(RTAX_CC_ALGO) { return [name, metric.payload.text] }
            guard let value = metric.payload.number(UInt32.self) else { return [] }
            let isLocked = locked & (1 << UInt32(metric.type)) != 0
            return [name] + (isLocked ? ["lock"] : []) + [self.value(metric.type, value)]
        }
    }

    /// The kernel reports the round-trip time in 1/8 ms, and its variance in 1/4 ms.
    private static func value(_ type: Int32, _ value: UInt32) -> String {
        switch type {
        case Int32(RTAX_RTT): "\(value / 8)ms"
        case Int32(RTAX_RTTVAR): "\(value / 4)ms"
        case Int32(RTAX_RTO_MIN): "\(value)ms"
        default: "\(value)"
        }
    }

    private static let metricNames: [Int32: String] = [
        Int32(RTAX_MTU): "mtu", Int32(RTAX_WINDOW): "window", Int32(RTAX_RTT): "rtt",
        Int32(RTAX_RTTVAR): "rttvar", Int32(RTAX_SSTHRESH): "ssthresh", Int32(RTAX_CWND): "cwnd",
        Int32(RTAX_ADVMSS): "advmss", Int32(RTAX_REORDERING): "reordering",
        Int32(RTAX_HOPLIMIT): "hoplimit", Int32(RTAX_INITCWND): "initcwnd",
        Int32(RTAX_FEATURES): "features", Int32(RTAX_RTO_MIN): "rto_min",
        Int32(RTAX_INITRWND): "initrwnd", Int32(RTAX_QUICKACK): "quickack",
        Int32(RTAX_CC_ALGO): "congctl", Int32(RTAX_FASTOPEN_NO_COOKIE): "fastopen_no_cookie",
    ]
}
