/// What somebody else's rfkill block costs is put back as what a bounce of ours costs.
extension Toggler {
    /// Announcements come in swarms.
    private static let keepsakeDelay: Duration = .milliseconds(100)
    /// Between two that are taken, however much is announced; the looks that find all well come beside it.
    static let keepsakeSpacing: Duration = .seconds(2)

    private var keepsBelongings: Bool { mission == .watch && settings.restores && !settings.isDryRun }

    mutating func noteBelongings(_ event: Event, at now: Instant) {
        keepsake.note(event, at: now)
        fallInArrearsByBlock(at: now)
    }

    /// A survey that was asked for may be ahead of the announcements.
    mutating func noteBelongings(_ survey: Survey, at now: Instant) {
        if !survey.link.isUp { keepsake.drop(at: now) }
        fallInArrearsByBlock(at: now)
    }

    /// Which of both is told first, the block or the link, is not known.
    private mutating func fallInArrearsByBlock(at now: Instant) {
        guard aftermath.takeConclusion(), keepsBelongings,
            let lost = keepsake.takeDropped(at: now, within: Aftermath.reach)
        else { return }
        arrears = Arrears(lost, until: now + Arrears.patience)
    }

    /// Something has come or gone: the next look may be too late.
    mutating func planKeepsake(_ turn: inout Turn) {
        guard isKeepsakeDue else { return }
        let earliest = keepsake.askedAt.map { $0 + Self.keepsakeSpacing } ?? turn.now
        turn.emit(.arm(.keepsake, at: max(turn.now + Self.keepsakeDelay, earliest)))
    }

    mutating func renewKeepsake(_ turn: inout Turn) {
        guard isKeepsakeDue, !keepsake.isTaking else { return }
        keepsake.asked(at: turn.now)
        turn.emit(.takeKeepsake)
    }

    /// Only what is well is worth keeping, and only once all is back that was lost before.
    private var isKeepsakeDue: Bool {
        guard case .waiting = state, keepsBelongings, keepsake.isStale, arrears == nil else { return false }
        return lastVerdict?.conclusion == .healthy && lastSeen?.isOperational != false
            && aftermath.isUp != false
    }

    mutating func keepsakeTaken(_ snapshot: Snapshot?, _ turn: inout Turn) {
        guard keepsake.isTaking else { return }
        keepsake.taken(snapshot)
        if snapshot != nil { planKeepsake(&turn) }
    }

    /// The link is in our hands: what is noted from now on is our own doing.
    mutating func forgetKeepsake(_ turn: inout Turn) {
        guard mission == .watch else { return }
        keepsake.forget()
        turn.emit(.disarm(.keepsake))
    }
}
