/// Decides which items the address owner restores, and for which of these a bounce waits.
///
/// The owner restores its configuration first, and this program then restores the rest. If this program
/// restored an address earlier, the owner might remove that address again, or the kernel might use it,
/// instead of the owner's own, as the source of packets.
extension Snapshot {
    /// How long the bounce waits for the address owner to restore its configuration, counted from when the
    /// link is operational; nil: the bounce does not wait.
    public var timeout: Duration? { addressOwner?.quirks.timeout }

    /// The items that the address owner restores and that the bounce waits for.
    private var awaited: [Item] {
        guard let quirks = addressOwner?.quirks, quirks.timeout != nil else { return [] }
        return items.filter { item in
            item.configSource == .provided && (item.kind == .address || brings(item, quirks))
        }
    }

    /// A route that looks manually configured may come from another program, so it is not awaited.
    private func brings(_ route: Item, _ quirks: OwnerQuirks) -> Bool {
        quirks.bringsDefaultRoutes && !route.isAdministrators
    }

    /// Whether the bounce waits for an item or for name servers from the address owner.
    public var hasSomethingAwaited: Bool { !awaited.isEmpty || timeout != nil && hasNameServers }

    /// What the address owner has not restored yet, as text: the awaited items, then the link's name servers.
    /// - Parameter restoration: the latest comparison of the link with this snapshot.
    public func overdue(in restoration: Restoration) -> [String] {
        let missing = Set(restoration.lost).subtracting(restoration.restored)
        let isMute = timeout != nil && hasNameServers && restoration.lacksNameServers
        return awaited.map(\.description).filter { missing.contains($0) }
            + (isMute ? ["its name servers"] : [])
    }

    /// The snapshot to restore after the wait for the address owner. An owner that does not notice a bounce
    /// keeps its addresses, but does not restore the routes that the kernel has removed; for example,
    /// systemd-networkd with IgnoreCarrierLoss= (systemd.network(5)). So if all its addresses of one address
    /// family are there, and not all its routes, this program has to restore these routes.
    /// - Parameter comparison: the latest comparison of the link with this snapshot.
    public func taking(over comparison: Restoration) -> Snapshot {
        guard addressOwner?.quirks.mayMissBounce == true else { return self }
        let missing = Set(comparison.lost).subtracting(comparison.restored)
        let renewed = awaited.filter { $0.kind == .address && missing.contains($0.description) }
        var snapshot = self
        for index in items.indices
        where items[index].isOwnersRoute && missing.contains(items[index].description)
            && !renewed.contains(where: { $0.family == items[index].family })
        {
            snapshot.items[index].isAdministrators = true
        }
        return snapshot
    }

    /// Whether the item is left to the address owner. This holds for each of the owner's addresses, even one
    /// that is marked permanent, because the owner may use another address by now.
    public func isLeft(_ item: Item) -> Bool {
        timeout != nil && item.configSource != nil && item.kind == .address
    }

    /// Whether the item counts as missing if it is absent after a bounce. A link-local address of the address
    /// owner, or a route to it, does not count: routed packets do not have the address as their source, and a
    /// bounce that waited for it would end long after the link is healthy.
    public func isMissed(_ item: Item) -> Bool { item.configSource != .linkLocal || timeout == nil }

    /// Whether this program has to restore the item if it is missing.
    public func isOurs(_ item: Item) -> Bool { item.isAdministrators && !isLeft(item) }

    /// Whether lowering the link would lose an item that only this program restores. The power save setting
    /// does not count.
    public var isWorthKeeping: Bool { items.contains { isOurs($0) && $0.kind != .powerSave } }
}

extension Snapshot.Item {
    /// The address family (AF_INET, AF_INET6) of an address or a route: the first byte after the header, in
    /// struct ifaddrmsg and in struct rtmsg (rtnetlink(7)).
    fileprivate var family: UInt8? { message.count > 16 ? message[16] : nil }

    /// Whether it is a route that the address owner has from DHCP or from a router: its default routes, and
    /// those of protocol dhcp and ra (`rtm_protocol` in struct rtmsg).
    fileprivate var isOwnersRoute: Bool {
        let protocols: [UInt8] = [9, 16]  // RTPROT_RA and RTPROT_DHCP, linux/rtnetlink.h
        let isLeased = message.count > 21 && protocols.contains(message[21])
        return kind == .route && (configSource == .provided || isLeased)
    }
}
