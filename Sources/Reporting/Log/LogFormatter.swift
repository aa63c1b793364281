import Model
import Toggling

/// A log line for people, and its severity.
public struct Line: Equatable, Sendable {
    public var level: LogLevel
    /// The text, which mostly begins with the interface's name.
    public var text: String

    public init(_ level: LogLevel, _ text: String) {
        self.level = level
        self.text = text
    }
}

/// Formats the records of one interface as log lines. It keeps what it logged last, so that a fact is logged
/// once and not in every cycle.
public struct LogFormatter {
    private let verbosity: Verbosity
    /// The current settings of the interface, which the explanation of a verdict needs.
    public var settings = Settings()
    /// What the last summary line of a cycle said; nil: none was logged.
    private var lastSaid: Said?
    /// The quality of the link at the last cycle; nil: it was not known, or there was no cycle.
    private var lastQuality: Quality?

    private struct Said: Equatable {
        var condition: Health.Condition
        var conclusion: Verdict.Conclusion
        var layer: Layer?
        /// The kind of action, without its numbers, which change in each cycle.
        var action: String
    }

    public init(verbosity: Verbosity, settings: Settings = Settings()) {
        self.verbosity = verbosity
        self.settings = settings
    }

    /// The lines for a record; empty if the record has no news.
    public mutating func lines(for record: Record) -> [Line] {
        if case .watching(let settings, _)? = record.report { self.settings = settings }
        let lines = record.cycle.map { cycle($0, record) } ?? [Self.line(record)]
        return lines.filter { verbosity.wants($0.level) }
            .map { Line($0.level, "\(record.interface): \($0.text)") }
    }

    /// The line for a record, without the interface's name; for a cycle, only the reason.
    static func line(_ record: Record) -> Line {
        switch record.report {
        case .watching(let settings, _)?: watching(settings)
        case .step(let step)?: line(step, of: record.interface, at: record.at)
        case .cycle?, nil: Line(.notice, record.reason)
        }
    }

    private static func watching(_ settings: Settings) -> Line {
        let pace = "every \(settings.interval.text), the first one now"
        let fall = settings.fall == 1 ? "one sick verdict" : "\(settings.fall) sick verdicts in a row"
        return settings.isForced
            ? Line(.notice, "starting: a bounce \(pace), the link down for \(settings.delay.text)")
            : Line(.notice, "starting: a check \(pace); a bounce after \(fall)")
    }

    private static func line(_ step: Report.Step, of interface: String, at now: Instant) -> Line {
        switch step {
        case .beginning(let method, let verdict):
            Line(
                method == .reboot ? .warning : .notice,
                "\(verdict?.isOfResolver == true ? "restarting systemd-resolved" : method.doing): "
                    + (verdict?.groundedSentence ?? ActionCause.asked.description))
        case .interrupting(let port):
            Line(.notice, "all other traffic through \(port.masterName ?? "its master") is interrupted, too")
        case .escalating(let last, let next, let verdict):
            Line(.warning, "\(last.rawValue) did not help: still \(verdict.headline); \(next.doing)")
        case .passedOver(let method, let step, let failure, let next):
            Line(
                failure.kind == .unavailable ? .notice : .warning,
                "\(method.rawValue): " + step.description(failure)
                    + (next.map { "; \($0.doing)" } ?? ""))
        case .raisingAfterBlock:
            Line(
                .notice,
                "an rfkill block took the link down, and no program raised it after the unblock: raising it")
        case .lowered(let downTime): Line(.notice, "link down, kept down for \(downTime.text)")
        case .raisedByOther:
            Line(.warning, "another program raised the link while it was kept down; leaving it up")
        case .guardLost: Line(.warning, "the guard's process ended: raising the link at once")
        case .loweredByOther:
            Line(.warning, "another program set the link down after the raise; leaving it down")
        case .raised(let duration): Line(.notice, "link up after \(duration.text)")
        case .scanAborted(let ago):
            Line(.info, "the owner's scan was aborted: the network was found \(ago.text) ago")
        case .operational(let after): Line(.info, "the link is operational after \(after.text)")
        case .ownerOverdue(let addressOwner, let missing):
            Line(
                .warning,
                "\(addressOwner.rawValue) did not restore in time: " + missing.joined(separator: ", "))
        case .restoredLate(let restored, let givenUp):
            Line(
                givenUp.isEmpty ? .notice : .warning,
                [("restored late: ", restored), ("not restored, given up: ", givenUp)]
                    .filter { !$0.1.isEmpty }.map { $0.0 + $0.1.joined(separator: ", ") }.joined(
                        separator: "; "))
        case .raiseFailed(let failure, let retryAt):
            Line(
                .error,
                failure.description(after: "could not raise the link")
                    + (retryAt.map { ", trying again in \(($0 - now).text)" }
                        ?? ", giving up; the guard continues to try"))
        case .absent: Line(.warning, "the interface is not there; waiting for it to appear")
        case .notRecovered(let fault, let reason):
            Line(
                .warning,
                "\(fault?.description ?? "the link cannot be set up"); "
                    + reason.description(interface: interface, at: now))
        case .appeared(let link): Line(.notice, "the interface is there (index \(link.index.rawValue))")
        case .finishing: Line(.notice, "the program ends during a bounce: raising the link first")
        }
    }

