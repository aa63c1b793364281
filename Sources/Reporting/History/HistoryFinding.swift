import Model
import Toggling

/// A stored verdict: conclusion, layer, sentence and evidence.
public struct HistoryFinding: Hashable, Sendable {
    /// One row of the evidence, with the same texts as in a cycle.
    public struct Row: Hashable, Sendable {
        public var probe: String
        /// `ok`, `failed` or `unknown`.
        public var result: Evidence.Row.Result
        public var roundTrip: Duration?
        public var detail: String
    }

    public var conclusion: Verdict.Conclusion
    public var layer: Layer?
    public var reason: String
    /// Only the first ones, if there are many.
    public var evidence: [Row]

    public init(
        _ conclusion: Verdict.Conclusion, layer: Layer? = nil, reason: String, evidence: [Row] = []
    ) {
        self.conclusion = conclusion
        self.layer = layer
        self.reason = HistoryEntry.clipped(reason)
        self.evidence = evidence.prefix(HistoryEntry.mostItems).map(Self.clipped)
    }

    public init(_ verdict: Verdict) {
        self.init(
            verdict.conclusion, layer: verdict.layer, reason: verdict.reason.sentence,
            evidence: verdict.evidence.map { evidence in
                let row = evidence.row
                return Row(
                    probe: row.probe, result: row.result, roundTrip: row.roundTrip, detail: row.detail)
            })
    }

    /// `sick at layer gateway: the gateway 192.0.2.1 does not answer`.
    var headline: String {
        "\(conclusion.rawValue)\(layer.map { " at layer \($0.rawValue)" } ?? ""): \(reason)"
    }

    /// A shorter form, with the required parts only.
    var bare: HistoryFinding { HistoryFinding(conclusion, layer: layer, reason: reason) }

    private static func clipped(_ row: Row) -> Row {
        Row(
            probe: HistoryEntry.clipped(row.probe), result: row.result,
            roundTrip: row.roundTrip.map { max(.zero, $0) }, detail: HistoryEntry.clipped(row.detail))
    }
}
