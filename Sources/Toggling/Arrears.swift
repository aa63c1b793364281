/// What a bounce took from the link, is ours to put back, and the kernel would not take back before settling was over:
/// the gateway of a route that hangs on an address which its owner brings only once it has joined.
struct Arrears: Hashable, Sendable {
    let items: [Snapshot.Item]
    /// When it is given up.
    let until: Instant

    /// Longer than most outages last; after that nobody expects any more that a route appears.
    static let patience: Duration = .seconds(3600)

    /// nil: nothing is left.
    init?(_ items: [Snapshot.Item], refused: [Restoration.Refused], until: Instant) {
        let words = Set(refused.map(\.words))
        self.items = items.filter { words.contains($0.words) }
        self.until = until
        if self.items.isEmpty { return nil }
    }

    var snapshot: Snapshot { Snapshot(items: items) }
}

/// Made good on the first occasion: with the next bounce, or once a look finds the link healthy. A one-shot is over
/// by then, and has said what is missing.
extension Toggler {
    /// What another bounce has to put back, too.
    var leftover: Snapshot { arrears?.snapshot ?? Snapshot() }

    mutating func fallInArrears(_ bounce: Bounce, at now: Instant) {
        guard mission == .watch, settings.restores else { return }
        arrears = Arrears(
            bounce.snapshot.items, refused: bounce.losses.refused, until: now + Arrears.patience)
    }

    /// After a look that has called for nothing.
    mutating func makeGood(_ verdict: Verdict, _ survey: Survey, _ turn: inout Turn) {
        guard arrears != nil, case .waiting(let next) = state, verdict.conclusion == .healthy,
            settings.restores,
            !settings.isDryRun
        else { return }
        let ladder = Ladder(settings.methods, leftover: leftover)
        var bounce = Bounce(.asked, before: survey, ladder, isRaiseOnly: true, at: turn.now)
        bounce.sequel = Bounce.Sequel(look: next)
        turn.emit(.disarm(.look))
        turn.emit(.restore(bounce.snapshot, puttingBack: true))
        enter(.restoring(bounce))
    }

    mutating func madeGood(
        _ bounce: Bounce, _ sequel: Bounce.Sequel, _ restoration: Restoration, _ turn: inout Turn
    ) {
        if bounce.isTerminating {
            letGo(&turn)
            return finish(.interrupted, &turn)
        }
        let isOver = arrears.map { turn.now >= $0.until } ?? true
        let givenUp = isOver ? restoration.refused.map(\.words) : []
        if !restoration.restored.isEmpty || !givenUp.isEmpty {
            turn.emit(.report(.step(.madeGood(restored: restoration.restored, givenUp: givenUp))))
        }
        arrears =
            isOver
            ? nil
            : arrears.flatMap { Arrears($0.items, refused: restoration.refused, until: $0.until) }
        if let wish = sequel.wish { return begin(scope: .kernelOnly, cause: wish, &turn) }
        wait(NextLook(at: max(sequel.look.at, turn.now), why: sequel.look.why), &turn)
    }
}

extension Bounce {
    /// What follows where nothing was bounced, and only something put back that an earlier one had cost.
    struct Sequel: Hashable, Sendable {
        let look: NextLook
        /// What a person has asked for meanwhile.
        var wish: BounceCause?
    }
}
