import CNetlink
import Model

/// The addresses of an interface that can be announced to its neighbours.
struct OwnAddresses: Equatable {
    /// The most addresses that are announced, both families together. A client normally has fewer addresses.
    /// Without a limit, every check could flood the radio with announcements.
    static let most = 16

    /// The IPv4 addresses that the kernel uses as the sender address of its own ARP requests.
    var ipv4: [IPAddress] = []
    /// The IPv4 addresses that the kernel does not use as sender: in each subnet, it uses only the first
    /// address.
    var omitted: [IPAddress] = []
    var ipv6: [IPAddress] = []

    /// - Parameter messages: all addresses of one interface, in the kernel's order.
    init(_ messages: [AddressMessage]) {
        for message in messages.filter(\.isUsable).prefix(Self.most) {
            let address = message.address.address
            if address.isIPv6 {
                ipv6.append(address)
            } else if Self.sender(of: address, messages) == address {
                ipv4.append(address)
            } else {
                omitted.append(address)
            }
        }
    }

    /// The sender address that the kernel chooses for an ARP request that no packet has caused
    /// (inet_select_addr() in the kernel): the first primary address whose subnet contains `target`, or else
    /// the first primary address.
    private static func sender(of target: IPAddress, _ messages: [AddressMessage]) -> IPAddress? {
        let senders = messages.filter {
            !$0.address.address.isIPv6 && $0.flags & UInt32(IFA_F_SECONDARY) == 0
                && $0.scope <= RT_SCOPE_LINK.rawValue
        }
        return (senders.first { $0.contains(target) } ?? senders.first)?.address.address
    }
}

extension AddressMessage {
    /// Whether this address is worth announcing: its scope is not the host, and it is neither unspecified,
    /// tentative nor deprecated.
    fileprivate var isUsable: Bool {
        scope <= RT_SCOPE_LINK.rawValue && !address.isTentative && !address.address.isUnspecified
            && flags & UInt32(IFA_F_DEPRECATED) == 0
    }

    /// Whether an IPv4 address is in the subnet of this one.
    fileprivate func contains(_ target: IPAddress) -> Bool {
        guard case .v4(let subnet) = subnet, case .v4(let target) = target else { return false }
        return (subnet ^ target) >> (32 - min(32, UInt32(address.prefixLength))) == 0
    }
}