    private mutating func cycle(_ cycle: CycleReport, _ record: Record) -> [Line] {
        let said = Said(
            condition: cycle.change.after, conclusion: cycle.verdict.conclusion, layer: cycle.verdict.layer,
            action: cycle.action.noBounceReason?.isAboutReboot == true ? "reboot" : cycle.action.word)
        let isNews = said != lastSaid || cycle.action.isDone
        lastSaid = said
        let qualityNews = cycle.quality?.news(after: lastQuality)
        lastQuality = cycle.quality
        let lines = [qualityNews].compactMap(\.self) + (cycle.action.summary?.restoration.lines ?? [])
        // Most checks have the same result as the last one. Formatting a line for each of them would cost
        // more than the check.
        guard isNews || verbosity == .verbose else { return lines }
        var summary = summary(cycle, interface: record.interface, at: record.at, isNews: isNews)
        if let next = cycle.next {
            summary.text += "; next check in \(max(.zero, next.at - record.at).text) (\(next.why.rawValue))"
        }
        return [summary] + explanation(cycle) + lines
    }

    private func explanation(_ cycle: CycleReport) -> [Line] {
        guard verbosity == .verbose else { return [] }
        let explanation = Explanation(
            cycle.verdict, change: cycle.change, settings: settings, quality: cycle.quality)
        return explanation.lines.map { Line(.debug, "  \($0)") }
    }

    private func summary(
        _ cycle: CycleReport, interface: String, at now: Instant, isNews: Bool
    ) -> Line {
        let verdict = cycle.verdict.headline
        let routine: LogLevel = isNews ? .notice : .info
        switch cycle.action {
        case .none where cycle.verdict.conclusion == .sick:
            let row = cycle.next == nil ? "" : " (\(cycle.change.streak) in a row)"
            let remedy = cycle.verdict.reason.remedy(interface: interface).map { " (\($0))" } ?? ""
            return Line(isNews ? .warning : .info, verdict + remedy + row)
        case .none: return Line(routine, verdict)
        case .bounced(let bounce):
            guard let recovery = bounce.recovery else {
                let isAlarm = cycle.verdict.conclusion == .sick
                return Line(isAlarm ? .error : .notice, "after \(bounce.what): \(verdict)")
            }
            return Line(.notice, "back \(recovery.text) after \(bounce.end): \(verdict)")
        case .raised(let raise):
            let when = raise.recovery.map { "back \($0.text) after the raise" } ?? "after the raise"
            return Line(cycle.verdict.conclusion == .sick ? .warning : .notice, "\(when): \(verdict)")
        case .failed(let step, let failure): return Line(.error, step.description(failure))
        case .held(let noBounceReason), .skipped(let noBounceReason):
            let sentence = noBounceReason.description(interface: interface, at: now)
            return Line(isNews ? .warning : .info, "\(verdict); \(sentence)")
        case .refused(let noBounceReason):
            let sentence = noBounceReason.description(interface: interface, at: now)
            return Line(isNews ? .error : .info, "no bounce: \(sentence)")
        }
    }
}

extension Method {
    /// The action while it is under way, as a phrase.
    fileprivate var doing: String {
        switch self {
        case .reassociate: "asking its owner to reassociate"
        case .owner: "asking its owner to connect again"
        case .restartOwner: "restarting its owner"
        case .bounce: "bouncing the link"
        case .rfkill: "switching the radio off and on by rfkill"
        case .rebind: "unbinding the driver from the device and binding it again"
        case .reset: "resetting the device on its bus"
        case .hook: "running the hook"
        case .reboot: "rebooting the machine, because nothing else has helped"
        }
    }
}

extension BounceSummary {
    /// The action with all its methods, as a phrase.
    fileprivate var what: String {
        let names = methods.map(\.rawValue).joined(separator: ", then ")
        return methods == [.bounce] ? "the bounce" : "the method\(methods.count == 1 ? "" : "s") \(names)"
    }

    /// The event from which the recovery is measured, as a phrase.
    fileprivate var end: String {
        switch methods.last {
        case .reassociate: "reassociating"
        case .owner: "asking its owner"
        case .restartOwner: "the restart"
        case .hook: "the hook"
        case .reboot: "the reboot"
        case .bounce, .rfkill, .rebind, .reset, nil: "the raise"
        }
    }
}

extension Verdict {
    /// Whether systemd-resolved is at fault. Then it is restarted, and nothing else is done.
    fileprivate var isOfResolver: Bool {
        evidence.contains {
            if case .owner(let condition) = $0 { condition.owner == .resolved } else { false }
        }
    }

    /// The reason, with its evidence in parentheses.
    fileprivate var groundedSentence: String {
        reason.description + (grounds.isEmpty ? "" : " (\(grounds))")
    }
}
