import Model
import Toggling

/// Counts the events of one interface since the service began. Its keys are cases of enums, so that no name
/// from outside makes it grow.
public struct MetricCounters {
    /// The cause of an action.
    enum Cause: String, CaseIterable {
        /// Requested by a user, or the plain timer.
        case asked
        /// An rfkill block had taken the link down.
        case rfkill
        case radio, association, address, gateway, dns, internet, portal
        /// Sick, without a layer.
        case unknown
    }

    /// How an action ended.
    enum Ending: String, CaseIterable {
        case healthy, sick, unknown
        /// It was begun and failed.
        case failed
    }

    /// The kind of a probe.
    enum ProbeKind: String, CaseIterable {
        case neighbour, icmp, tcp, dns, http, command
    }

    /// The answers to one kind of probe.
    struct Answers: Equatable {
        var results: [Evidence.Row.Result: Int] = [:]
        /// The number of answers with a round trip.
        var timed = 0
        var roundTrips: Duration = .zero
    }

    private(set) var checks: [Verdict.Conclusion: Int] = [:]
    private(set) var faults: [Layer: Int] = [:]
    /// By the new health.
    private(set) var changes: [Health.Condition: Int] = [:]
    private(set) var endings: [Ending: Int] = [:]
    private(set) var causes: [Cause: Int] = [:]
    private(set) var methods: [Method: Int] = [:]
    private(set) var obstacles: [NoBounceReason.Kind: Int] = [:]
    /// Of the kinds that were used.
    private(set) var probes: [ProbeKind: Answers] = [:]
    /// From shorter than any delay to the longest one.
    private(set) var down = Histogram(Self.holds)
    /// A known frequency takes a quarter of a second, a full scan four, `--settle` may be ten minutes.
    private(set) var recovery = Histogram(Self.recoveries)
    // Shared by all interfaces.
    private static let holds: [Duration] =
        [.milliseconds(100), .milliseconds(500)] + [1, 2, 3, 5, 10, 30, 60].map { .seconds($0) }
    private static let recoveries: [Duration] =
        [.milliseconds(250), .milliseconds(500)] + [1, 2, 5, 10, 30, 60, 300].map { .seconds($0) }

    mutating func healthBecame(_ condition: Health.Condition) { changes[condition, default: 0] += 1 }

    /// A verdict reported with a step: that of the check that caused what follows.
    mutating func take(_ verdict: Verdict) {
        checks[verdict.conclusion, default: 0] += 1
        if verdict.conclusion == .sick, let layer = verdict.layer { faults[layer, default: 0] += 1 }
        for case .probe(let question, let result) in verdict.evidence {
            let kind = ProbeKind(question)
            probes[kind, default: Answers()].results[result.word, default: 0] += 1
            guard let roundTrip = result.roundTrip else { continue }
            probes[kind]?.timed += 1
            probes[kind]?.roundTrips += roundTrip
        }
    }

    /// The end of a cycle.
    /// - Parameter cause: the cause of the action, if there was one.
    mutating func take(_ report: CycleReport, cause: Cause) {
        switch report.action {
        case .none: take(report.verdict)
        case .held(let noBounceReason), .skipped(let noBounceReason), .refused(let noBounceReason):
            take(report.verdict)
            obstacles[noBounceReason.kind, default: 0] += 1
        case .bounced(let summary), .raised(let summary):
            // Without verification there was no check.
            if report.verdict.reason != .notVerified { take(report.verdict) }
            causes[cause, default: 0] += 1
            endings[Ending(report.verdict.conclusion), default: 0] += 1
            for method in summary.methods { methods[method, default: 0] += 1 }
            if summary.methods.contains(where: \.takesLinkDown) { down.take(summary.down) }
            if let duration = summary.recovery { recovery.take(duration) }
        case .failed:
            // This is the verdict that caused the action, and was counted then.
            causes[cause, default: 0] += 1
            endings[.failed, default: 0] += 1
        }
    }
}

extension MetricCounters.Ending {
    init(_ conclusion: Verdict.Conclusion) {
        switch conclusion {
        case .healthy: self = .healthy
        case .sick: self = .sick
        case .unknown: self = .unknown
        }
    }
}

extension MetricCounters.Cause {
    init(_ cause: InterfaceStatus.Cause) {
        switch cause {
        case .asked: self = .asked
        case .block: self = .rfkill
        case .sick(let verdict): self = verdict.layer.map(MetricCounters.Cause.init) ?? .unknown
        }
    }

    private init(_ layer: Layer) {
        switch layer {
        case .radio: self = .radio
        case .association: self = .association
        case .address: self = .address
        case .gateway: self = .gateway
        case .dns: self = .dns
        case .internet: self = .internet
        case .portal: self = .portal
        }
    }
}

extension MetricCounters.ProbeKind {
    init(_ question: ProbeRequest.Question) {
        switch question {
        case .neighbour: self = .neighbour
        case .icmp: self = .icmp
        case .tcp: self = .tcp
        case .dns: self = .dns
        case .http: self = .http
        case .command: self = .command
        }
    }
}
