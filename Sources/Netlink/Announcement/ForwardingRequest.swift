import CNetlink
import Model

/// Requests the configuration of a protocol on an interface (RTM_GETNETCONF, linux/netconf.h).
enum ForwardingRequest {
    /// Requests the IPv6 configuration of one interface.
    static func ofIPv6(on index: InterfaceIndex) -> Request {
        Request(
            RTM_GETNETCONF, header: netconfmsg(ncm_family: UInt8(AF_INET6)),
            attributes: [Request.Attribute(NETCONFA_IFINDEX, Array(of: index.rawValue))])
    }

    /// Whether forwarding is on (NETCONFA_FORWARDING). Returns nil if the message is about another interface
    /// or lacks the attribute.
    static func parse(_ payload: Bytes, on index: InterfaceIndex) -> Bool? {
        // The attributes begin at the first multiple of four bytes after the one-byte header.
        let attributes = Attributes(payload.dropFirst(Int(NLMSG_ALIGNTO)))
        guard attributes[NETCONFA_IFINDEX]?.interfaceIndex == index else { return nil }
        return attributes[NETCONFA_FORWARDING]?.number(Int32.self).map { $0 != 0 }
    }
}

extension Conversation {
    /// Whether the machine forwards IPv6 packets that arrive on this interface, and so is a router to its
    /// neighbours (net.ipv6.conf.INTERFACE.forwarding).
    mutating func forwardsIPv6(on index: InterfaceIndex) throws(Failure) -> Bool {
        let answer = try ask(ForwardingRequest.ofIPv6(on: index), of: route)
        guard let forwards = answer.lazy.compactMap({ ForwardingRequest.parse($0.payload, on: index) }).first
        else { throw .unreadable("IPv6 forwarding") }
        return forwards
    }
}
