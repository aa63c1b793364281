import Model

extension NetlinkCommands {
    /// What lowering an interface would lose: its addresses, permanent and proxy neighbours, nexthop objects,
    /// routes and power saving, and the same of the VLANs stacked on it (RTM_GETLINK, RTM_GETADDR,
    /// RTM_GETNEIGH, RTM_GETNEXTHOP, RTM_GETROUTE, NL80211_CMD_GET_POWER_SAVE). Power saving only where a
    /// kernel state has found nl80211 before.
    public func takeSnapshot(of index: InterfaceIndex, _ done: @escaping Completion<Snapshot>) {
        ask(
            taking: .blocking,
            { (kernel) throws(Failure) in try kernel.takeSnapshot(of: index) }, done)
    }

    /// Compares the interface with a snapshot and, if `puttingBack`, restores what is missing and is not the
    /// address owner's, after the owner's own configuration, in several passes as long as a pass makes
    /// progress. May be repeated: existing items are not touched. If not even the comparison was possible,
    /// everything of an administrator's counts as refused.
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
