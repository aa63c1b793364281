import Testing

@testable import Platform

@Suite struct CommandOutputTests {
    @Test(
        "the first line of a command's output is shown, with spaces in place of control characters",
        arguments: [
            ("", nil), ("\n", nil), ("  \t \nx", nil), ("a\nb", "a"), ("a", "a"), (" a  b\t\tc ", "a b c"),
            ("\u{1b}[31mred\u{7}", "[31mred"), ("a\u{202e}b\u{2028}c", "a b c"), ("ä€", "ä€"),
            ("a\rb", "a b"),
        ])
    func line(text: String, expected: String?) {
        #expect(CommandOutput.firstLine(of: Array(text.utf8)) == expected)
    }

    @Test("invalid UTF-8 in a command's output is replaced, and 200 characters of a long line are shown")
    func hostile() {
        #expect(CommandOutput.firstLine(of: [0xff, 0x41, 0x00, 0x42]) == "\u{fffd}A B")
        let long = CommandOutput.firstLine(of: [UInt8](repeating: 0x41, count: 4096))
        #expect(long?.count == 200)
    }
}
