/// Two columns of plain text within the width of a terminal.
enum TextColumns {
    static let width = 80
    private static let indentation = 2
    private static let gap = 2

    /// One line for each row. A right side that does not fit continues on the next line, in its own column.
    static func format(_ rows: [(left: String, right: String)]) -> String {
        let leftWidth = rows.map(\.left.count).max() ?? 0
        let margin = String(repeating: " ", count: indentation)
        let start = indentation + leftWidth + gap
        return rows.map { row in
            let lines = wrap(row.right, width: width - start)
            let padding = String(repeating: " ", count: leftWidth + gap - row.left.count)
            let head = margin + row.left + (lines.isEmpty ? "" : padding)
            return head + lines.joined(separator: "\n" + String(repeating: " ", count: start)) + "\n"
        }.joined()
    }

    /// Breaks a text into lines at spaces. A word that is longer than a line stays whole.
    static func wrap(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
