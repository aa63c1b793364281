import Model

/// A router solicitation (RFC 4861, section 6.3.7). The routers on the link answer it with an advertisement.
struct RouterSolicitation: Equatable {
    /// The hardware address of the sender, so that a router need not resolve it.
    var macAddress: MACAddress

    /// The address of all routers on the link, ff02::2.
    static let receivers = IPAddress.v6(0xff02 << 112 | 2)

    /// The values of ND_ROUTER_SOLICIT and ND_OPT_SOURCE_LINKADDR (netinet/icmp6.h).
    private static let (type, linkAddress) = (133 as UInt8, 1 as UInt8)

    /// The ICMPv6 message (struct nd_router_solicit) with one option, whose length field counts units of
    /// eight bytes. The kernel computes the checksum.
    var bytes: [UInt8] { [Self.type, 0, 0, 0, 0, 0, 0, 0, Self.linkAddress, 1] + macAddress.bytes }
}
