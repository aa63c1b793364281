import CNetlink
import Model

/// Which items of an inventory look like the address owner's work.
extension Inventory {
    /// Some managers give their addresses no lifetime, as administrators do: ConnMan those from leases,
    /// NetworkManager those from router advertisements without one. These are the IPv4 address in whose
    /// subnet the default gateway is, and the IPv6 addresses for whose subnets the manager keeps the routes
    /// itself.
    func configSource(_ state: any SavedState, on index: InterfaceIndex) -> ConfigSource? {
        switch state {
        case let address as SavedAddress where address.identity.index == index:
            let isAddressOwners =
                !address.isAdministrators || address.isIPv6 && address.isWithoutPrefixRoute
            if address.isLinkLocal { return isAddressOwners ? .linkLocal : nil }
            return isAddressOwners || reachesDefaultGateway(address) ? .provided : nil
        case let route as SavedRoute where route.indices.contains(index):
            if route.isDefault { return .provided }
            // NetworkManager's route to a router, as long as the link has no link-local address.
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
    /// IPv4 addresses that came after one of the address owner's, and come before it since the owner has
    /// assigned its own again. A route without a source address uses the first address.
    ///
    /// An address of the owner that is the second of its subnet stays: with the first, the kernel may remove
    /// it as well.
    /// - Parameter provided: the address owner's, as they were.
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
