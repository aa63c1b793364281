import Toggling

/// What the service remembers of one interface so that somebody can ask: the last look, since when the link is as it
/// is, and what was done last. Fed from the reports alone.
public struct Standing {
    /// A look, and when it ended.
    struct Look {
        var report: CycleReport
        var at: Instant
    }

    /// Why something was done.
    enum Cause {
        case sick(Verdict)
        /// A person, or the plain timer.
        case asked
        /// An rfkill block had taken the link down.
        case block
    }

    /// Something that was done, to whatever end.
    struct Deed {
        var cause: Cause
        var look: Look
    }

    private(set) var condition: Health.Condition = .undetermined
    private(set) var since: Instant
    /// nil: none has ended yet, or the interface went away since.
    private(set) var lastLook: Look?
    private(set) var lastDeed: Deed?
    /// Since the service began.
    private(set) var deeds = 0
    /// What called for that which is under way; nil: nothing is.
    private(set) var cause: Cause?
    private(set) var tally = Tally()

    /// - Parameter now: The service begins to watch.
    public init(at now: Instant) { since = now }

    public mutating func take(_ report: Report, at now: Instant) {
        switch report {
        case .watching: break
        case .step(.beginning(_, let verdict)):
            cause = verdict.map { .sick($0) } ?? .asked
            // The report of it comes when it is over.
            if let verdict {
                note(.sick, at: now)
                tally.take(verdict)
            }
        case .step(.climbing(_, _, let verdict)): tally.take(verdict)
        case .step(.raisingAfterBlock): cause = .block
        case .step(.absent):
            note(.undetermined, at: now)
            lastLook = nil
            cause = nil
        case .step: break
        case .cycle(let cycle): take(Look(report: cycle, at: now))
        }
    }

    private mutating func take(_ look: Look) {
        note(look.report.change.after, at: look.at)
        lastLook = look
        defer { cause = nil }
        tally.take(look.report, cause: Tally.Cause(cause ?? .asked))
        switch look.report.action {
        case .bounced, .raised, .failed:
            deeds += 1
            lastDeed = Deed(cause: cause ?? .asked, look: look)
        case .none, .held, .skipped, .refused: break
        }
    }

    private mutating func note(_ condition: Health.Condition, at now: Instant) {
        if condition != self.condition {
            since = now
            tally.healthBecame(condition)
        }
        self.condition = condition
    }
}

extension Standing {
    /// How well the access point was heard at the last look, in dBm; nil: not Wi-Fi, not associated, or not known.
    var signal: Int8? {
        lastLook?.report.verdict.evidence.lazy.compactMap {
            if case .association(let association) = $0 { association?.station.signal } else { nil }
        }.first
    }
}

extension Standing.Cause {
    var sentence: String {
        switch self {
        case .sick(let verdict): verdict.headline
        case .asked: "asked for"
        case .block: "an rfkill block had taken the link down"
        }
    }
}
