/// Rows of cells as lines of plain text with aligned columns.
enum TextTable {
    private static let gap = "  "

    /// One line for each row, without trailing spaces. Each row must have as many cells as the first.
    static func lines(_ rows: [[String]]) -> [String] {
        let columns = rows.first?.indices ?? 0..<0
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return String(cells.joined(separator: gap).reversed().drop { $0 == " " }.reversed())
        }
    }
}
