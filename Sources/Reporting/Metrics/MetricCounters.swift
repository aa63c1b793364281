import Model
import Toggling

/// Counts the events of one interface since the service began. The keys are words of the program itself, so
/// that no name from outside makes the counters grow.
public struct MetricCounters {
    /// The answers to one kind of probe.
    struct Answers: Equatable {
        var results: [Evidence.Row.Result: Int] = [:]
        /// The number of answers with a round trip.
        var timed = 0
        var roundTrips: Duration = .zero
    }

    private(set) var checks: [Verdict.Conclusion: Int] = [:]
    private(set) var faults: [Layer: Int] = [:]
    /// The changes of the health, by the new health.
    private(set) var changes: [Health.Condition: Int] = [:]
    /// The ends of actions, by the verdict after the action, or `failed`.
    private(set) var endings: [String: Int] = [:]
    /// The actions, by ``ActionCause/label``.
    private(set) var causes: [String: Int] = [:]
    private(set) var methods: [Method: Int] = [:]
    private(set) var noBounceReasons: [NoBounceReason.Kind: Int] = [:]
    /// The answers to probes, for those kinds of probes that were used.
    private(set) var probes: [String: Answers] = [:]
    /// How long the link was down. The largest bucket ends at the longest `--delay`.
    private(set) var down = Histogram(Self.downTimes)
    /// How long the recovery took. The buckets fit the usual times: a quarter of a second with a known
    /// frequency, four seconds with a full scan, and at most ten minutes (`--settle`).
    private(set) var recovery = Histogram(Self.recoveries)
    // The bounds of the two histograms, which all interfaces share.
    private static let downTimes: [Duration] =
        [.milliseconds(100), .milliseconds(500)] + [1, 2, 3, 5, 10, 30, 60].map { .seconds($0) }
    private static let recoveries: [Duration] =
        [.milliseconds(250), .milliseconds(500)] + [1, 2, 5, 10, 30, 60, 300].map { .seconds($0) }

    mutating func healthBecame(_ condition: Health.Condition) { changes[condition, default: 0] += 1 }

    static let endings = Verdict.Conclusion.allCases.map(\.rawValue) + ["failed"]
    /// The kinds of probes.
    static let probes = ["neighbour", "icmp", "tcp", "dns", "http", "command"]

    mutating func take(_ record: Record) {
        // The report of a failed action repeats the verdict that caused the action, which was counted before.
        // If the action was not verified, there was no check to count.
        if let verdict = record.verdict, record.kind != .bounceFailed, verdict.reason != .notVerified {
            take(verdict)
        }
        if let reason = record.cycle?.action.noBounceReason { noBounceReasons[reason.kind, default: 0] += 1 }
        guard let action = record.action else { return }
        causes[action.cause.label, default: 0] += 1
        let ending = record.kind == .bounceFailed ? "failed" : action.outcome.conclusion.rawValue
        endings[ending, default: 0] += 1
        guard let summary = record.cycle?.action.summary else { return }
        for method in summary.methods { methods[method, default: 0] += 1 }
        if summary.methods.contains(where: \.takesLinkDown) { down.take(summary.down) }
        if let duration = summary.recovery { recovery.take(duration) }
    }

    private mutating func take(_ verdict: Verdict) {
        checks[verdict.conclusion, default: 0] += 1
        if verdict.conclusion == .sick, let layer = verdict.layer { faults[layer, default: 0] += 1 }
        for case .probe(let question, let result) in verdict.evidence {
            var answers = probes[question.kind] ?? Answers()
            answers.results[result.word, default: 0] += 1
            if let roundTrip = result.roundTrip {
                answers.timed += 1
                answers.roundTrips += roundTrip
            }
            probes[question.kind] = answers
        }
    }
}

extension ProbeRequest.Question {
    fileprivate var kind: String {
        switch self {
        case .neighbour: "neighbour"
        case .icmp: "icmp"
        case .tcp: "tcp"
        case .dns: "dns"
        case .http: "http"
        case .command: "command"
        }
    }
}
