import Toggling

extension NetlinkCommands {
    /// Addresses and routes of an interface that lowering it would lose (RTM_GETADDR, RTM_GETROUTE).
    public func takeSnapshot(of index: InterfaceIndex, _ done: @escaping Completion<Snapshot>) {
        ask({ (kernel) throws(Failure) in try kernel.takeSnapshot(of: index) }, done)
    }

    /// Compares the interface with a snapshot and, if `puttingBack`, gives back what is missing and was an
    /// administrator's (RTM_NEWADDR, RTM_NEWROUTE with NLM_F_CREATE and NLM_F_EXCL). Where not even the
    /// comparison was possible, everything of an administrator's counts as refused.
    public func restore(
        _ snapshot: Snapshot, on index: InterfaceIndex, puttingBack: Bool,
        _ done: @escaping @MainActor (Restoration) -> Void
    ) {
        ask(
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
        let words = snapshot.items.filter(\.isAdministrators).map(\.words)
        return Restoration(
            lost: words, refused: words.map { Restoration.Refused(words: $0, failure: failure) })
    }
}
