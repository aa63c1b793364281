import Foundation
import Testing
import Toggling

@testable import Service

@Suite("The history as it is shown") struct HistoryShownTests {
    private typealias S = HistorySamples

    /// `2027-01-15T08:00:00.000Z` for the first moment of the samples.
    static func wallTime(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Two days with an outage that a bounce ended, one that none did, an interface that was away for a while, a bounce
    /// that somebody asked for, a suspend, samples and a kill.
    static let annals: Annals = {
        let day: Int64 = 86_400_000
        var entries = [
            S.entry(.began(program: "0.1.0")),
            S.entry(.changed(HistoryFinding(S.healthy), since: 100_000), .healthy, at: S.moment(1000)),
        ]
        for quarter in 1...24 {
            let sample = HistorySample(
                looks: 15, unanswered: 0,
                signal: .init(least: -70 - Int64(quarter % 5), median: -62, most: -58),
                roundTrip: .init(least: 900, median: 1500 + Int64(quarter) * 100, most: 90_000))
            entries.append(
                S.entry(.sampled(sample), .healthy, at: S.moment(Int64(quarter) * 900_000)))
        }
        let sick = HistoryFinding(S.sick)
        let useless = HistoryDeed(
            cause: .sick(sick), action: "bounced", methods: ["bounce", "rfkill"], down: .seconds(3),
            outcome: sick)
        let healthy = HistoryFinding(S.healthy)
        let asked = HistoryDeed(
            cause: .asked, action: "bounced", methods: ["bounce"], down: .seconds(3), recovery: .seconds(2),
            outcome: healthy)
        entries += [
            S.entry(.changed(sick, since: 22_000_000), .sick, at: S.moment(22_010_000)),
            S.entry(.acted(S.deed), .healthy, at: S.moment(22_020_000)),
            S.entry(.vanished, at: S.moment(24_000_000)),
            S.entry(.appeared, at: S.moment(26_000_000)),
            S.entry(.changed(healthy, since: 26_100_000), .healthy, at: S.moment(26_010_000)),
            S.entry(.acted(asked), .healthy, at: S.moment(28_000_000)),
            S.entry(.slept(.seconds(28_800)), .healthy, at: S.moment(60_000_000)),
            S.entry(.changed(sick, since: day), .sick, at: S.moment(day)),
            S.entry(.acted(useless), .sick, at: S.moment(day + 60_000)),
            S.entry(.ended, .sick, at: S.moment(day + 120_000)),
        ]
        return Annals(of: "wlan0", entries)
    }()

    @Test("a table of what happened, with what it rests on where that is wanted")
    func table() throws {
        let text = HistoryText(Self.annals, isVerbose: true, wallTime: Self.wallTime).lines
        try compare("history.txt", with: text.joined(separator: "\n") + "\n")
        let brief = HistoryText(Self.annals, isVerbose: false, wallTime: Self.wallTime).lines
        #expect(brief == text.filter { !$0.hasPrefix("      ") })
        let empty = HistoryText(Annals(of: "wlan1", []), isVerbose: true, wallTime: Self.wallTime).lines
        #expect(empty == ["wlan1: no outage; no bounce"])
    }

    @Test("JSON objects in the order in which things began, one of each outage and each bounce")
    func json() throws {
        let lines = HistoryRecord.objects(Self.annals, wallTime: Self.wallTime).map(\.line)
        try compare("history.json", with: lines.joined(separator: "\n") + "\n")
    }

    @Test("a page for a browser")
    func page() throws { try compare("history.html", with: Self.page([Self.annals])) }

    static func page(_ all: [Annals], since: Int64? = nil) -> String {
        HistoryPage(
            all, HistoryPage.Heading(version: "0.1.0", now: S.wall + 90_000_000, since: since), wallTime
        ).text
    }

    /// `UPDATE_GOLDEN=1 swift test --filter Shown` writes the files anew.
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
