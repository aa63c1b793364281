import Glibc
import Model

/// An unsolicited neighbour advertisement (RFC 4861, section 7.2.6): every neighbour that has the address in its
/// table takes the hardware address from it.
struct NeighbourAdvertisement: Equatable {
    /// Of the sender, and what is advertised.
    var address: IPAddress
    var macAddress: MACAddress
    /// Hosts take a router that advertises itself as none out of their default routes.
    var isRouter: Bool

    /// All nodes of the link, ff02::1.
    static let receivers = IPAddress.v6(0xff02 << 112 | 1)

    /// ND_NEIGHBOR_ADVERT, ND_NA_FLAG_ROUTER, ND_NA_FLAG_OVERRIDE and ND_OPT_TARGET_LINKADDR of netinet/icmp6.h.
    private static let (type, router, override, linkAddress) = (
        136 as UInt8, 0x80 as UInt8, 0x20 as UInt8, 2 as UInt8
    )

    /// The ICMPv6 message (struct nd_neighbor_advert). The kernel computes the checksum.
    var bytes: [UInt8] {
        let flags = Self.override | (isRouter ? Self.router : 0)
        return [Self.type, 0, 0, 0, flags, 0, 0, 0] + address.bytes + option
    }

    /// Its length is counted in eight bytes.
    private var option: [UInt8] { [Self.linkAddress, 1] + macAddress.bytes }
}
