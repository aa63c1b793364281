import CNetlink
import Model

/// The addresses of an interface that its neighbours may be told of.
struct OwnAddresses: Equatable {
    /// The most of both families together: a machine with more is no station, and every check would flood the
    /// radio.
    static let most = 16

    /// Those that the kernel puts into an ARP request of its own as the sender's.
    var ipv4: [IPAddress] = []
    /// Those that it does not: of several in one subnet only the first is a sender.
    var omitted: [IPAddress] = []
    var ipv6: [IPAddress] = []

    /// - Parameter messages: all of one interface, in the kernel's order.
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

    /// The sender of an ARP request for `target` that no packet caused (inet_select_addr() in the kernel): of the
    /// addresses that are not secondary the first whose subnet has the target, otherwise the first.
    private static func sender(of target: IPAddress, _ messages: [AddressMessage]) -> IPAddress? {
        let senders = messages.filter {
            !$0.address.address.isIPv6 && $0.flags & UInt32(IFA_F_SECONDARY) == 0
                && $0.scope <= RT_SCOPE_LINK.rawValue
        }
        return (senders.first { $0.contains(target) } ?? senders.first)?.address.address
    }
}

extension AddressMessage {
    /// Others may send to it: it is not the host's own, not tentative, and not on its way out.
    fileprivate var isUsable: Bool {
        scope <= RT_SCOPE_LINK.rawValue && !address.isTentative && !address.address.isUnspecified
            && flags & UInt32(IFA_F_DEPRECATED) == 0
    }

    /// Whether an IPv4 address is in its subnet.
    fileprivate func contains(_ target: IPAddress) -> Bool {
        guard case .v4(let subnet) = subnet, case .v4(let target) = target else { return false }
        return (subnet ^ target) >> (32 - min(32, UInt32(address.prefixLength))) == 0
    }
}
