import Model
import Testing
import Toggling

@testable import Reporting

@Suite("Lines of the history file") struct HistoryLineTests {
    private static let every: [HistoryEntry] = HistorySamples.every
    private static let file = every.flatMap { HistoryLine.bytes(of: $0) }

    @Test("the checksum is the CRC-32 of Ethernet and gzip")
    func checksum() {
        #expect(Checksum.of(Array("123456789".utf8)[...]) == 0xcbf4_3926)
        #expect(Checksum.of([]) == 0)
    }

    @Test("each kind of entry is one line, and is read back the same")
    func roundTrip() {
        #expect(HistoryLine.readings(of: Self.file) == Self.every.map { .entry($0) })
        for entry in Self.every {
            let line = HistoryLine.bytes(of: entry)
            #expect(line.first == 0x0a && line.last == 0x0a)
            #expect(line.dropFirst().dropLast().allSatisfy { $0 >= 0x20 })
        }
    }

    @Test("an entry is written in the documented form")
    func words() {
        let entry = HistorySamples.entry(.slept(.seconds(90)), .healthy)
        let text = String(decoding: HistoryLine.bytes(of: entry), as: UTF8.self)
        #expect(
            text.dropFirst(10) == """
                {"kind":"slept","interface":"wlan0","by":"run","wall_ms":1800000000000,\
                "boot":"6c1f0a2e-0000-4000-8000-000000000001","boot_ms":100000,"condition":"healthy",\
                "span_ms":90000}

                """)
    }

    @Test("a line that lacks more than its line feed gives no entry, and the next line is read")
    func torn() {
        for entry in Self.every {
            let line = HistoryLine.bytes(of: entry)
            let next = HistoryLine.bytes(of: HistorySamples.entry(.ended, .sick))
            for count in 0..<line.count {
                let readings = HistoryLine.readings(of: line.prefix(count) + next)
                #expect(readings.last == .entry(HistorySamples.entry(.ended, .sick)), "\(count)")
                // A line that lacks only its line feed is complete, and gives its entry.
                let rest = readings.dropLast()
                let isWhole = count == line.count - 1
                #expect(
                    rest.allSatisfy { $0 == (isWhole ? .entry(entry) : .damaged) } && rest.count <= 1,
                    "\(count): \(rest)")
            }
        }
    }

    @Test("a line with any one byte changed gives no entry")
    func changed() {
        let line = HistoryLine.bytes(of: Self.every[3])
        for place in 1..<line.count - 1 {
            for flip: UInt8 in [0x01, 0x20, 0x80, 0xff] {
                var bytes = line
                bytes[place] ^= flip
                #expect(!HistoryLine.readings(of: bytes).contains { $0 != .damaged }, "\(place) \(flip)")
            }
        }
    }

    @Test("zeros or blank lines after a power cut are one damaged line, and the next line is read")
    func zeros() {
        let zeros = [UInt8](repeating: 0, count: 5000)
        let after = HistoryLine.bytes(of: Self.every[0])
        #expect(HistoryLine.readings(of: zeros + after) == [.damaged, .entry(Self.every[0])])
        #expect(HistoryLine.readings(of: zeros) == [.damaged])
        #expect(HistoryLine.readings(of: []).isEmpty)
        #expect(HistoryLine.readings(of: [0x0a, 0x0a, 0x0d, 0x0a]) == [.damaged])
    }

    /// Complete lines that are not entries.
    static let strange: [String] = [
        "{}", "[]", "null", "{\"kind\":\"dreamt\"}", "not JSON",
        #"{"kind":"ended","interface":"","by":"run","wall_ms":1,"boot":"b","boot_ms":1,"condition":"sick"}"#,
        #"{"kind":"ended","interface":"w","by":"me","wall_ms":1,"boot":"b","boot_ms":1,"condition":"sick"}"#,
        #"{"kind":"ended","interface":"w","by":"run","wall_ms":-1,"boot":"b","boot_ms":1,"condition":"sick"}"#,
        #"{"kind":"ended","interface":"w","by":"run","wall_ms":253402300799001,"boot":"b","boot_ms":1,"condition":"sick"}"#,
        #"{"kind":"ended","interface":"w","by":"run","wall_ms":1,"boot":"b","boot_ms":-1,"condition":"sick"}"#,
        #"{"kind":"ended","interface":"w","by":"run","wall_ms":1,"boot":"b","boot_ms":1,"condition":"poorly"}"#,
        #"{"kind":"slept","interface":"w","by":"run","wall_ms":1,"boot":"b","boot_ms":1,"condition":"sick"}"#,
        #"{"kind":"slept","interface":"w","by":"run","wall_ms":1,"boot":"b","boot_ms":1,"condition":"sick","span_ms":-1}"#,
        #"{"kind":"changed","interface":"w","by":"run","wall_ms":1,"boot":"b","boot_ms":1,"condition":"sick","since_ms":1,"found":{"verdict":"sick","layer":"moon","reason":""}}"#,
        #"{"kind":"sampled","interface":"w","by":"run","wall_ms":1,"boot":"b","boot_ms":1,"condition":"sick","checks":-1,"unanswered":0}"#,
    ]

    @Test(
        "a line with a valid checksum whose content is no entry is classified as strange", arguments: strange)
    func isStrange(json: String) {
        #expect(Self.reading(json) == [.strange])
    }

    private static func reading(_ json: String) -> [HistoryLine.Reading] {
        let text = Array(json.utf8)
        let sum = String(Checksum.of(text[...]), radix: 16)
        let digits = String(repeating: "0", count: 8 - sum.count) + sum
        return HistoryLine.readings(of: Array("\(digits) ".utf8) + text)
    }

    @Test("if a sample's numbers are out of order or range, they are dropped, and the rest is read")
    func curves() throws {
        let head =
            #"{"kind":"sampled","interface":"w","by":"run","wall_ms":1,"boot":"b","boot_ms":1,"condition":"sick""#
        for numbers in ["[1,0,2]", "[0,0,200]", "[0,0]", "5"] {
            let json = head + #","checks":1,"unanswered":0,"signal_dbm":"# + numbers + "}"
            guard case .entry(let entry)? = Self.reading(json).first, case .sampled(let sample) = entry.what
            else { throw Missing() }
            #expect(sample.signal == nil, "\(numbers)")
        }
    }

    private struct Missing: Error {}

    @Test("an entry with texts of any length and content is written within the limit, and read back")
    func long() {
        let text = String(repeating: "\u{202e}\u{1F4A9}\n", count: 5000)
        let row = Evidence.Row(probe: text, result: .ok, roundTrip: nil, detail: text)
        let finding = RecordedVerdict(
            .sick, layer: .dns, reason: text, evidence: [Evidence.Row](repeating: row, count: 100))
        let many = [String](repeating: text, count: 100)
        let action = RecordedAction(
            cause: .sick(finding), action: text, methods: ["bounce"], outcome: finding,
            restoration: Restoration(
                lost: many, restored: many,
                refused: many.map { .init(description: $0, failure: Failure(kind: .other, description: $0)) })
        )
        for what in [HistoryEntry.What.acted(action), .changed(finding, since: 0)] {
            let line = HistoryLine.bytes(of: HistorySamples.entry(what, .sick, interface: text))
            #expect(line.count <= HistoryLine.longest)
            guard case .entry(let entry)? = HistoryLine.readings(of: line).first else {
                Issue.record("not read again")
                return
            }
            #expect(entry.condition == .sick)
            #expect(HistoryLine.bytes(of: entry) == line)
        }
    }

    @Test("a line over the limit is damaged, whatever its checksum, and is not kept in memory")
    func tooLong() {
        let after = HistoryLine.bytes(of: Self.every[0])
        let frame = HistoryLine.bytes(of: Self.long("")).count - 2
        let most = HistoryLine.longest - frame
        for (count, isRead) in [(most, true), (most + 1, false), (most + 2, false), (most * 100, false)] {
            let line = HistoryLine.bytes(of: Self.long(String(repeating: "x", count: count)))
            #expect(
                HistoryLine.readings(of: line + after)
                    == [isRead ? .strange : .damaged, .entry(Self.every[0])], "\(count)")
            var lines = HistoryLine.Reader()
            _ = lines.take(line.dropLast())
            #expect(lines.pending.count <= HistoryLine.longest + 1, "\(count)")
        }
    }

    /// A complete JSON object that is not an entry.
    private static func long(_ text: String) -> JSONText {
        .object([("kind", "ended"), ("text", .string(text))])
    }

    @Test("lines are the same for pieces of any size")
    func pieces() {
        let blanks = [UInt8](repeating: 0x20, count: 3 * HistoryLine.longest)
        let file = Array(Self.file.dropLast(30)) + blanks + Self.file
        let whole = HistoryLine.readings(of: file)
        #expect(whole.filter { $0 == .damaged }.count == 1 && whole.count == 2 * Self.every.count)
        for size in [1, 2, 333, 1 << 16] {
            var lines = HistoryLine.Reader()
            var readings: [HistoryLine.Reading] = []
            for start in stride(from: file.startIndex, to: file.endIndex, by: size) {
                readings += lines.take(Array(file[start...].prefix(size)))
            }
            #expect(readings + lines.end() == whole, "\(size)")
        }
    }

    @Test("a text is cut between characters")
    func clipped() {
        #expect("aä".clipped(to: 2) == "a")
        #expect("aä".clipped(to: 3) == "aä")
        #expect("".clipped(to: 0) == "")
    }
}
