import Model
import Toggling

/// One thing that happened on an interface. It is made once and passed to every sink: log, journal, JSON,
/// history, metrics, hooks and control socket. A sink only renders it, so that all sinks tell the same.
///
/// A class, because a record is large and several sinks keep the same one.
public final class Record: Sendable {
    /// The kind of event. The raw value is its name for monitoring clients.
    public enum Kind: String, CaseIterable, Sendable {
        /// The service begins to watch the interface.
        case started
        /// A check has ended without an action.
        case checked
        /// A bounce or another method begins.
        case bounceBegun = "bounce-begun"
        /// A step of a bounce.
        case bounceStep
        case bounceFinished = "bounce-finished"
        /// A bounce began and failed.
        case bounceFailed
        /// A bounce is postponed or could not help, or this is a dry run.
        case held
        /// The state of the interface forbids a bounce.
        case refused
        case absent, appeared, renamed
        /// An administrator set or changed a hold.
        case holdSet = "hold-set"
        /// The hold has ended.
        case holdOver = "hold-over"
        /// The configuration was read again.
        case reloaded
        /// The new configuration is invalid, and the old one stays.
        case reloadRefused
        /// A hook was not run, or failed.
        case hookFailed

        /// Whether monitoring clients get records of this kind as events, with the name of the kind. Of all
        /// other records, they get only the ends of cycles.
        var isEvent: Bool { meaning.isEvent }
        /// The journal's MESSAGE_ID for this kind (systemd.journal-fields(7)). It never changes; the manual
        /// page lists all of them.
        public var messageID: String { meaning.messageID }

        private var meaning: (messageID: String, isEvent: Bool) {
            switch self {
            case .started: ("313f0befd9984bc78ada19659a93c8d9", true)
            case .checked: ("ec9dd5be122349f3b093d291025151f3", false)
            case .bounceBegun: ("6bedf7ca9685442f94aa77d2c54856b9", true)
            case .bounceStep: ("da9db5041d7f4870898cba3971aec4d6", false)
            case .bounceFinished: ("1a462a3c40134a6787d2a37ebc115ce3", false)
            case .bounceFailed: ("592b329a35b14f5091e5dc5ae163e9b8", false)
            case .held: ("9ac797a262e44cba82f84bb04bd3d710", false)
            case .refused: ("9ccd951f239149f8a82be8d6c6e04979", false)
            case .absent: ("3463761ae22944f0b17cee6d1732fae6", true)
            case .appeared: ("4d792587536c40a9b30b557a9da66014", true)
            case .renamed: ("6c3d99cc82844819be39d69e169c0468", true)
            case .holdSet: ("1d5139eb24124af58c776cc1efb3f3c4", true)
            case .holdOver: ("bcc601ccc5a64354a369546dc7022580", true)
            case .reloaded: ("a1b286dcbdb14eaf98f6abca813f802b", false)
            case .reloadRefused: ("e14d867d0dac44dda26457a0cbb65920", false)
            case .hookFailed: ("370cf7c29d3d47aea93d9ba063d31d37", false)
            }
        }
    }

    public let kind: Kind
    /// The interface's name at that time.
    public let interface: String
    public let at: Instant
    /// The toggler's report; nil: the event is not from a toggler.
    public let report: Report?
    /// Whether monitoring clients get the record, because it is news for them.
    public let isTold: Bool
    /// The cause of the action that begins or has ended.
    let cause: ActionCause?
    /// The action that has ended; nil: none has.
    let action: RecordedAction?
    private let notice: String?

    /// Makes the record of a toggler's report.
    /// - Parameters:
    ///   - cause: the cause of the action under way; nil: there is none.
    ///   - isNews: whether the event is news for monitoring clients.
    public init(
        _ report: Report, about interface: String, at: Instant, cause: ActionCause? = nil, isNews: Bool = true
    ) {
        self.report = report
        self.interface = interface
        self.at = at
        kind = Kind(report)
        notice = nil
        var (isTold, cause, action) = (kind.isEvent && isNews, cause, RecordedAction?.none)
        switch report {
        case .step(.beginning(_, let verdict)): cause = verdict.map { .sick(RecordedVerdict($0)) } ?? .asked
        case .step(.raisingAfterBlock): cause = .block
        case .cycle(let cycle):
            isTold = true
            if cycle.action.isDone { action = RecordedAction(cycle, cause: cause ?? .asked) }
        case .step, .watching: cause = nil
        }
        (self.isTold, self.cause, self.action) = (isTold, cause, action)
    }

    /// Makes the record of an event that is not from a toggler.
    /// - Parameter notice: what happened, without the interface's name.
    init(_ kind: Kind, _ notice: String, about interface: String, at: Instant) {
        self.kind = kind
        self.notice = notice
        self.interface = interface
        self.at = at
        isTold = true
        (report, cause, action) = (nil, nil, nil)
    }

