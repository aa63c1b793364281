import Model
import Toggling

/// The JSON object of a cycle; its keys are a contract.
public enum CycleJSON {
    /// - Parameters:
    ///   - time: now, as RFC 3339 text.
    ///   - wallTime: the text for a later instant, for `next`.
    public static func json(
        _ report: CycleReport, interface: String, time: String, now: Instant, wallTime: (Duration) -> String
    ) -> JSONText {
        .object(members(report, interface: interface, time: time, now: now, wallTime: wallTime))
    }

    static func members(
        _ report: CycleReport, interface: String, time: String, now: Instant, wallTime: (Duration) -> String
    ) -> [(String, JSONText)] {
        let summary = report.action.summary
        return [
            ("time", .string(time)),
            ("interface", .string(interface)),
            ("verdict", .string(report.verdict.conclusion.rawValue)),
            ("layer", .optional(report.verdict.layer?.rawValue)),
            ("reason", .string(reason(report, interface: interface, now: now))),
            ("evidence", .array(report.verdict.evidence.map(\.json))),
            ("action", .string(report.action.word)),
            ("methods", .array((summary?.methods ?? []).map { .string($0.rawValue) })),
            ("down_ms", .milliseconds(summary?.down)),
            ("recovery_ms", .milliseconds(summary?.recovery)),
            ("lost", .array((summary?.restoration.lost ?? []).map { .string($0) })),
            ("restored", .array((summary?.restoration.restored ?? []).map { .string($0) })),
            ("refused", (summary?.restoration ?? Restoration()).refusedJSON),
            ("next", report.next.map { next($0, now: now, wallTime: wallTime) } ?? .null),
            ("degraded", report.quality?.degradedJSON ?? .null),
        ]
    }

    /// The same keys for an event that is not the end of a cycle: null if there is no value.
    static func members(
        interface: String, time: String, verdict: Verdict?, method: Method?, reason: String?
    ) -> [(String, JSONText)] {
        [
            ("time", .string(time)),
            ("interface", .string(interface)),
            ("verdict", .optional(verdict?.conclusion.rawValue)),
            ("layer", .optional(verdict?.layer?.rawValue)),
            ("reason", .optional(reason)),
            ("evidence", .array(verdict?.evidence.map(\.json) ?? [])),
            ("action", .string(CycleReport.Action.none.word)),
            ("methods", .array([method].compactMap { $0.map { .string($0.rawValue) } })),
            ("down_ms", .null),
            ("recovery_ms", .null),
            ("lost", .array([])),
            ("restored", .array([])),
            ("refused", .array([])),
            ("next", .null),
            ("degraded", .null),
        ]
    }

    private static func reason(_ report: CycleReport, interface: String, now: Instant) -> String {
        let why = report.verdict.reason.sentence
        return switch report.action {
        case .none, .bounced, .raised: why
        case .failed(let step, let failure): "\(why); \(step.sentence(failure))"
        case .held(let noBounceReason), .skipped(let noBounceReason), .refused(let noBounceReason):
            "\(why); \(noBounceReason.sentence(interface: interface, at: now))"
        }
    }

    private static func next(_ next: NextCheck, now: Instant, wallTime: (Duration) -> String) -> JSONText {
        .object([("time", .string(wallTime(next.at - now))), ("why", .string(next.why.word))])
    }
}

extension Evidence {
    var json: JSONText {
        let row = row
        return .object([
            ("probe", .string(row.probe)),
            ("result", .string(row.result.rawValue)),
            ("rtt_ms", .milliseconds(row.roundTrip)),
            ("detail", .string(row.detail)),
        ])
    }
}

extension Restoration {
    /// What could not be restored, and the kernel's messages.
    var refusedJSON: JSONText {
        .array(
            refused.map {
                .object([("item", .string($0.words)), ("error", .string($0.failure.words))])
            })
    }
}

extension CycleReport.Action {
    /// The value of the key `action`.
    public var word: String {
        switch self {
        case .none: "none"
        case .bounced(let summary): summary.word
        case .raised: "raised"
        case .held: "held"
        case .skipped: "skipped"
        case .failed, .refused: "refused"
        }
    }
}

extension BounceSummary {
    /// An action that does not take the link down is no bounce.
    fileprivate var word: String {
        if methods.contains(where: \.takesLinkDown) { return "bounced" }
        if methods.contains(.hook) { return "hooked" }
        return methods.contains(.owner) ? "reconnected" : "reassociated"
    }
}

extension NextCheck.Why {
    /// The value of the key `why` of `next`.
    public var word: String {
        switch self {
        case .schedule: "schedule"
        case .recheck: "recheck"
        case .backoff: "backoff"
        case .grace: "grace"
        case .hold: "hold"
        case .quiet: "quiet"
        case .budget: "budget"
        case .change: "change"
        }
    }
}
