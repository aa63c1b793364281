import Model
import Testing
import Toggling

@testable import Reporting

@Suite("The history on the control socket") struct HistoryReadingTests {
    private typealias S = HistorySamples

    private static let sick = RecordedVerdict(S.sick)
    private static let minute: Int64 = 60_000

    /// Entries with one outage a minute. A bounce ends each outage, and a sample follows it.
    private static func outages(_ count: Int, from first: Int64 = 0) -> [HistoryEntry] {
        let sample = HistorySample(checks: 15, unanswered: 0, signal: nil, roundTrip: nil)
        return (0..<Int64(count)).flatMap { number in
            let at = first + number * minute
            return [
                S.entry(.changed(sick, since: S.instant(at).sinceBoot), .sick, at: S.instant(at + 1000)),
                S.entry(.acted(S.action), .healthy, at: S.instant(at + 9000)),
                S.entry(.sampled(sample), .healthy, at: S.instant(at + 20_000)),
            ]
        }
    }

    private static func file(_ entries: [HistoryEntry]) -> [UInt8] {
        entries.flatMap { HistoryLine.bytes(of: $0) }
    }

    /// The lines of `history --json`.
    private static func lines(_ name: String, _ entries: [HistoryEntry], since: Int64? = nil) -> [String] {
        let timeline = Timeline(of: name, entries)
        return HistoryJSON.objects(
            since.map(timeline.since) ?? timeline, wallTime: HistoryShownTests.wallTime
        )
        .map(\.line)
    }

    @Test("the records equal those of history --json, for reads of any size, with and without `more`")
    func same() throws {
        let entries = S.every + Self.outages(30, from: 100_000)
        let fake = FakeArchive(["wlan0": Self.file(entries)])
        let lines = Self.lines("wlan0", entries)
        #expect(lines.count == 65)
        for piece in [1, 7, 4096, 1 << 20] {
            fake.piece = piece
            let told = try fake.tell()
            #expect(told.records == lines, "in pieces of \(piece)")
            #expect(told.continues.last == false && told.continues.dropLast().allSatisfy { $0 == true })
            #expect(told.leftOut.allSatisfy { $0 == 0 })
        }
        let told = try fake.tell(more: false)
        #expect(told.records == lines && told.continues == [false] && told.leftOut == [0])
    }

    @Test("records that ended before the given time are left out, and all others are sent")
    func since() throws {
        let entries = Self.outages(10)
        let fake = FakeArchive(["wlan0": Self.file(entries)])
        let instant = S.wall + 5 * Self.minute + 5000
        let lines = Self.lines("wlan0", entries, since: instant)
        #expect(lines.count == 10)
        #expect(try fake.tell(since: instant).records == lines)
        #expect(try fake.tell(since: .max).records.isEmpty)
    }

    @Test("the records are sent interface by interface; without any record there is one empty reply")
    func several() throws {
        let first = Self.outages(2)
        let second = Self.outages(3, from: -Self.minute / 2)
        let fake = FakeArchive(["wlan1": Self.file(second), "wlan0": Self.file(first), "wlan2": []])
        #expect(try fake.tell().records == Self.lines("wlan0", first) + Self.lines("wlan1", second))
        #expect(try fake.tell(["wlan1"]).records == Self.lines("wlan1", second))
        for more in [false, true] {
            for names in [[], ["wlan2"]] {
                let told = try fake.tell(names, more: more)
                #expect(told.records.isEmpty && told.continues == [false] && told.leftOut == [0])
            }
        }
    }

    @Test("a single reply is limited to the newest records of all interfaces, and counts those left out")
    func newest() throws {
        let early = Self.outages(100)
        let late = Self.outages(100, from: 50 * Self.minute)
        let fake = FakeArchive(["wlan0": Self.file(late), "wlan1": Self.file(early)])
        let told = try fake.tell(more: false)
        let all = Self.lines("wlan0", late) + Self.lines("wlan1", early)
        #expect(told.continues == [false])
        #expect(told.sizes[0] <= HistoryReplies.longest + 1024 && told.sizes[0] > HistoryReplies.longest / 2)
        #expect(told.leftOut == [Int64(all.count - told.records.count)])
        // The kept records are in order, and none newer than the oldest kept one is left out.
        let kept = Set(told.records)
        #expect(told.records == all.filter(kept.contains) && kept.count < all.count)
        let begin = { (line: String) in
            line.split(separator: "\"begin\":\"").last.flatMap { $0.split(separator: "\"").first } ?? ""
        }
        let outages = { (lines: [String]) in lines.filter { $0.contains("\"kind\":\"outage\"") }.map(begin) }
        let oldest = try #require(outages(told.records).min())
        #expect(outages(all.filter { !kept.contains($0) }).allSatisfy { $0 <= oldest })
        #expect(try fake.tell().records == all)
    }

