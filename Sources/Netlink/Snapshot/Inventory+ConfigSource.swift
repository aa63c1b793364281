import CNetlink
import Model

/// Finds the items of an inventory that the address owner has probably configured.
extension Inventory {
    /// The likely source of an item's configuration; nil if the address owner has not configured the item.
    ///
    /// Some network managers set addresses without a lifetime, as administrators do: ConnMan for a DHCP
    /// lease, NetworkManager for a router advertisement without a lifetime. Two kinds of such addresses count
    /// as the address owner's: a primary IPv4 address whose subnet contains the default gateway, and an IPv6
    /// address whose manager, not the kernel, maintains the route to the subnet (IFA_F_NOPREFIXROUTE).
    func configSource(_ state: any SavedState, on index: InterfaceIndex) -> ConfigSource? {
        switch state {
        case let address as SavedAddress where address.identity.index == index:
            let isAddressOwners =
                !address.isAdministrators || address.isIPv6 && address.isWithoutPrefixRoute
            if address.isLinkLocal { return isAddressOwners ? .linkLocal : nil }
            return isAddressOwners || reachesDefaultGateway(address) ? .provided : nil
        case let route as SavedRoute where route.indices.contains(index):
            if route.isDefault { return .provided }
            // As long as the link has no link-local address, NetworkManager adds a link-local route to reach
            // a router.
            return route.isLinkLocal && !route.isAdministrators ? .linkLocal : nil
        default: return nil
        }
    }

    private func reachesDefaultGateway(_ address: SavedAddress) -> Bool {
        guard !address.isIPv6, !address.isSecondary else { return false }
        return routes.contains { route in
            route.isDefault && route.hops.contains { address.isOnLink($0.gateway) }
        }
    }
}

extension Comparison {
    /// The IPv4 addresses of other programs that must be moved behind the address owner's. Before the bounce
    /// they were listed after one of the owner's addresses. Now they are listed before it, because the owner
    /// has assigned its addresses anew. The order matters: a route without a source address uses the first
    /// address.
    ///
    /// If the owner's address is a secondary address now, nothing is moved: moving means to remove the first
    /// address of the subnet, and the kernel may then remove the secondary addresses as well.
    /// - Parameter provided: the address owner's addresses before the bounce.
    func misplaced(beside provided: [SavedAddress.Identity], on index: InterfaceIndex) -> [SavedAddress] {
        let old = before.addresses.filter { !$0.isIPv6 && $0.identity.index == index }
        let present = now.addresses.filter { !$0.isIPv6 && $0.identity.index == index }
        guard let first = old.firstIndex(where: { provided.contains($0.identity) }) else { return [] }
        let others = old.map(\.identity).filter { !provided.contains($0) }
        let behind = old[first...].filter { others.contains($0.identity) }
        return behind.filter { address in
            guard let place = present.firstIndex(where: { $0.identity == address.identity }) else {
                return false
            }
            return present[place...].contains { !others.contains($0.identity) && !$0.isSecondary }
        }
    }
}
