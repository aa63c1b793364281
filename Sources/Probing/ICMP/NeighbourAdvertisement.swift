import Glibc
import Model

/// An unsolicited neighbour advertisement (RFC 4861, section 7.2.6). Every neighbour that has the address in
/// its table replaces the hardware address by the one in the message.
struct NeighbourAdvertisement: Equatable {
    /// The address that is advertised, which is also the sender's address.
    var address: IPAddress
    var macAddress: MACAddress
    /// Whether the sender is a router. If a router advertises itself without this flag, hosts remove their
    /// default routes through it.
    var isRouter: Bool

    /// The address of all nodes on the link, ff02::1.
    static let receivers = IPAddress.v6(0xff02 << 112 | 1)

    /// The values of ND_NEIGHBOR_ADVERT, ND_NA_FLAG_ROUTER, ND_NA_FLAG_OVERRIDE and ND_OPT_TARGET_LINKADDR
    /// (netinet/icmp6.h).
    private static let (type, router, override, linkAddress) = (
        136 as UInt8, 0x80 as UInt8, 0x20 as UInt8, 2 as UInt8
    )

    /// The ICMPv6 message (struct nd_neighbor_advert). The kernel computes the checksum.
    var bytes: [UInt8] {
        let flags = Self.override | (isRouter ? Self.router : 0)
        return [Self.type, 0, 0, 0, flags, 0, 0, 0] + address.bytes + option
    }

    /// The option with the hardware address. Its length field counts units of eight bytes.
    private var option: [UInt8] { [Self.linkAddress, 1] + macAddress.bytes }
}