    @Test("a full file is sent in replies of limited size, with limited work in each turn")
    func bounded() throws {
        let entries = Self.outages(1000)
        let fake = FakeArchive(["wlan0": Self.file(entries)])
        fake.piece = 1 << 14
        #expect(fake.files["wlan0"]?.count ?? 0 > 1 << 20)
        let told = try fake.tell()
        #expect(told.records.count == 2000)
        #expect(told.sizes.allSatisfy { $0 <= HistoryReplies.piece + HistoryLine.longest }, "\(told.sizes)")
        // Silent turns read the file's pieces, and process the entries that are not samples.
        let pieces = (fake.files["wlan0"]?.count ?? 0) / fake.piece
        #expect(told.silentTurns >= pieces + 2000 / HistoryReading.mostEntries, "\(told.silentTurns)")
    }

    @Test("torn, strange and overlong lines are left out, and the lines behind them are sent")
    func damaged() throws {
        let entries = Self.outages(2)
        let strange = HistoryLine.bytes(of: .object([("kind", "dreamt")]))
        let long = HistoryLine.bytes(of: .string(String(repeating: "x", count: 100_000)))
        let torn = Array(HistoryLine.bytes(of: entries[1]).dropLast(20))
        let zeros = [UInt8](repeating: 0, count: 9000)
        let whole = entries.map { HistoryLine.bytes(of: $0) }
        let parts: [[UInt8]] =
            [torn, whole[0], strange, whole[1], long, whole[2], zeros] + whole[3...] + [torn]
        let bytes = Array(parts.joined())
        let fake = FakeArchive(["wlan0": bytes])
        for piece in [100, 4096, 1 << 20] {
            fake.piece = piece
            #expect(try fake.tell().records == Self.lines("wlan0", entries))
        }
    }

    @Test("an outage that is not over lasts until the last entry, which may be a sample")
    func open() throws {
        let entries = Array(Self.outages(2).dropLast(2))
        let sample = HistorySample(checks: 1, unanswered: 1, signal: nil, roundTrip: nil)
        let samples = (1...3).map {
            S.entry(.sampled(sample), .sick, at: S.instant(Self.minute + $0 * 900_000))
        }
        let fake = FakeArchive(["wlan0": Self.file(entries + samples)])
        let records = try fake.tell().records
        #expect(records == Self.lines("wlan0", entries + samples))
        #expect(records.last?.contains("\"duration_ms\":2700000") == true, "\(records)")
    }

    @Test("a disk that is not ready is read again, a limited number of times")
    func pauses() throws {
        let entries = Self.outages(10)
        let fake = FakeArchive(["wlan0": Self.file(entries)])
        fake.pauses = HistoryReading.mostPauses
        let told = try fake.tell()
        #expect(told.records == Self.lines("wlan0", entries) && told.pauses > HistoryReading.mostPauses)
        fake.pauses += 1
        for more in [false, true] {
            let failed = try fake.tell(more: more)
            #expect(failed.error?.name == "wifitoggler.Control.NotRead" && failed.replies.count == 1)
            #expect(
                failed.error?.reason?.contains("wlan0") == true && failed.pauses == HistoryReading.mostPauses)
        }
    }

    @Test("a file that cannot be read is an error with the reason")
    func failed() throws {
        let fake = FakeArchive(["wlan0": []])
        fake.failure = "/state/wlan0.history: Input/output error"
        let told = try fake.tell()
        #expect(told.error?.name == "wifitoggler.Control.NotRead" && told.error?.reason == fake.failure)
    }
}
