import Model

/// Items to restore on the link as soon as possible. Some were destroyed by a bounce, and the kernel refused
/// them within the settle time, such as a route that needs an address which the owner configures only after
/// it has joined. Others were lost when an rfkill block by another program, or a crash, took the link down.
struct PendingRestore: Hashable, Sendable {
    let snapshot: Snapshot
    /// The network of the items; nil: a method destroyed them, and their network is not recorded.
    let network: Network?
    /// When the program gives up items that the kernel still refuses.
    let until: Instant

    /// How long items are kept: longer than most outages. After that, no user expects a route to reappear.
    static let timeout: Duration = .seconds(3600)

    /// The items that this program restores, without those of the owner.
    var ours: Snapshot { Snapshot(items: snapshot.items.filter { snapshot.isOurs($0) }) }

    /// Whether the kernel state may show another network than that of the items; never if the link is down.
    func isElsewhere(_ kernelState: KernelState) -> Bool {
        kernelState.link.isUp && network.map { !$0.mayHaveBecome(Network(kernelState)) } ?? false
    }
}

/// Pending items are restored with the next bounce, or when a check of the service finds the link healthy.
extension Toggler {
    /// The pending items that the next bounce has to restore as well.
    func leftover(_ kernelState: KernelState) -> Snapshot {
        guard let pendingRestore, !pendingRestore.isElsewhere(kernelState) else { return Snapshot() }
        return pendingRestore.ours
    }

    mutating func oweRestore(_ bounce: Bounce, at now: Instant) {
        guard runMode == .watch, settings.restores, bounce.carriesPendingRestore || pendingRestore == nil
        else { return }
        // If another program set the link down before a comparison, the earlier items are still missing.
        let isDown = bounce.verdict?.reason == .administrativelyDown && bounce.losses == Restoration()
        if isDown, bounce.judgedAt == nil, bounce.ladder.verdict == nil { return }
        pendingRestore = PendingRestore(
            bounce.snapshot.items, refused: bounce.losses.refused, network: pendingRestore?.network,
            until: now + PendingRestore.timeout)
    }

    /// Tries the pending restore after a check that needed no action.
    mutating func retryRestore(_ verdict: Verdict, _ kernelState: KernelState, _ effects: inout Effects) {
        let isHealthy = verdict.conclusion == .healthy
        // After an rfkill block the link cannot be healthy without its routes.
        let isFaultless = verdict.conclusion != .sick && kernelState.fault == nil
        guard let pendingRestore, case .waiting(let next) = state, settings.restores, !settings.isDryRun,
            pendingRestore.network == nil ? isHealthy : isFaultless
        else { return }
        if pendingRestore.isElsewhere(kernelState) {
            guard effects.now >= pendingRestore.until else { return }
            effects.report(.restoredLate(restored: [], givenUp: pendingRestore.ours.items.map(\.description)))
            self.pendingRestore = nil
            return
        }
        let ladder = Ladder(settings.methods, leftover: pendingRestore.snapshot)
        var bounce = Bounce(
            .unconditional, before: kernelState, ladder, plan: .fromRestore(Bounce.Sequel(check: next)))
        bounce.settleUntil = effects.now + settings.settle
        effects.emit(.disarm(.nextCheck))
        forgetBaseline(&effects)
        settings.settle == .zero ? putBack(bounce, &effects) : awaitOwner(bounce, &effects)
    }

    mutating func restoredLate(
        _ sequel: Bounce.Sequel, _ restoration: Restoration, _ effects: inout Effects
    ) {
        let isOver = pendingRestore.map { effects.now >= $0.until } ?? true
        let givenUp = isOver ? restoration.refused.map(\.description) : []
        if !restoration.restored.isEmpty || !givenUp.isEmpty {
            effects.report(.restoredLate(restored: restoration.restored, givenUp: givenUp))
        }
        pendingRestore = pendingRestore.flatMap { last in
            PendingRestore(
                last.snapshot.items, refused: isOver ? [] : restoration.refused, network: last.network,
                until: last.until)
        }
        if let requested = sequel.requested { return begin(scope: .kernelOnly, cause: requested, &effects) }
        wait(NextCheck(at: max(sequel.check.at, effects.now), why: sequel.check.why), &effects)
    }
}

extension PendingRestore {
    /// Takes what to restore if the interface has disappeared in a bounce; a crashed device is back in a minute.
    init?(_ bounce: Bounce, at now: Instant) {
        let items = bounce.snapshot.items.filter(bounce.snapshot.isOurs)
        if items.isEmpty || !bounce.hasRemoved { return nil }
        let until = now + (bounce.method.mayRemoveInterface ? Self.timeout : .seconds(60))
        self.init(snapshot: Snapshot(items: items), network: nil, until: until)
    }

    /// Takes those of the items that the kernel refused; nil: it refused none.
    init?(_ items: [Snapshot.Item], refused: [Restoration.Refused], network: Network? = nil, until: Instant) {
        let words = Set(refused.map(\.description))
        let left = items.filter { words.contains($0.description) }
        if left.isEmpty { return nil }
        self.init(snapshot: Snapshot(items: left), network: network, until: until)
    }
}
