/// Where a part of the link's configuration comes from, if from the address owner; the raw value is its name
/// in records.
public enum ConfigSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// An address from a lease or a router advertisement, or the default route that came with it.
    case provided
    /// A link-local address that the owner made itself, or a route to it. It comes back by itself, but late:
    /// NetworkManager's address ten seconds after the link was lowered.
    case linkLocal = "link-local"
}

/// What is left to the address owner to restore, and what is awaited.
///
/// An address owner that restores the link only uses its own configuration. If an address was restored
/// before, the owner may remove it again, or the address may rank before the owner's own, and then packets
/// have it as their source.
extension Snapshot {
    /// How long the address owner may take, from when the link is operational, to restore its configuration;
    /// nil: it is not awaited.
    public var timeout: Duration? { addressOwner?.quirks.timeout }

    /// What the address owner restores by itself.
    private var awaited: [Item] {
        guard let quirks = addressOwner?.quirks, quirks.timeout != nil else { return [] }
        return items.filter { item in
            item.configSource == .provided && (item.kind == .address || brings(item, quirks))
        }
    }

    /// A default route that looks manually configured may come from another source.
    private func brings(_ route: Item, _ quirks: OwnerQuirks) -> Bool {
        quirks.bringsDefaultRoutes && !route.isAdministrators
    }

    public var hasSomethingAwaited: Bool { !awaited.isEmpty || timeout != nil && hasNameServers }

    /// What the address owner has not restored yet, in the syntax of ip-route(8), and last its name servers.
    /// - Parameter restoration: the result of comparing or restoring.
    public func overdue(in restoration: Restoration) -> [String] {
        let missing = Set(restoration.lost).subtracting(restoration.restored)
        let isMute = timeout != nil && hasNameServers && restoration.lacksNameServers
        return awaited.map(\.description).filter { missing.contains($0) }
            + (isMute ? ["its name servers"] : [])
    }

    /// Whether restoring the item is left to the address owner: an address of its own, even one marked
    /// permanent; the owner may use another one by now.
    public func isLeft(_ item: Item) -> Bool {
        timeout != nil && item.configSource != nil && item.kind == .address
    }

    /// Whether the item counts as missing if it is absent after a bounce. A link-local address of the address
    /// owner does not: routed packets do not use it as their source, and a bounce that waited for it would
    /// end long after the link is healthy.
    public func isMissed(_ item: Item) -> Bool { item.configSource != .linkLocal || timeout == nil }

    /// Whether this program has to restore the item if it is missing.
    public func isOurs(_ item: Item) -> Bool { item.isAdministrators && !isLeft(item) }

    /// Whether setting the link down would lose anything that only an administrator would restore; the power
    /// save setting is not lost.
    public var isWorthKeeping: Bool { items.contains { isOurs($0) && $0.kind != .powerSave } }
}
