import Testing

@testable import Invocation

@Suite("Did you mean")
struct SuggestionTests {
    private static let words = Command.allCases.map(\.rawValue)

    @Test(
        "a slip of the finger is understood",
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
        "what is far from everything suggests nothing",
        arguments: [
            "", "r", "x", "sun", "up", "help", "wlan0", "restart", "stop", "enable", "go", "bold", "mist",
        ])
    func far(typed: String) {
        #expect(Suggestion.nearest(to: typed, among: Self.words) == nil)
    }

    @Test("a word of a megabyte is answered at once")
    func longWord() {
        let word = String(repeating: "toggle", count: 200_000)
        #expect(Suggestion.nearest(to: word, among: Self.words) == nil)
    }
}
