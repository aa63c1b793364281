import Testing

@testable import HelperProtocol

@Suite("Answers of the helper")
struct HelperAnswerTests {
    static let answers: [HelperAnswer] = [
        .answered(roundTrip: .microseconds(1234), detail: "192.0.2.1 says a.example is at 198.51.100.7"),
        .unanswered(detail: "192.0.2.1 did not answer"),
        .refuted(.dns, roundTrip: .milliseconds(3), detail: "192.0.2.1 lies"),
        .refuted(.internet, roundTrip: .zero, detail: "x"),
        .refuted(
            .portal, roundTrip: .seconds(3600),
            detail: String(repeating: "x", count: HelperAnswer.longestDetail)),
        .unknown(code: 19, description: "No such device"),
    ].map { HelperAnswer(id: 0x0102_0304, $0) }

    @Test("each kind of answer is read back as it was written", arguments: answers)
    func same(answer: HelperAnswer) {
        #expect(HelperAnswer(answer.bytes) == answer)
        #expect(answer.bytes.count <= HelperAnswer.longest)
    }

    @Test("a truncated answer, and an answer with bytes after its end, are invalid", arguments: answers)
    func whole(answer: HelperAnswer) {
        let bytes = answer.bytes
        for count in bytes.indices { #expect(HelperAnswer(Array(bytes.prefix(count))) == nil, "\(count)") }
        #expect(HelperAnswer(bytes + [0]) == nil)
    }

    @Test(
        "an answer with one byte changed is refused, or has printable text and can be written and read back",
        arguments: answers)
    func changes(answer: HelperAnswer) {
        let bytes = answer.bytes
        for position in bytes.indices {
            for byte in [0, 1, 2, 3, 4, 5, 0x0a, 0x1b, 0x1f, 0x20, 0x7e, 0x7f, 0x80, 0xf1, 0xff] as [UInt8] {
                guard let read = HelperAnswer(changed(bytes, at: position, to: byte)) else { continue }
                #expect(HelperAnswer(read.bytes) == read, "\(position): \(byte)")
                #expect(read.detail.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "\(position): \(byte)")
            }
        }
    }

    /// What a helper under an attacker's control might send.
    static let lies: [(String, [UInt8])] = [
        ("nothing", []),
        ("another word", [0x51, 0, 0, 0, 1, 2, 0, 1, 0x78]),
        ("a kind that is none", [0x41, 0, 0, 0, 1, 5, 0, 1, 0x78]),
        ("a fault at a layer that it is not asked about", [0x41, 0, 0, 0, 1, 3, 5, 0, 0, 0, 1, 0, 1, 0x78]),
        ("a round trip of more than an hour", [0x41, 0, 0, 0, 1, 1, 0xff, 0xff, 0xff, 0xff, 0, 1, 0x78]),
        ("no words", [0x41, 0, 0, 0, 1, 2, 0, 0]),
        ("a second line", [0x41, 0, 0, 0, 1, 2, 0, 2, 0x78, 0x0a]),
        ("an escape", [0x41, 0, 0, 0, 1, 2, 0, 2, 0x1b, 0x5b]),
        ("more words than there are", [0x41, 0, 0, 0, 1, 2, 0xff, 0xff, 0x78]),
        ("more words than are read", [0x41, 0, 0, 0, 1, 2, 0, 241] + [UInt8](repeating: 0x78, count: 241)),
        ("an errno beyond all", [0x41, 0, 0, 0, 1, 4, 0x10, 0, 0, 1, 0x78]),
        ("a megabyte", [UInt8](repeating: 0x41, count: 1 << 20)),
    ]

    @Test("a malformed answer is refused", arguments: lies.indices)
    func refuses(row: Int) { #expect(HelperAnswer(Self.lies[row].1) == nil, "\(Self.lies[row].0)") }

    @Test("a round trip, an errno and a description beyond their limits are brought within them")
    func bounded() {
        let late = HelperAnswer(id: 1, .answered(roundTrip: .seconds(1 << 40), detail: "x"))
        #expect(HelperAnswer(late.bytes)?.outcome == .answered(roundTrip: .seconds(3600), detail: "x"))
        let wordy = HelperAnswer(
            id: 1, .unanswered(detail: "a\u{1b}[31m\né" + String(repeating: "x", count: 999)))
        let read = HelperAnswer(wordy.bytes)
        #expect(read?.detail.hasPrefix("a?[31m???xxx") == true)
        #expect(read?.detail.hasSuffix("xxx...") == true)
        #expect(read?.detail.utf8.count == HelperAnswer.longestDetail)
        #expect(
            HelperAnswer(HelperAnswer(id: 1, .unknown(code: -5, description: "x")).bytes)?.outcome
                == .unknown(code: 0, description: "x"))
    }
}

extension HelperAnswer {
    fileprivate var detail: String {
        switch outcome {
        case .answered(_, let detail), .unanswered(let detail), .refuted(_, _, let detail),
            .unknown(_, let detail):
            detail
        }
    }
}
