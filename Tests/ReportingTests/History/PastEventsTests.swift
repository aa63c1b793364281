import Model
import Testing
import Toggling

@testable import Reporting

@Suite("The last events from before the service's start") struct PastEventsTests {
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
        events(file, piece: piece).action
    }

    private static func events(_ file: [UInt8], piece: Int? = nil) -> PastEvents {
        var search = PastEventsSearch()
        let size = piece ?? max(1, file.count)
        for start in stride(from: 0, to: file.count, by: size) {
            search.take(Array(file[start..<min(start + size, file.count)]))
        }
        return search.end()
    }

    @Test(
        "the last action is found if the file is read in pieces of any size, whatever entries follow",
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
        #expect(found?.action.action == "bounced" && found?.moment.at == HistorySamples.instant(2000))
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
            #expect(Self.found(first + torn)?.action.action == "recovered", "octet \(place)")
            #expect(Self.found(torn) == nil)
        }
        #expect(Self.found(first + second.prefix(second.count / 2))?.action.action == "recovered")
        #expect(Self.found([]) == nil)
        #expect(Self.found(Self.entry(.ended, HistorySamples.instant(0))) == nil)
        #expect(Self.found([UInt8](repeating: 7, count: 100_000)) == nil)
    }

    @Test(
        "an action's age is measured by the boot clock in its own boot, later by that boot's last wall time")
    func instants() throws {
        // In that boot, the wall clock started at 1970, and was set a minute later.
        let lost = HistorySamples.instant(0, wall: 0)
        let file =
            Self.entry(Self.action("bounced"), lost) + Self.entry(.ended, HistorySamples.instant(60_000))
        let found = try #require(Self.found(file)?.moment)
        let now = Timestamp(wall: HistorySamples.wall + 3_600_000, boot: Self.today, sinceBoot: 5000)
        #expect(found.instant(at: now) == .boot + .milliseconds(5000 - 3_600_000))
        // The current wall clock was set back since, or is not set yet.
        let early = Timestamp(wall: 0, boot: Self.today, sinceBoot: 5000)
        #expect(found.instant(at: early) == .boot + .milliseconds(5000))
        // The longest uptime that an entry may have gives an impossible time, which is limited to a century
        // ago.
        let uptime = Timestamp.uptimes.upperBound
        let absurd = Timestamp(wall: 0, boot: HistorySamples.boot, sinceBoot: uptime)
        let strange = try #require(
            Self.found(Self.entry(Self.action("bounced"), lost) + Self.entry(.ended, absurd))?.moment)
        #expect(strange.instant(at: now) == .boot + .seconds(5) + .seconds(-36_500 * 86_400))
        // Entries of a later boot do not change the time.
        let other = Self.entry(.began(program: "1"), HistorySamples.instant(0, boot: Self.today, wall: 1))
        #expect(Self.found(file + other)?.moment == found)
        let same = Timestamp(wall: 7, boot: HistorySamples.boot, sinceBoot: 130_000)
        #expect(found.instant(at: same) == .boot + .milliseconds(100_000))
    }

    // MARK: Outages

    private static func changed(
        _ condition: Health.Condition, at instant: Timestamp, since: Int64 = 0
    ) -> HistoryEntry {
        let verdict = condition == .healthy ? HistorySamples.healthy : HistorySamples.sick
        return HistorySamples.entry(
            .changed(RecordedVerdict(verdict), since: since), condition, at: instant)
    }

    private static func bytes(_ entries: [HistoryEntry]) -> [UInt8] { entries.flatMap(HistoryLine.bytes) }

    /// The last outage in a file with these entries, in milliseconds since 1970; nil: there is none.
    static func outage(_ entries: [HistoryEntry]) -> (begin: Int64, end: Int64)? {
        events(bytes(entries)).outage.map {
            ($0.begin.bootBegin + $0.begin.at.sinceBoot, $0.end.bootBegin + $0.end.at.sinceBoot)
        }
    }

    @Test("an outage that a power cut interrupted is not over, and the next boot knows its beginning")
    func interrupted() throws {
        let since = HistorySamples.instant(60_000).sinceBoot
        let cut = Self.bytes([
            Self.changed(.healthy, at: HistorySamples.instant(1000)),
            Self.changed(.sick, at: HistorySamples.instant(70_000), since: since),
        ])
        let past = Self.events(cut)
        #expect(past.outage == nil)
        let begin = try #require(past.sickSince)
        let now = Timestamp(wall: HistorySamples.wall + 360_000, boot: Self.today, sinceBoot: 20_000)
        #expect(begin.instant(at: now) == .boot + .seconds(20 - 300))
        // The next boot's service found the link healthy; then the service was restarted.
        let end = HistorySamples.instant(300_000, boot: Self.today)
        let over = Self.events(cut + Self.bytes([Self.changed(.healthy, at: end)]))
        #expect(over.sickSince == nil && over.outage?.begin == begin && over.outage?.end.at == end)
    }

    @Test("a reboot counts only if the service has checked the link after it")
    func reboot() {
        let verdict = HistorySamples.sick
        let ordered = HistorySamples.entry(
            .acted(RecordedAction(rebooting: verdict)), .sick, at: HistorySamples.instant(1000))
        #expect(Self.events(Self.bytes([ordered])).reboot == nil)
        let checked = HistorySamples.entry(
            .acted(
                RecordedAction(
                    cause: .sick(RecordedVerdict(verdict)), action: "recovered", methods: ["reboot"],
                    outcome: RecordedVerdict(HistorySamples.healthy))),
            .healthy, at: HistorySamples.instant(90_000, boot: Self.today))
        let past = Self.events(Self.bytes([ordered, checked]))
        #expect(past.reboot?.at == checked.at && past.outage?.end.at == checked.at)
    }

    @Test("the search finds the same last outage as the timeline, for any entries", arguments: 0..<200)
    func sameAsTimeline(seed: Int) {
        var number = UInt64(seed)
        func pick(_ count: UInt64) -> Int {
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((number >> 33) % count)
        }
        let entries: [HistoryEntry] = (0..<12).map { place in
            let instant = HistorySamples.instant(Int64(place) * 10_000, boot: place < 6 ? "one" : "two")
            let condition = Health.Condition.allCases[pick(3)]
            let command = HistoryEntry.Command.allCases[pick(3)]
            let what: HistoryEntry.What =
                switch pick(7) {
                case 0, 1, 2:
                    .changed(
                        RecordedVerdict(HistorySamples.sick), since: instant.sinceBoot - Int64(pick(9000)))
                case 3: .acted(HistorySamples.action)
                case 4: .vanished
                case 5: .began(program: "1")
                default: .ended
                }
            return HistorySamples.entry(what, condition, at: instant, by: command)
        }
        let past = Self.events(Self.bytes(entries))
        let timeline = Timeline(of: "wlan0", entries)
        func time(_ moment: PastMoment?) -> Int64? { moment.map { $0.bootBegin + $0.at.sinceBoot } }
        let over = timeline.outages.last { $0.how != nil }
        #expect(time(past.outage?.begin) == over?.begin && time(past.outage?.end) == over?.end)
        #expect(time(past.sickSince) == timeline.outages.last { $0.how == nil }?.begin)
    }
}
