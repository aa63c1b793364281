import Model

/// The evidence of a verdict, for `probe`: each probe, its result, its duration, and its details.
public enum EvidenceTable {
    private static let titles = ["PROBE", "RESULT", "ROUND TRIP", "DETAIL"]
    private static let indentation = "  "

    /// A title and a line for each entry, indented below the verdict, columns aligned; empty without
    /// evidence.
    public static func lines(_ evidence: [Evidence]) -> [String] {
        guard !evidence.isEmpty else { return [] }
        return TextTable.lines([titles] + evidence.map { cells($0.row) }).map { indentation + $0 }
    }

    /// The last column may be long, and widens no other.
    private static func cells(_ row: Evidence.Row) -> [String] {
        [row.probe, row.result.rawValue, row.roundTrip?.text ?? "-", row.detail]
    }
}
