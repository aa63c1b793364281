/// The parts of a page, such as text and tables, in HTML that is also well-formed XML.
enum PageMarkup {
    /// Escapes untrusted text for an element or an attribute. U+FFFD replaces control characters, and
    /// characters that change the text direction or are invalid in XML.
    static func text(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            case _ where isUnsafe(scalar): escaped.append("\u{fffd}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        // XML forbids U+FFFE and U+FFFF. This refuses every character whose number ends in FFFE or FFFF.
        scalar.isControlling || scalar.value & 0xfffe == 0xfffe
    }

    /// A table with this many columns or more is not narrowed. On a narrow screen its cells are below each
    /// other, each with the title of its column.
    private static let fewestOfWide = 6
    /// A cell with one word, a time or a number is not broken if it has at most this many bytes.
    private static let longestWord = 26

    /// A table with a caption and rows of text. The first cell of each row is its heading.
    static func table(_ caption: String, _ titles: [String], _ rows: [[String]]) -> String {
        let isMany = titles.count >= fewestOfWide
        // If the style changes the `display` of a table, browsers drop the table's roles; ARIA restores them.
        let role = { (name: String) in isMany ? " role=\"\(name)\"" : "" }
        let head = titles.map { "<th scope=\"col\"\(role("columnheader"))>\(text($0))</th>" }.joined()
        let body = rows.map { row in
            let heading = "<th scope=\"row\"\(role("rowheader"))>\(text(row.first ?? ""))</th>"
            let cells = zip(titles, row).dropFirst().map { title, content in
                let name = isMany ? " data-title=\"\(text(title))\"" : ""
                let style = isWord(content) ? " class=\"word\"" : ""
                return "<td\(role("cell"))\(name)\(style)>\(text(content))</td>"
            }
            return "<tr\(role("row"))>\(heading)\(cells.joined())</tr>\n"
        }.joined()
        return """
            <div class="wide" role="region" aria-label="\(text(caption))" tabindex="0">
            <table\(isMany ? " class=\"many\"" : "")\(role("table"))>
            <caption>\(text(caption))</caption>
            <thead\(role("rowgroup"))><tr\(role("row"))>\(head)</tr></thead>
            <tbody\(role("rowgroup"))>
            \(body)</tbody>
            </table>
            </div>

            """
    }

    private static func isWord(_ cell: String) -> Bool {
        cell.utf8.count <= longestWord && (!cell.contains(" ") || cell.first?.isNumber == true)
    }

    /// The number with at most one decimal and without an exponent.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
    }

    /// The page's style, light and dark (WCAG 2: contrast of 4.5 to 1 for text, 3 to 1 for shapes).
    static let style = """
        :root { color-scheme: light dark; --page: #fff; --ink: #1b1b1b; --faint: #5c5c5c; --line: #c9c9c9;
          --healthy: #2e7d4f; --sick: #b3261e; --undetermined: #8a6d00; --asleep: #5b6ea8; --absent: #6b6b6b;
          --curve: #1f5fa8; --band: #a9c4e4; }
        @media (prefers-color-scheme: dark) {
          :root { --page: #14171a; --ink: #e8e8e8; --faint: #a8a8a8; --line: #43484d;
            --healthy: #5cc98a; --sick: #ff8a80; --undetermined: #d9b84a; --asleep: #93a6e0; --absent: #9a9a9a;
            --curve: #8fc1ff; --band: #2c4a6b; } }
        body { background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; margin: 0; }
        main { max-width: 70rem; margin: 0 auto; padding: 1rem; }
        .availability strong { font-size: 2.5rem; line-height: 1.2; display: block; }
        ul { padding-left: 1.25rem; margin: 0.5rem 0; }
        .hover { fill: transparent; }
        .hover:hover { fill: var(--line); fill-opacity: 0.5; }
        footer { margin-top: 2rem; border-top: 1px solid var(--line); }
        figure { margin: 1rem 0; }
        figcaption, .faint { color: var(--faint); }
        svg { width: 100%; min-width: 52rem; height: auto; display: block; }
        svg text { fill: var(--faint); font: 12px system-ui, sans-serif; }
        .wide { overflow-x: auto; margin: 1rem 0; }
        figure .wide { margin: 0; }
        table { border-collapse: collapse; width: 100%; }
        .many { min-width: 60rem; }
        caption { text-align: left; font-weight: bold; padding: 0.25rem 0; }
        th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-top: 1px solid var(--line); }
        tbody th { font-weight: normal; white-space: nowrap; }
        .word { white-space: nowrap; }
        .axis { stroke: var(--line); stroke-width: 1; }
        .healthy { fill: var(--healthy); } .sick { fill: var(--sick); } .undetermined { fill: var(--undetermined); }
        .asleep { fill: var(--asleep); } .absent { fill: var(--absent); }
        .useful { fill: var(--healthy); } .useless { fill: var(--sick); } .unclear { fill: var(--undetermined); }
        .curve { fill: none; stroke: var(--curve); stroke-width: 1.5; } .point { fill: var(--curve); }
        .band { fill: var(--band); stroke: var(--curve); stroke-width: 0.75; }
        @media (max-width: 40rem) {
          .many { min-width: 0; }
          .many, .many caption, .many tbody, .many tr, .many th, .many td { display: block; }
          .many thead { position: absolute; clip-path: inset(50%); }
          .many td { border: 0; padding: 0; white-space: normal; }
          .many td:empty { display: none; }
          .many td::before { content: attr(data-title) ": "; color: var(--faint); }
          .many tbody th { font-weight: bold; padding: 0.25rem 0 0; } }
        @media print { .wide { overflow: visible; } svg, .many { min-width: 0; } }

        """
}
