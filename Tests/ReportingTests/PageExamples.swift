import Model
import Toggling

@testable import Reporting

/// The text of a history's page.
enum PageExamples {
    private typealias S = HistorySamples
    private static let minute: Int64 = 60_000

    /// The page's text as a browser shows it, without the pictures.
    static var text: [String] { shown(HistoryShownTests.page([HistoryShownTests.timeline])) }

    private static func shown(_ page: String) -> [String] {
        page.replacing(/(?s)<head>.*?<\/head>/, with: "").replacing(/(?s)<svg.*?<\/svg>/, with: "")
            .replacing(/<\/t[hd]>(?=<t)/, with: " | ").replacing(/<[^>]*>/, with: "")
            .replacing("&#39;", with: "'").replacing("&quot;", with: "\"").replacing("&amp;", with: "&")
            .split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }

    /// The title of the page, and the titles and descriptions in its pictures, one of each kind. The second
    /// picture is about a link of which only an action is recorded.
    static var pictures: [String] {
        let page = HistoryShownTests.page([
            HistoryShownTests.timeline, Timeline(of: "wlan1", [S.entry(.acted(S.action), .healthy)]),
        ])
        var kinds: Set<String> = []
        return page.matches(of: /<(title|desc)>(.*?)<\/(?:title|desc)>/).map { String($0.output.2) }.filter {
            kinds.insert(words($0)).inserted
        }
    }

    /// Lines of pages without a history, without a record, without a verdict, and with many outages.
    static var others: [String] {
        let sleeping = Timeline(
            of: "wlan1",
            [S.entry(.began(program: "0.1.0")), S.entry(.slept(.seconds(60)), at: S.instant(minute))])
        let one = Timeline(of: "wlan2", outages([.dns]))
        let layers = Array(repeating: [Layer.dns, .internet, .portal, nil], count: 126).joined()
        let pages = [
            HistoryShownTests.page([]), HistoryShownTests.page([Timeline(of: "wlan0", [])], since: S.wall),
            HistoryShownTests.page([sleeping]), HistoryShownTests.page([one]),
            HistoryShownTests.page([Timeline(of: "wlan3", outages(Array(layers)))]),
            HistoryPage([BadMonth.timeline], ("0.1.0", S.wall, nil), BadMonth.wallTime).text,
        ]
        var seen = Set(text.map(words))
        return pages.flatMap { shown($0) }.filter { !$0.contains(" | ") && seen.insert(words($0)).inserted }
    }

    /// A line without its numbers. Lines of one kind give the same text.
    private static func words(_ line: String) -> String { line.replacing(/[0-9][0-9.:hms -]*/, with: "0") }

    /// Entries with one outage every two minutes.
    private static func outages(_ layers: [Layer?]) -> [HistoryEntry] {
        let healthy = RecordedVerdict(S.healthy)
        return layers.enumerated().flatMap { number, layer in
            let at = Int64(number) * 2 * minute
            let reason =
                layer.map { "the layer \($0.rawValue) is sick" } ?? "a service of an earlier version says so"
            return [
                S.entry(
                    .changed(RecordedVerdict(.sick, layer: layer, reason: reason), since: 100_000 + at),
                    .sick,
                    at: S.instant(at)),
                S.entry(
                    .changed(healthy, since: 100_000 + at + minute), .healthy, at: S.instant(at + minute)),
            ]
        }
    }
}
