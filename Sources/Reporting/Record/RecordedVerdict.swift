import Model

/// A verdict as text that is shown and stored. A later version with other reasons can still show it.
public struct RecordedVerdict: Hashable, Sendable {
    public var conclusion: Verdict.Conclusion
    public var layer: Layer?
    public var reason: String
    public var evidence: [Evidence.Row]

    public init(
        _ conclusion: Verdict.Conclusion, layer: Layer? = nil, reason: String, evidence: [Evidence.Row] = []
    ) {
        self.conclusion = conclusion
        self.layer = layer
        self.reason = reason
        self.evidence = evidence
    }

    public init(_ verdict: Verdict) {
        self.init(
            verdict.conclusion, layer: verdict.layer, reason: verdict.reason.description,
            evidence: verdict.evidence.map(\.row))
    }

    /// The verdict as a phrase, such as `sick at layer gateway: the gateway 192.0.2.1 does not answer`.
    public var headline: String {
        "\(conclusion.rawValue)\(layer.map { " at layer \($0.rawValue)" } ?? ""): \(reason)"
    }

    /// The verdict without the evidence.
    var bare: RecordedVerdict { RecordedVerdict(conclusion, layer: layer, reason: reason) }

    // MARK: As JSON

    var members: [(String, JSONText)] {
        [
            ("verdict", .string(conclusion.rawValue)), ("layer", .optional(layer?.rawValue)),
            ("reason", .string(reason)),
        ]
    }

    var evidenceJSON: JSONText { .array(evidence.map(\.json)) }
    var json: JSONText { .object(members + [("evidence", evidenceJSON)]) }

    /// Parses a stored verdict; nil: the conclusion or the reason is missing, or this version does not know
    /// the conclusion or the layer.
    init?(_ json: JSONText) {
        guard let conclusion = json.word("verdict", as: Verdict.Conclusion.self),
            let reason = json["reason"]?.string
        else { return nil }
        let layer = json.word("layer", as: Layer.self)
        if layer == nil, json["layer"]?.string != nil { return nil }
        let evidence = json["evidence"]?.elements.compactMap { Evidence.Row($0) } ?? []
        self.init(conclusion, layer: layer, reason: reason, evidence: evidence)
    }
}

extension Verdict {
    /// The conclusion, the layer and the reason as a phrase.
    public var headline: String {
        RecordedVerdict(conclusion, layer: layer, reason: reason.description).headline
    }
}

extension Evidence.Row {
    var json: JSONText {
        .object([
            ("probe", .string(probe)), ("result", .string(result.rawValue)),
            ("rtt_ms", .milliseconds(roundTrip)), ("detail", .string(detail)),
        ])
    }

    init?(_ json: JSONText) {
        guard let probe = json["probe"]?.string, let detail = json["detail"]?.string,
            let result = json.word("result", as: Result.self)
        else { return nil }
        self.init(probe: probe, result: result, roundTrip: json["rtt_ms"]?.duration, detail: detail)
    }
}

/// The cause of an action on a link.
public enum ActionCause: Hashable, Sendable {
    /// A user's request, or the plain timer.
    case asked
    /// An rfkill block had taken the link down.
    case block
    case sick(RecordedVerdict)

    /// The cause as a clause.
    var description: String {
        switch self {
        case .asked: "requested by toggle or --force"
        case .block: "an rfkill block had taken the link down"
        case .sick(let verdict): verdict.headline
        }
    }

    /// The reason of the verdict; for another cause, its description.
    var reason: String { if case .sick(let verdict) = self { verdict.reason } else { description } }
    var layer: Layer? { if case .sick(let verdict) = self { verdict.layer } else { nil } }
    var evidence: [Evidence.Row] { if case .sick(let verdict) = self { verdict.evidence } else { [] } }

    var isSick: Bool { if case .sick = self { true } else { false } }

    /// The cause without evidence.
    var bare: ActionCause { if case .sick(let verdict) = self { .sick(verdict.bare) } else { self } }

    /// The value of the label in metrics.
    var label: String {
        switch self {
        case .asked: "asked"
        case .block: "rfkill"
        case .sick(let verdict): verdict.layer?.rawValue ?? "unknown"
        }
    }
    static let labels = ["asked", "rfkill"] + Layer.allCases.map(\.rawValue) + ["unknown"]

    // MARK: As JSON, in the history

    var json: JSONText {
        switch self {
        case .asked: "asked"
        case .block: "block"
        case .sick(let verdict): verdict.json
        }
    }

    init?(_ json: JSONText) {
        switch json.string {
        case "asked": self = .asked
        case "block": self = .block
        case .some: return nil
        case nil:
            guard let verdict = RecordedVerdict(json) else { return nil }
            self = .sick(verdict)
        }
    }
}
