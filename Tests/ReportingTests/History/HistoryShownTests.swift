import Foundation
import Model
import Testing
import Toggling

@testable import Reporting

@Suite("The output of history") struct HistoryShownTests {
    private typealias S = HistorySamples

    /// The time in UTC, such as `2027-01-15T08:00:00.000Z` for the samples' first time.
    static func wallTime(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Two days with an outage that a bounce ended, one that no bounce ended, an interface that was away for
    /// a while, a requested bounce, a suspend, samples and a kill.
    static let timeline: Timeline = {
        let day: Int64 = 86_400_000
        var entries = [
            S.entry(.began(program: "0.1.0")),
            S.entry(.changed(RecordedVerdict(S.healthy), since: 100_000), .healthy, at: S.instant(1000)),
        ]
        for quarter in 1...24 {
            let sample = HistorySample(
                checks: 15, unanswered: 0,
                signal: .init(least: -70 - Int64(quarter % 5), median: -62, most: -58),
                roundTrip: .init(least: 900, median: 1500 + Int64(quarter) * 100, most: 90_000))
            entries.append(
                S.entry(.sampled(sample), .healthy, at: S.instant(Int64(quarter) * 900_000)))
        }
        let sick = RecordedVerdict(S.sick)
        let useless = RecordedAction(
            cause: .sick(sick), action: "bounced", methods: ["bounce", "rfkill"], down: .seconds(3),
            outcome: sick)
        let healthy = RecordedVerdict(S.healthy)
        let asked = RecordedAction(
            cause: .asked, action: "bounced", methods: ["bounce"], down: .seconds(3), recovery: .seconds(2),
            outcome: healthy)
        entries += [
            S.entry(.changed(sick, since: 22_000_000), .sick, at: S.instant(22_010_000)),
            S.entry(.acted(S.action), .healthy, at: S.instant(22_020_000)),
            S.entry(.vanished, at: S.instant(24_000_000)),
            S.entry(.appeared, at: S.instant(26_000_000)),
            S.entry(.changed(healthy, since: 26_100_000), .healthy, at: S.instant(26_010_000)),
            S.entry(.acted(asked), .healthy, at: S.instant(28_000_000)),
            S.entry(.slept(.seconds(28_800)), .healthy, at: S.instant(60_000_000)),
            S.entry(.changed(sick, since: day), .sick, at: S.instant(day)),
            S.entry(.acted(useless), .sick, at: S.instant(day + 60_000)),
            S.entry(.ended, .sick, at: S.instant(day + 120_000)),
        ]
        return Timeline(of: "wlan0", entries)
    }()

    @Test("the table has the events, and their evidence with --verbose")
    func table() throws {
        let text = HistoryText(Self.timeline, isVerbose: true, wallTime: Self.wallTime).lines
        try compare("history.txt", with: text.joined(separator: "\n") + "\n")
        let brief = HistoryText(Self.timeline, isVerbose: false, wallTime: Self.wallTime).lines
        #expect(brief == text.filter { !$0.hasPrefix("      ") })
        let empty = HistoryText(Timeline(of: "wlan1", []), isVerbose: true, wallTime: Self.wallTime).lines
        #expect(empty == ["wlan1: no outage; no bounce"])
    }

    @Test("JSON objects are sorted by their beginning, one for each outage and each bounce")
    func json() throws {
        let lines = HistoryJSON.objects(Self.timeline, wallTime: Self.wallTime).map(\.line)
        try compare("history.json", with: lines.joined(separator: "\n") + "\n")
    }

    @Test("the HTML page equals its golden file")
    func page() throws { try compare("history.html", with: Self.page([Self.timeline])) }

    @Test("a month of a bad link is a page whose first sentences give availability and causes")
    func month() throws {
        let timeline = BadMonth.timeline
        let heading = (version: "0.1.0", now: BadMonth.begin + BadMonth.days * 86_400_000, since: Int64?.none)
        let page = HistoryPage([timeline], heading, BadMonth.wallTime).text
        for words in [
            "<strong>99.48 %</strong> available from 2027-03-12 01:00 to 2027-04-11 02:00, local time (+01:00, later +02:00)",
            "<li>9 outages, 3h 43m in all, the longest 3h from 2027-04-01 19:30 +02:00</li>",
            "<li>7 of 9 began between 02:00 and 03:00 local time</li>",
            "<li>Causes: 5 at the gateway, 4 at the association</li>",
            "<li>Recovery: 9 actions: 8 useful, 1 useless</li>",
            "<th scope=\"row\">owner</th><td class=\"word\">4</td><td class=\"word\">3</td><td class=\"word\">1</td>",
        ] { #expect(page.contains(words), "\(words)") }
        #expect(page.utf8.count < 150_000, "\(page.utf8.count)")
        try compare("history-month.html", with: page)
    }

    @Test("the hour of the day with most outages is named, and availability is never rounded up")
    func summary() {
        let summary = PageSummary(BadMonth.timeline, PageTime(wallTime: BadMonth.wallTime))
        #expect(summary.hour == "7 of 9 began between 02:00 and 03:00 local time")
        let beforeMidnight = PageSummary(
            BadMonth.timeline, PageTime(wallTime: { BadMonth.wallTime($0 - 3 * 3_600_000) }))
        #expect(beforeMidnight.hour == "7 of 9 began between 23:00 and 24:00 local time")
        let few = PageSummary(Self.timeline, PageTime(wallTime: Self.wallTime))
        #expect(few.hour == nil)
        #expect(PageSummary.percent(999_999_999, of: 1_000_000_000) == "99.99 %")
        #expect(PageSummary.percent(1, of: 1) == "100 %" && PageSummary.percent(0, of: 5) == "0.00 %")
        let hour: Int64 = 3_600_000
        #expect(PageSummary.percent(57 * hour, of: 100 * hour) == "57.00 %")
        let longest = Timestamp.wallTimes.upperBound
        #expect(PageSummary.percent(longest - 1, of: longest) == "99.99 %")
    }

    static func page(_ all: [Timeline], since: Int64? = nil) -> String {
        HistoryPage(
            all, (version: "0.1.0", now: S.wall + 90_000_000, since: since), wallTime
        ).text
    }

    /// `UPDATE_GOLDEN=1 contrib/test --only unit --filter Shown` writes the files anew.
    private func compare(_ name: String, with text: String) throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Golden/\(name)")
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try text.write(to: url, atomically: true, encoding: .utf8)
        }
        let stored = try String(contentsOf: url, encoding: .utf8)
        let pairs = zip(stored.split(separator: "\n"), text.split(separator: "\n"))
        if stored == text { return }
        let difference = pairs.first { $0 != $1 }
        Issue.record("Tests/Golden/\(name): '\(difference?.0 ?? "")' became '\(difference?.1 ?? "")'")
    }
}
