import Model

/// The table of a verdict's evidence, for `probe`: each probe, its result, its round trip, and its details.
public enum EvidenceTable {
    private static let titles = ["PROBE", "RESULT", "ROUND TRIP", "DETAIL"]
    private static let indentation = "  "

    /// A title line and a line for each entry, with aligned columns, indented below the verdict; empty if
    /// there is no evidence.
    public static func lines(_ evidence: [Evidence]) -> [String] {
        guard !evidence.isEmpty else { return [] }
        return TextTable.lines([titles] + evidence.map { cells($0.row) }).map { indentation + $0 }
    }

    /// The cells of one line. The detail comes last, because it may be long.
    private static func cells(_ row: Evidence.Row) -> [String] {
        [row.probe, row.result.rawValue, row.roundTrip?.text ?? "-", row.detail]
    }
}
