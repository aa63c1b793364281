import Testing

@testable import Reporting

@Suite("Reading JSON") struct JSONReaderTests {
    private static func written(_ text: String) throws -> String {
        try JSONReader.value(of: Array(text.utf8)[...]).line
    }

    @Test(
        "JSON of other programs is read",
        arguments: [
            ("1.5", "1.5"), ("-0.25", "-0.25"), ("3.000", "3"), ("0.0009", "0"), ("12.3456", "12.345"),
            ("[1 ,\r\n\t2]", "[1,2]"), (#""\ud83d\ude00""#, "\"\u{1f600}\""),
            (#""\b\f""#, #""\u0008\u000c""#),
            (#""\u00e4""#, "\"ä\""),
        ])
    func read(text: String, again: String) throws { #expect(try Self.written(text) == again) }

    @Test(
        "half a surrogate pair, a malformed number and a number out of range are refused",
        arguments: [
            #""\ud83d""#, #""\ud83dx""#, #""\ud83d\u0041""#, #""\ude00""#, "1.", ".5", "1.x", "1e3", "-",
            "+1", "01",
            "9223372036854775807.5", "9999999999999999.5",
        ])
    func refused(text: String) {
        #expect(throws: JSONReader.Mistake.self) { try Self.written(text) }
    }

    @Test("control and invisible characters are escaped, and read back the same")
    func steering() throws {
        let text = "a\u{9b}2J\u{202e}\u{2028}\u{e0001}\u{7f}\u{1b}z"
        let line = JSONText.string(text).line
        #expect(line.unicodeScalars.allSatisfy { (" "..<"\u{7f}").contains($0) }, "\(line)")
        guard case .string(let again) = try JSONReader.value(of: Array(line.utf8)[...]) else {
            Issue.record("no text")
            return
        }
        #expect(again == text)
    }
}