    /// Makes the record of an interface that has another name now.
    public static func renamed(_ interface: String, to name: String, at: Instant) -> Record {
        Record(.renamed, "is called \(name) now", about: interface, at: at)
    }

    /// Makes the record of a hold that was set or changed, or has ended.
    /// - Parameters:
    ///   - administrativeHold: the hold from now on; nil: there is none.
    ///   - before: the hold until now, which must differ; nil: there was none.
    static func held(
        _ administrativeHold: AdministrativeHold?, after before: AdministrativeHold?,
        about interface: String, at now: Instant
    ) -> Record {
        let exception = "unless a user asks for one"
        let (kind, notice): (Kind, String) =
            switch (administrativeHold, before) {
            case (.until(let end)?, _):
                // Rounded up, so that the rest of a hold that was just set still shows its full length.
                (.holdSet, "no bounce for another \((end - now).roundedUp.text), \(exception)")
            case (.untilReleased?, _):
                (.holdSet, "no bounce until 'wifi-toggler hold 0' releases the hold, \(exception)")
            case (nil, .until(let end)?) where end <= now:
                (.holdOver, "the time of the hold is over: it may be bounced again")
            case (nil, _): (.holdOver, "released: it may be bounced again")
            }
        return Record(kind, notice, about: interface, at: now)
    }

    /// The end of a cycle; nil: the record is about something else.
    public var cycle: CycleReport? { if case .cycle(let cycle)? = report { cycle } else { nil } }
    var verdict: Verdict? { subject.verdict }
    /// The method that begins or was passed over; nil: the record is not about a method.
    var method: Method? { subject.method }

    private var subject: (verdict: Verdict?, method: Method?) {
        switch report {
        case .step(.beginning(let method, let verdict))?: (verdict, method)
        case .step(.escalating(_, let method, let verdict))?: (verdict, method)
        case .step(.passedOver(let method, _, _, _))?: (nil, method)
        case .cycle(let cycle)?: (cycle.verdict, nil)
        case .step?, .watching?, nil: (nil, nil)
        }
    }

    /// What happened, without the interface's name. For a cycle, this is the reason of its verdict, and why
    /// an action failed or was not taken.
    public var reason: String {
        guard let cycle else { return notice ?? cause?.reason ?? LogFormatter.line(self).text }
        let why = cycle.verdict.reason.description
        if case .failed(let step, let failure) = cycle.action {
            return "\(why); \(step.description(failure))"
        }
        return why
            + (cycle.action.noBounceReason.map { "; \($0.description(interface: interface, at: at))" } ?? "")
    }

    /// Whether the machine is about to be rebooted.
    public var isOfReboot: Bool { kind == .bounceBegun && method == .reboot }

    /// Whether a user may be waiting for the record: it is a step, a change of health, or an action.
    public var isUrgent: Bool {
        cycle.map { $0.change.before != $0.change.after || $0.action.isDone } ?? true
    }

    /// The same record without a next check. A command that ends with this record makes no further check.
    public var last: Record {
        guard var cycle else { return self }
        cycle.next = nil
        return Record(.cycle(cycle), about: interface, at: at, cause: cause)
    }
}

extension Record.Kind {
    /// The kind of a report.
    init(_ report: Report) {
        switch report {
        case .watching: self = .started
        case .step(let step): self.init(step)
        case .cycle(let cycle):
            switch cycle.action {
            case .none: self = .checked
            case .bounced, .raised: self = .bounceFinished
            case .failed: self = .bounceFailed
            case .held, .skipped: self = .held
            case .refused: self = .refused
            }
        }
    }

    private init(_ step: Report.Step) {
        switch step {
        case .beginning, .raisingAfterBlock: self = .bounceBegun
        case .absent: self = .absent
        case .notRecovered: self = .held
        case .appeared: self = .appeared
        case .interrupting, .escalating, .passedOver, .lowered, .raisedByOther, .guardLost, .raised,
            .loweredByOther, .scanAborted, .operational, .ownerOverdue, .restoredLate, .raiseFailed,
            .finishing:
            self = .bounceStep
        }
    }
}

extension CycleReport {
    /// Whether this check is part of an outage, or of sick verdicts in a row that may become one. Until the
    /// health is sick, an unknown verdict ends such a row. While the link is not judged, for example because
    /// rfkill blocks the radio, verdicts are forgotten (`change.streak` is 0).
    var isPartOfOutage: Bool {
        switch verdict.conclusion {
        case .healthy: false
        case .sick: change.after == .sick || change.streak > 0
        case .unknown: change.after == .sick
        }
    }
}

extension CycleReport.Action {
    /// Whether something was done or begun.
    var isDone: Bool {
        switch self {
        case .bounced, .raised, .failed: true
        case .none, .held, .skipped, .refused: false
        }
    }

    /// Why nothing was done; nil: no reason prevented an action.
    var noBounceReason: NoBounceReason? {
        switch self {
        case .held(let reason), .skipped(let reason), .refused(let reason): reason
        case .none, .bounced, .raised, .failed: nil
        }
    }
}
