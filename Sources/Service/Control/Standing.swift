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

    /// Something that happened and still is so.
    struct News {
        var occurrence: Occurrence
        var at: Instant
    }

    private(set) var condition: Health.Condition = .undetermined
    private(set) var since: Instant
    /// nil: none has ended yet, or the interface went away since.
    private(set) var lastLook: Look?
    var lastDeed: Deed? { deedKept.value }
    /// Hardly any interface has one, and it is as large as all the rest.
    private var deedKept = Rarity<Deed>.none
    /// What was done last before the service began; nil: nothing, or it is not known.
    private(set) var pastDeed: PastDeed?
    /// Since the service began.
    private(set) var deeds = 0
    /// What called for that which is under way; nil: nothing is.
    private(set) var cause: Cause?
    /// Behind the last look: the interface is away, or something is under way; nil: neither.
    private(set) var news: News?
    /// What an administrator wants of it, as it was told; nil: nothing.
    private(set) var hold: (inhibition: Inhibition, news: News)?
    private(set) var tally = Tally()

    /// - Parameter now: The service begins to watch.
    public init(at now: Instant) { since = now }

    /// - Returns: what those who monitor are told of it, beside the ends of looks; nil: nothing that they do not know.
    @discardableResult
    public mutating func take(_ report: Report, at now: Instant) -> Occurrence? {
        let occurrence = occurrence(of: report)
        remember(report, at: now)
        if let occurrence {
            let stays = occurrence.kind == .absent || occurrence.kind == .bounceBegun
            news = stays ? News(occurrence: occurrence, at: now) : nil
        }
        return occurrence
    }

    private func occurrence(of report: Report) -> Occurrence? {
        guard let occurrence = Occurrence(report) else { return nil }
        switch occurrence.kind {
        case .absent, .bounceBegun: return occurrence.kind == news?.occurrence.kind ? nil : occurrence
        case .appeared: return news?.occurrence.kind == .absent ? occurrence : nil
        case .started, .renamed, .holdSet, .holdOver: return occurrence
        }
    }

    /// - Parameter inhibition: what an administrator wants of it now.
    /// - Returns: what is told of that; nil: it is what he wanted before.
    public mutating func note(_ inhibition: Inhibition?, at now: Instant) -> Occurrence? {
        guard inhibition != hold?.inhibition else { return nil }
        let occurrence = Occurrence.held(inhibition, after: hold?.inhibition, at: now)
        hold = inhibition.map { ($0, News(occurrence: occurrence, at: now)) }
        return occurrence
    }

    /// What the history says was done last before the service began.
    public mutating func recall(_ deed: PastDeed) { pastDeed = deed }

    /// When what an administrator wants is over by itself; nil: never, or he wants nothing.
    public var holdEnd: Instant? {
        if case .until(let end)? = hold?.inhibition { end } else { nil }
    }

    private mutating func remember(_ report: Report, at now: Instant) {
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
        defer { (cause, news) = (nil, nil) }
        tally.take(look.report, cause: Tally.Cause(cause ?? .asked))
        switch look.report.action {
        case .bounced, .raised, .failed:
            deeds += 1
            deedKept = .some(Deed(cause: cause ?? .asked, look: look))
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

/// An optional that takes no room where it is nil.
private enum Rarity<Value> {
    case none
    indirect case some(Value)

    var value: Value? {
        switch self {
        case .none: nil
        case .some(let value): value
        }
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
