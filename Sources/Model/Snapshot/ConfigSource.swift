/// What a part of a link is to the program that gives it addresses and routes; the raw value is its word in records.
public enum ConfigSource: String, Codable, Hashable, Sendable, CaseIterable {
    /// An address of a lease or of a router advertisement, or the default route that came with it.
    case provided
    /// A link-local address, or a route to one, of its own making. It comes back unasked, and late: NetworkManager's
    /// address ten seconds after the link was lowered.
    case linkLocal = "link-local"
}

/// What is left to the address owner, and what is waited for.
///
/// An address owner that takes the link back sets it up by what it knows alone: an address that was put back before may be
/// taken away again, or stand before the address owner's own, and then packets leave with it.
extension Snapshot {
    /// How long after the link is operational the address owner may need until its own is back; nil: nobody is waited for.
    public var timeout: Duration? { addressOwner?.quirks.timeout }

    /// What the address owner brings back by itself.
    private var awaited: [Item] {
        guard let quirks = addressOwner?.quirks, quirks.timeout != nil else { return [] }
        return items.filter { item in
            item.configSource == .provided && (item.kind == .address || brings(item, quirks))
        }
    }

    /// A default route that looks as if made by hand may be somebody else's.
    private func brings(_ route: Item, _ quirks: OwnerQuirks) -> Bool {
        quirks.bringsDefaultRoutes && !route.isAdministrators
    }

    public var hasSomethingAwaited: Bool { !awaited.isEmpty || timeout != nil && hasNameServers }

    /// What of the address owner's own is not back yet, in the words of ip-route(8), and last its name servers.
    /// - Parameter restoration: What came of comparing, or of putting back.
    public func overdue(in restoration: Restoration) -> [String] {
        let missing = Set(restoration.lost).subtracting(restoration.restored)
        let isMute = timeout != nil && hasNameServers && restoration.lacksNameServers
        return awaited.map(\.words).filter { missing.contains($0) } + (isMute ? ["its name servers"] : [])
    }

    /// Whether it is left to the address owner: an address of its own, however permanent it looks; it may have another one
    /// by now.
    public func isLeft(_ item: Item) -> Bool {
        timeout != nil && item.configSource != nil && item.kind == .address
    }

    /// Whether it is missed where it is not there after a bounce. An address owner's link-local address is not: packets that are
    /// routed leave with another one, and a bounce that waited for it would end long after the link is healthy.
    public func isMissed(_ item: Item) -> Bool { item.configSource != .linkLocal || timeout == nil }

    /// Whether it is ours to put back where it is missing.
    public func isOurs(_ item: Item) -> Bool { item.isAdministrators && !isLeft(item) }
}
