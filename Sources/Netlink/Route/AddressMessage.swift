import CNetlink
import Model

/// An address as rtnetlink(7) reports it (RTM_NEWADDR, RTM_DELADDR, struct ifaddrmsg).
struct AddressMessage {
    var index: InterfaceIndex
    var address: InterfaceAddress
    /// The value of IFA_ADDRESS: on a point-to-point link the address of the far end, otherwise the address
    /// itself. Together with the prefix length it gives the subnet.
    var subnet: IPAddress
    /// The scope (RT_SCOPE_*).
    var scope: UInt8
    /// The flags (IFA_F_*).
    var flags: UInt32

    /// Returns nil if this is not an IPv4 or IPv6 address of an interface.
    static func parse(_ payload: Bytes) -> AddressMessage? {
        guard let header = payload.structure(ifaddrmsg.self),
            let index = Int32(exactly: header.ifa_index), index > 0
        else { return nil }
        let attributes = Attributes(payload.following(ifaddrmsg.self))
        // On a point-to-point link, IFA_ADDRESS is the far end and IFA_LOCAL the local end (linux/if_addr.h).
        let family = Int32(header.ifa_family)
        guard let bytes = attributes[IFA_LOCAL] ?? attributes[IFA_ADDRESS],
            let address = IPAddress(bytes: bytes, family: family)
        else { return nil }
        // The header has only the lowest eight flags; the attribute has all.
        let flags = attributes[IFA_FLAGS]?.number(UInt32.self) ?? UInt32(header.ifa_flags)
        return AddressMessage(
            index: InterfaceIndex(rawValue: index),
            address: InterfaceAddress(
                address: address, prefixLength: header.ifa_prefixlen,
                reachesBeyondLink: UInt32(header.ifa_scope) < RT_SCOPE_LINK.rawValue
                    && !address.isIPv4LinkLocal,
                isTentative: flags & UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED) != 0),
            subnet: attributes[IFA_ADDRESS].flatMap { IPAddress(bytes: $0, family: family) } ?? address,
            scope: header.ifa_scope, flags: flags)
    }
}

extension IPAddress {
    /// Converts the value of an attribute. Returns nil if its length does not fit the message's family
    /// (AF_INET, AF_INET6).
    init?(bytes: Bytes, family: Int32) {
        guard family == AF_INET && bytes.count == 4 || family == AF_INET6 && bytes.count == 16 else {
            return nil
        }
        self.init(bytes: bytes)
    }

    /// The address family: AF_INET or AF_INET6.
    var family: Int32 {
        switch self {
        case .v4: AF_INET
        case .v6: AF_INET6
        }
    }

    /// Whether the address is 0.0.0.0 or ::.
    var isUnspecified: Bool { self == .v4(0) || self == .v6(0) }

    /// Whether the address is in 169.254.0.0/16 (RFC 3927). A DHCP client that finds no server assigns itself
    /// such an address, often with global scope.
    var isIPv4LinkLocal: Bool {
        guard case .v4(let bits) = self else { return false }
        return bits >> 16 == 0xa9fe
    }
}
