import Model
import Testing
import Toggling

@testable import Reporting

@Suite("The last action from before the service's start") struct PastActionTests {
    private static let today = "today"

    private static func entry(_ what: HistoryEntry.What, _ instant: Timestamp) -> [UInt8] {
        HistoryLine.bytes(of: HistorySamples.entry(what, at: instant))
    }

    private static func action(_ word: String) -> HistoryEntry.What {
        var action = HistorySamples.action
        action.action = word
        return .acted(action)
    }

    private static func found(_ file: [UInt8], piece: Int? = nil) -> PastAction? {
        var search = PastActionSearch()
        let size = piece ?? max(1, file.count)
        for start in stride(from: 0, to: file.count, by: size) {
            search.take(Array(file[start..<min(start + size, file.count)]))
        }
        return search.end()
    }

    @Test(
        "the last action is found for pieces of any size, and entries behind it do not matter",
        arguments: [1, 7, 4096])
    func last(piece: Int) {
        let file =
            Self.entry(.began(program: "1"), HistorySamples.instant(0))
            + Self.entry(Self.action("recovered"), HistorySamples.instant(1000))
            + Self.entry(Self.action("bounced"), HistorySamples.instant(2000))
            + Self.entry(
                .changed(RecordedVerdict(HistorySamples.healthy), since: 3), HistorySamples.instant(3000))
            + Self.entry(.ended, HistorySamples.instant(4000))
        let found = Self.found(file, piece: piece)
        #expect(found?.action.action == "bounced" && found?.at == HistorySamples.instant(2000))
        // The last line of a file may lack its line feed.
        let cut = Self.entry(Self.action("bounced"), HistorySamples.instant(1))
        #expect(Self.found(cut.dropLast(), piece: piece)?.action.action == "bounced")
    }

    @Test("damaged lines are ignored, and an empty file has no action")
    func damaged() {
        let first = Self.entry(Self.action("recovered"), HistorySamples.instant(1000))
        let second = Self.entry(Self.action("bounced"), HistorySamples.instant(2000))
        for place in [9, 40, second.count / 2, second.count - 3] {
            var torn = second
            torn[place] ^= 1
            #expect(Self.found(first + torn)?.action.action == "recovered", "byte \(place)")
            #expect(Self.found(torn) == nil)
        }
        #expect(Self.found(first + second.prefix(second.count / 2))?.action.action == "recovered")
        #expect(Self.found([]) == nil)
        #expect(Self.found(Self.entry(.ended, HistorySamples.instant(0))) == nil)
        #expect(Self.found([UInt8](repeating: 7, count: 100_000)) == nil)
    }

    @Test(
        "an action's age is by the boot clock in the same boot, else by the wall clock as last set")
    func instants() throws {
        // Its clock began somewhere in the past, and was set a minute later.
        let lost = HistorySamples.instant(0, wall: 0)
        let file =
            Self.entry(Self.action("bounced"), lost) + Self.entry(.ended, HistorySamples.instant(60_000))
        let found = try #require(Self.found(file))
        let now = Timestamp(wall: HistorySamples.wall + 3_600_000, boot: Self.today, sinceBoot: 5000)
        #expect(found.instant(at: now) == .boot + .milliseconds(5000 - 3_600_000))
        // A clock that was set back since, or is not set yet.
        let early = Timestamp(wall: 0, boot: Self.today, sinceBoot: 5000)
        #expect(found.instant(at: early) == .boot + .milliseconds(5000))
        // A time that no clock has ever shown.
        let uptime = Timestamp.uptimes.upperBound
        let absurd = Timestamp(wall: 0, boot: HistorySamples.boot, sinceBoot: uptime)
        let strange = try #require(
            Self.found(Self.entry(Self.action("bounced"), lost) + Self.entry(.ended, absurd)))
        #expect(strange.instant(at: now) == .boot + .seconds(5) + .seconds(-36_500 * 86_400))
        // The later clock of another boot does not matter.
        let other = Self.entry(.began(program: "1"), HistorySamples.instant(0, boot: Self.today, wall: 1))
        #expect(Self.found(file + other) == found)
        let same = Timestamp(wall: 7, boot: HistorySamples.boot, sinceBoot: 130_000)
        #expect(found.instant(at: same) == .boot + .milliseconds(100_000))
    }
}
