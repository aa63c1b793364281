import Testing

@testable import Invocation

@Suite("Suggestions for misspelt words")
struct SuggestionTests {
    private static let words = Command.allCases.map(\.rawValue)

    @Test(
        "a word with a typing mistake gets the right word as suggestion",
        arguments: [
            ("tgogle", "toggle"), ("togle", "toggle"), ("toggel", "toggle"), ("rn", "run"), ("runn", "run"),
            ("porbe", "probe"), ("lits", "list"), ("reconect", "reconnect"), ("recnonetc", "reconnect"),
            ("statsu", "status"),
            ("repaly", "replay"), ("urn", "run"), ("ilst", "list"), ("repiar", "repair"),
        ])
    func near(typed: String, meant: String) {
        #expect(Suggestion.nearest(to: typed, among: Self.words) == meant)
    }

    @Test(
        "a word unlike all known ones gets no suggestion",
        arguments: [
            "", "r", "x", "sun", "up", "help", "wlan0", "restart", "stop", "enable", "go", "bold", "mist",
        ])
    func far(typed: String) {
        #expect(Suggestion.nearest(to: typed, among: Self.words) == nil)
    }

    @Test("a misspelt word of a megabyte is answered without delay")
    func longWord() {
        let word = String(repeating: "toggle", count: 200_000)
        #expect(Suggestion.nearest(to: word, among: Self.words) == nil)
    }
}
