import Model

/// What is to be put back on the link as soon as that is possible: what a bounce took from it and the kernel would not
/// take back before settling was over, such as a route that hangs on an address which its owner brings only once it has
/// joined; and all that went with a link that somebody else's rfkill block took down.
struct PendingRestore: Hashable, Sendable {
    let snapshot: Snapshot
    /// Where it belongs; nil: where the bounce was, a moment ago.
    let network: Network?
    /// When what is refused then is given up.
    let until: Instant

    /// Longer than most outages last; after that nobody expects any more that a route appears.
    static let timeout: Duration = .seconds(3600)

    /// nil: nothing is left.
    init?(_ items: [Snapshot.Item], refused: [Restoration.Refused], network: Network? = nil, until: Instant) {
        let words = Set(refused.map(\.words))
        snapshot = Snapshot(items: items.filter { words.contains($0.words) })
        self.network = network
        self.until = until
        if snapshot.items.isEmpty { return nil }
    }

    init(_ lost: Baseline.Content, until: Instant) {
        snapshot = lost.snapshot
        network = lost.network
        self.until = until
    }

    /// Without what its owner brings back.
    var ours: Snapshot { Snapshot(items: snapshot.items.filter { snapshot.isOurs($0) }) }

    /// Whether the station is, or may be, in another network.
    func isElsewhere(_ kernelState: KernelState) -> Bool {
        network.map { !$0.mayHaveBecome(Network(kernelState)) } ?? false
    }
}

/// Made good on the first occasion: with the next bounce, or once a check finds the link well. A one-shot is over by
/// then, and has said what is missing.
extension Toggler {
    /// What another bounce has to put back, too.
    func leftover(_ kernelState: KernelState) -> Snapshot {
        guard let pendingRestore, !pendingRestore.isElsewhere(kernelState) else { return Snapshot() }
        return pendingRestore.ours
    }

    mutating func oweRestore(_ bounce: Bounce, at now: Instant) {
        guard runMode == .watch, settings.restores else { return }
        let until = now + PendingRestore.timeout
        let network = bounce.carriesPendingRestore ? pendingRestore?.network : nil
        let own = PendingRestore(
            bounce.snapshot.items, refused: bounce.losses.refused, network: network, until: until)
        if bounce.carriesPendingRestore || pendingRestore == nil { pendingRestore = own }
    }

    /// After a check that has called for nothing.
    mutating func retryRestore(_ verdict: Verdict, _ kernelState: KernelState, _ effects: inout EffectBuffer)
    {
        guard let pendingRestore, case .waiting(let next) = state, settings.restores, !settings.isDryRun,
            pendingRestore.canBeMadeGood(verdict, kernelState)
        else { return }
        if pendingRestore.isElsewhere(kernelState) { return giveUpElsewhere(pendingRestore, &effects) }
        let ladder = Ladder(settings.methods, leftover: pendingRestore.snapshot)
        var bounce = Bounce(
            .asked, before: kernelState, ladder, plan: .fromRestore(Bounce.Sequel(check: next)),
            at: effects.now)
        bounce.settleUntil = effects.now + settings.settle
        effects.emit(.disarm(.nextCheck))
        forgetBaseline(&effects)
        settings.settle == .zero ? putBack(bounce, &effects) : awaitOwner(bounce, &effects)
    }

    private mutating func giveUpElsewhere(_ pendingRestore: PendingRestore, _ effects: inout EffectBuffer) {
        guard effects.now >= pendingRestore.until else { return }
        let givenUp = pendingRestore.ours.items.map(\.words)
        effects.emit(.report(.step(.restoredLate(restored: [], givenUp: givenUp))))
        self.pendingRestore = nil
    }

    mutating func restoredLate(
        _ bounce: Bounce, _ sequel: Bounce.Sequel, _ restoration: Restoration, _ effects: inout EffectBuffer
    ) {
        if bounce.isTerminating {
            letGo(&effects)
            return finish(.interrupted, &effects)
        }
        let isOver = pendingRestore.map { effects.now >= $0.until } ?? true
        let givenUp = isOver ? restoration.refused.map(\.words) : []
        if !restoration.restored.isEmpty || !givenUp.isEmpty {
            effects.emit(.report(.step(.restoredLate(restored: restoration.restored, givenUp: givenUp))))
        }
        pendingRestore =
            isOver
            ? nil
            : pendingRestore.flatMap {
                PendingRestore(
                    $0.snapshot.items, refused: restoration.refused, network: $0.network, until: $0.until)
            }
        if let wish = sequel.wish { return begin(scope: .kernelOnly, cause: wish, &effects) }
        wait(NextCheck(at: max(sequel.check.at, effects.now), why: sequel.check.why), &effects)
    }
}

extension PendingRestore {
    /// Without the routes that went with a block a link cannot be healthy: it is enough that its owner has brought it up.
    fileprivate func canBeMadeGood(_ verdict: Verdict, _ kernelState: KernelState) -> Bool {
        network == nil
            ? verdict.conclusion == .healthy : verdict.conclusion != .sick && kernelState.fault == nil
    }
}
