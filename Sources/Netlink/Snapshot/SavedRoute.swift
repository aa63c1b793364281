import CNetlink
import Toggling

/// A route as it is kept over a bounce.
struct SavedRoute {
    /// What makes two routes the same to the kernel: of one identity there is one way, whoever made it.
    struct Identity: Hashable {
        var family: UInt8
        var table: UInt32
        var typeOfService: UInt8
        var metric: UInt32
        var destination: [UInt8]
        var prefixLength: UInt8
    }

    let identity: Identity
    /// RTPROT_*: who made it.
    let routeProtocol: UInt8
    let hasGateway: Bool
    let message: RouteMessage
    private let header: rtmsg
    private let attributes: Attributes

    /// nil: nothing that a bounce can lose for good: not unicast, a cache entry, or the kernel's own, which it
    /// makes again with the address.
    init?(_ payload: Bytes) {
        guard let header = payload.structure(rtmsg.self), let message = RouteMessage.parse(payload),
            message.isUnicast, Int32(header.rtm_protocol) != RTPROT_KERNEL
        else { return nil }
        self.header = header
        self.message = message
        attributes = Attributes(payload.following(rtmsg.self))
        routeProtocol = header.rtm_protocol
        hasGateway = message.nextHops.contains { $0.gateway != nil }
        identity = Identity(
            family: header.rtm_family,
            table: attributes[RTA_TABLE]?.number(UInt32.self) ?? UInt32(header.rtm_table),
            typeOfService: header.rtm_tos, metric: message.metric,
            destination: attributes[RTA_DST].map { Array($0) } ?? [], prefixLength: header.rtm_dst_len)
    }

    /// An administrator's: made by hand or from a file (ip-route(8), "protocol").
    var isAdministrators: Bool {
        Int32(routeProtocol) == RTPROT_STATIC || Int32(routeProtocol) == RTPROT_BOOT
    }

    /// The message that makes the route again: the kernel's own, without what it adds when it tells of a
    /// route and refuses when it is told of one.
    var request: Request {
        var header = header
        header.rtm_flags &= UInt32(RTNH_F_ONLINK | RTNH_F_PERVASIVE)
        let isByObject = attributes[RTA_NH_ID] != nil
        let told = attributes.all.filter { !isByObject || !Self.resolved.contains($0.type) }
        return Request(
            RTM_NEWROUTE, flags: NLM_F_CREATE | NLM_F_EXCL, header: header,
            attributes: told.map { Request.Attribute($0.type, Self.settable($0)) })
    }

    /// What the kernel resolves from a nexthop object, and takes no order of beside it.
    private static let resolved: Set<Int32> = [
        Int32(RTA_OIF.rawValue), Int32(RTA_GATEWAY.rawValue), Int32(RTA_VIA.rawValue),
        Int32(RTA_MULTIPATH.rawValue),
    ]

    /// In a row of next hops the state of each (RTNH_F_DEAD, RTNH_F_LINKDOWN) is told, never ordered.
    private static func settable(_ attribute: Attributes.Attribute) -> [UInt8] {
        var bytes = Array(attribute.payload)
        guard attribute.type == Int32(RTA_MULTIPATH.rawValue) else { return bytes }
        var start = 0
        while let header: rtnexthop = bytes[start...].structure() {
            let length = Int(header.rtnh_len)
            guard length >= MemoryLayout<rtnexthop>.size, start + length <= bytes.count else { break }
            bytes[start + MemoryLayout<rtnexthop>.offset(of: \.rtnh_flags)!] &= UInt8(RTNH_F_ONLINK)
            let alignment = Int(RTNH_ALIGNTO)
            start += (length + alignment - 1) / alignment * alignment
            if start >= bytes.count { break }
        }
        return bytes
    }

    /// In the words of ip-route(8).
    func words(interfaceName: String) -> String {
        var words = [destinationWords]
        for hop in message.nextHops {
            if let gateway = hop.gateway { words.append("via \(gateway)") }
        }
        words.append("dev \(interfaceName)")
        if identity.table != UInt32(RT_TABLE_MAIN.rawValue) { words.append("table \(identity.table)") }
        words.append("proto \(Self.name(ofProtocol: routeProtocol))")
        if UInt32(header.rtm_scope) == RT_SCOPE_LINK.rawValue { words.append("scope link") }
        if let source = attributes[RTA_PREFSRC].flatMap({ IPAddress(bytes: $0) }) {
            words.append("src \(source)")
        }
        if identity.metric != 0 { words.append("metric \(identity.metric)") }
        return words.joined(separator: " ")
    }

    private var destinationWords: String {
        guard identity.prefixLength > 0, let address = IPAddress(bytes: identity.destination) else {
            return "default"
        }
        let isHost = Int(identity.prefixLength) == identity.destination.count * 8
        return isHost ? address.description : "\(address)/\(identity.prefixLength)"
    }

    /// The names of rtnetlink(7) and of iproute2's rt_protos, or the number.
    private static func name(ofProtocol number: UInt8) -> String {
        switch Int32(number) {
        case RTPROT_BOOT: "boot"
        case RTPROT_STATIC: "static"
        case RTPROT_RA: "ra"
        case RTPROT_DHCP: "dhcp"
        case RTPROT_REDIRECT: "redirect"
        case RTPROT_ZEBRA: "zebra"
        case RTPROT_BIRD: "bird"
        case RTPROT_BGP: "bgp"
        case RTPROT_OSPF: "ospf"
        default: String(number)
        }
    }
}
