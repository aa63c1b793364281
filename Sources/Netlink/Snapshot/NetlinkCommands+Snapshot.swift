import Model

extension NetlinkCommands {
    /// Saves what is lost when an interface is set down: its addresses, permanent and proxy neighbours,
    /// nexthop objects, routes and power saving. Saves the same items, except power saving, of the VLANs
    /// stacked on the interface, and of the master that has the addresses for its traffic (RTM_GETLINK,
    /// RTM_GETADDR, RTM_GETNEIGH, RTM_GETNEXTHOP, RTM_GETROUTE, NL80211_CMD_GET_POWER_SAVE). Reads the power
    /// saving only if an earlier kernel state has found nl80211.
    /// - Parameter isBaseline: whether the snapshot may be used long after it was taken. Then it has no routes of
    ///   other interfaces, because their removal would not be noticed.
    public func takeSnapshot(
        of index: InterfaceIndex, isBaseline: Bool = false, _ done: @escaping Completion<Snapshot>
    ) {
        ask(
            taking: .blocking,
            { (kernel) throws(Failure) in try kernel.takeSnapshot(of: index, isBaseline: isBaseline) }, done)
    }

    /// Compares the interface with a snapshot. If `puttingBack`, restores the missing items that are this
    /// program's to restore (`Snapshot.isOurs(_:)`), and moves the IPv4 addresses of other programs behind
    /// those of the address owner again. Works in passes, until a pass restores nothing more. The call may be
    /// repeated: it restores only what is still missing. If the comparison itself fails, all items that are
    /// this program's count as lost and refused.
    public func restore(
        _ snapshot: Snapshot, on index: InterfaceIndex, puttingBack: Bool,
        _ done: @escaping @MainActor (Restoration) -> Void
    ) {
        known.changed(nil)
        ask(
            taking: .blocking,
            { (kernel) throws(Failure) in
                try kernel.restore(snapshot, on: index, puttingBack: puttingBack)
            },
            { result in
                switch result {
                case .success(let restoration): done(restoration)
                case .failure(let failure): done(Self.nothingPutBack(of: snapshot, failure))
                }
            })
    }

    private static func nothingPutBack(of snapshot: Snapshot, _ failure: Failure) -> Restoration {
        let words = snapshot.items.filter { snapshot.isOurs($0) }.map(\.description)
        return Restoration(
            lost: words, refused: words.map { Restoration.Refused(description: $0, failure: failure) })
    }
}
