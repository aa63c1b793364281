/// What is to be put back on the link as soon as that is possible: what a bounce took from it and the kernel would not
/// take back before settling was over, such as a route that hangs on an address which its owner brings only once it has
/// joined; and all that went with a link that somebody else's rfkill block took down.
struct Arrears: Hashable, Sendable {
    let snapshot: Snapshot
    /// Where it belongs; nil: where the bounce was, a moment ago.
    let network: Network?
    /// When what is refused then is given up.
    let until: Instant

    /// Longer than most outages last; after that nobody expects any more that a route appears.
    static let patience: Duration = .seconds(3600)

    /// nil: nothing is left.
    init?(_ items: [Snapshot.Item], refused: [Restoration.Refused], network: Network? = nil, until: Instant) {
        let words = Set(refused.map(\.words))
        snapshot = Snapshot(items: items.filter { words.contains($0.words) })
        self.network = network
        self.until = until
        if snapshot.items.isEmpty { return nil }
    }

    init(_ lost: Keepsake.Content, until: Instant) {
        snapshot = lost.snapshot
        network = lost.network
        self.until = until
    }

    /// Without what its owner brings back.
    var ours: Snapshot { Snapshot(items: snapshot.items.filter { snapshot.isOurs($0) }) }

    /// Whether the station is, or may be, in another network.
    func isElsewhere(_ survey: Survey) -> Bool {
        network.map { !$0.mayHaveBecome(Network(survey)) } ?? false
    }
}

/// Made good on the first occasion: with the next bounce, or once a look finds the link well. A one-shot is over by
/// then, and has said what is missing.
extension Toggler {
    /// What another bounce has to put back, too.
    func leftover(_ survey: Survey) -> Snapshot {
        guard let arrears, !arrears.isElsewhere(survey) else { return Snapshot() }
        return arrears.ours
    }

    mutating func fallInArrears(_ bounce: Bounce, at now: Instant) {
        guard mission == .watch, settings.restores else { return }
        let until = now + Arrears.patience
        let network = bounce.carriesArrears ? arrears?.network : nil
        let own = Arrears(
            bounce.snapshot.items, refused: bounce.losses.refused, network: network, until: until)
        if bounce.carriesArrears || arrears == nil { arrears = own }
    }

    /// After a look that has called for nothing.
    mutating func makeGood(_ verdict: Verdict, _ survey: Survey, _ turn: inout Turn) {
        guard let arrears, case .waiting(let next) = state, settings.restores, !settings.isDryRun,
            arrears.canBeMadeGood(verdict, survey)
        else { return }
        if arrears.isElsewhere(survey) { return giveUpElsewhere(arrears, &turn) }
        let ladder = Ladder(settings.methods, leftover: arrears.snapshot)
        var bounce = Bounce(.asked, before: survey, ladder, isRaiseOnly: true, at: turn.now)
        bounce.sequel = Bounce.Sequel(look: next)
        bounce.settleUntil = turn.now + settings.settle
        turn.emit(.disarm(.look))
        forgetKeepsake(&turn)
        settings.settle == .zero ? putBack(bounce, &turn) : awaitKeeper(bounce, &turn)
    }

    private mutating func giveUpElsewhere(_ arrears: Arrears, _ turn: inout Turn) {
        guard turn.now >= arrears.until else { return }
        let givenUp = arrears.ours.items.map(\.words)
        turn.emit(.report(.step(.madeGood(restored: [], givenUp: givenUp))))
        self.arrears = nil
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
            : arrears.flatMap {
                Arrears(
                    $0.snapshot.items, refused: restoration.refused, network: $0.network, until: $0.until)
            }
        if let wish = sequel.wish { return begin(scope: .kernelOnly, cause: wish, &turn) }
        wait(NextLook(at: max(sequel.look.at, turn.now), why: sequel.look.why), &turn)
    }
}

extension Arrears {
    /// Without the routes that went with a block a link cannot be healthy: it is enough that its owner has brought it up.
    fileprivate func canBeMadeGood(_ verdict: Verdict, _ survey: Survey) -> Bool {
        network == nil
            ? verdict.conclusion == .healthy : verdict.conclusion != .sick && survey.fault == nil
    }
}

extension Bounce {
    /// What follows where nothing was bounced, and only something put back that an earlier one, or a block, had cost.
    struct Sequel: Hashable, Sendable {
        let look: NextLook
        /// What a person has asked for meanwhile.
        var wish: BounceCause?
    }
}
