import Testing

@Suite("A table in Markdown") struct MarkdownTableTests {
    @Test("a table has a header, a line below it, and its rows")
    func lines() {
        let table = MarkdownTable(columns: ["", "actions", "cured"])
        #expect(
            table.lines([["nobody", "0", "-"], ["plain timer", "1440", "3 of 4"]]) == [
                "| | actions | cured |",
                "|---|---|---|",
                "| nobody | 0 | - |",
                "| plain timer | 1440 | 3 of 4 |",
            ])
        #expect(table.lines([]) == table.header)
    }
}
