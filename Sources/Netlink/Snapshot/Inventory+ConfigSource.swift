import CNetlink
import Model

/// Finds the items of an inventory that the address owner has probably configured.
extension Inventory {
    /// The likely source of an item's configuration; nil if the address owner has not configured the item.
    ///
    /// Some network managers set addresses without a lifetime, as administrators do: ConnMan those from DHCP
    /// leases, NetworkManager those from router advertisements without a lifetime. This recognizes them as
    /// follows: the IPv4 address in whose subnet the default gateway is, and the IPv6 addresses for whose
    /// subnets the manager maintains the routes itself.
    func configSource(_ state: any SavedState, on index: InterfaceIndex) -> ConfigSource? {
        switch state {
        case let address as SavedAddress where address.identity.index == index:
            let isAddressOwners =
                !address.isAdministrators || address.isIPv6 && address.isWithoutPrefixRoute
            if address.isLinkLocal { return isAddressOwners ? .linkLocal : nil }
            return isAddressOwners || reachesDefaultGateway(address) ? .provided : nil
        case let route as SavedRoute where route.indices.contains(index):
            if route.isDefault { return .provided }
            // As long as the link has no link-local address, NetworkManager adds this route to reach a
            // router.
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
    /// The IPv4 addresses of other programs that must be moved after the address owner's. Before the bounce
    /// they came after one of the owner's. Now they come first, because the owner has assigned its own anew.
    /// The order matters: a route without a source address uses the first address.
    ///
    /// If the owner's address is a secondary one now, nothing is moved: when the first address of a subnet is
    /// removed, the kernel may remove the secondary ones as well.
    /// - Parameter provided: the address owner's addresses before the bounce.
    func misplaced(beside provided: Set<SavedAddress.Identity>, on index: InterfaceIndex) -> [SavedAddress] {
        let old = before.addresses.filter { !$0.isIPv6 && $0.identity.index == index }
        let present = now.addresses.filter { !$0.isIPv6 && $0.identity.index == index }
        guard let first = old.firstIndex(where: { provided.contains($0.identity) }) else { return [] }
        let others = Set(old.map(\.identity)).subtracting(provided)
        let behind = old[first...].filter { others.contains($0.identity) }
        return behind.filter { address in
            guard let place = present.firstIndex(where: { $0.identity == address.identity }) else {
                return false
            }
            return present[place...].contains { !others.contains($0.identity) && !$0.isSecondary }
        }
    }
}
