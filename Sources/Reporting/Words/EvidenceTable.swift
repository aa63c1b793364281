import Model
import Toggling

/// What a verdict rests on, for `probe`: what was asked, how it came out, after how long, and what was seen.
public enum EvidenceTable {
    private static let titles = ["PROBE", "RESULT", "ROUND TRIP", "DETAIL"]
    private static let indentation = "  "

    /// A title and a line for each entry, indented below the verdict, columns aligned; none where nothing was
    /// asked.
    public static func lines(_ evidence: [Evidence]) -> [String] {
        guard !evidence.isEmpty else { return [] }
        return TextTable.lines([titles] + evidence.map { cells($0.row) }).map { indentation + $0 }
    }

    /// What stands last may be long, and widens no column.
    private static func cells(_ row: Evidence.Row) -> [String] {
        [row.probe, row.result.rawValue, row.roundTrip?.text ?? "-", row.detail]
    }
}
