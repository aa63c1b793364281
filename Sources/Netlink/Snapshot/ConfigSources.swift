import CNetlink
import Model

/// What in an inventory looks like the work of who gives an interface its addresses.
extension Inventory {
    /// Some managers give their addresses no end, as administrators do: ConnMan those of leases, NetworkManager those
    /// of router advertisements that have none. Theirs is the one of IPv4 in whose subnet the default gateway is, and
    /// those of IPv6 for whose subnets they keep the routes themselves.
    func configSource(_ state: any SavedState, on index: InterfaceIndex) -> ConfigSource? {
        switch state {
        case let address as SavedAddress where address.identity.index == index:
            let isAddressOwners =
                !address.isAdministrators || address.isIPv6 && address.isWithoutPrefixRoute
            if address.isLinkLocal { return isAddressOwners ? .linkLocal : nil }
            return isAddressOwners || reachesDefaultGateway(address) ? .provided : nil
        case let route as SavedRoute where route.indices.contains(index):
            if route.isDefault { return .provided }
            // NetworkManager's to a router, for as long as it has no link-local address.
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
    /// Addresses of IPv4 that stood behind one of the keeper's, and stand before it since the keeper has given its
    /// own again. The first address is the source of what a route without one sends.
    ///
    /// A keeper's that is the second of its subnet stays: with the first, the kernel may remove it as well.
    /// - Parameter provided: the keeper's, as they were.
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
