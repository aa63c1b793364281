/// A table in Markdown, for the figures that are put into the documents.
struct MarkdownTable {
    let columns: [String]

    /// The names of the columns, and the line below them.
    var header: [String] { [Self.line(columns), "|" + String(repeating: "---|", count: columns.count)] }

    /// - Parameter cells: a cell for each column.
    func row(_ cells: [String]) -> String {
        precondition(cells.count == columns.count, "\(cells.count) cells for \(columns.count) columns")
        return Self.line(cells)
    }

    func lines(_ rows: [[String]]) -> [String] { header + rows.map(row) }

    private static func line(_ cells: [String]) -> String {
        "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }
}
