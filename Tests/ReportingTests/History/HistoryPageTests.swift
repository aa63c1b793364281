import Foundation
import FoundationXML
import Model
import Testing
import Toggling

@testable import Reporting

@Suite("The history as an HTML page") struct HistoryPageTests {
    private typealias S = HistorySamples

    /// The elements that an XML parser finds in a page. The parser knows nothing about HTML and accepts no
    /// error.
    private final class Elements: NSObject, XMLParserDelegate {
        struct Element {
            var name: String
            var attributes: [String: String]
        }

        private(set) var all: [Element] = []
        private(set) var text = ""

        init(_ page: String) throws {
            super.init()
            // The XML parser does not accept HTML's document type.
            let parser = XMLParser(data: Data(page.replacing("<!DOCTYPE html>", with: "").utf8))
            parser.delegate = self
            guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadUnknown) }
        }

        func parser(
            _: XMLParser, didStartElement name: String, namespaceURI _: String?, qualifiedName _: String?,
            attributes: [String: String]
        ) {
            all.append(Element(name: name, attributes: attributes))
        }

        func parser(_: XMLParser, foundCharacters characters: String) { text += characters }

        func count(_ name: String) -> Int { all.filter { $0.name == name }.count }
    }

    /// The value of every text that can come from outside.
    private static let hostile =
        "\"><script>alert('1')</script><img src=x onerror=alert(1)>&amp;]]>\u{202e}\u{0}\u{8}\u{fffe}\u{1f468}\u{200d}"

    private static var hostileTimeline: Timeline {
        let row = Evidence.Row(probe: hostile, result: .failed, roundTrip: nil, detail: hostile)
        let finding = RecordedVerdict(.sick, layer: .dns, reason: hostile, evidence: [row])
        let action = RecordedAction(
            cause: .sick(finding), action: hostile, methods: [hostile], outcome: finding,
            restoration: Restoration(
                lost: [hostile], restored: [hostile],
                refused: [.init(description: hostile, failure: Failure(kind: .other, description: hostile))]))
        return Timeline(
            of: hostile,
            [
                S.entry(.began(program: hostile)),
                S.entry(.changed(finding, since: 0), .sick, at: S.instant(1000)),
                S.entry(.acted(action), .sick, at: S.instant(2000)),
                S.entry(.changed(finding, since: 0), at: S.instant(3000)),
            ])
    }

    private static var pages: [String] {
        [
            HistoryShownTests.page([HistoryShownTests.timeline]), HistoryShownTests.page([]),
            HistoryShownTests.page([Timeline(of: "wlan0", [])], since: 0),
            HistoryShownTests.page([HistoryShownTests.timeline, hostileTimeline]),
        ]
    }

    @Test("the page is well-formed for any text")
    func wellFormed() throws {
        for page in Self.pages { _ = try Elements(page) }
    }

    @Test("the page has no scripts and no links to other places")
    func selfContained() throws {
        let known: Set<String> = [
            "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "section",
            "figure", "figcaption", "svg", "desc", "rect", "line", "text", "path", "polygon", "polyline",
            "circle", "g", "div", "ul", "li", "strong", "footer", "table", "caption", "thead", "tbody", "tr",
            "th", "td",
        ]
        for page in Self.pages {
            let elements = try Elements(page)
            #expect(Set(elements.all.map(\.name)).subtracting(known).isEmpty)
            for element in elements.all {
                let names = element.attributes.keys
                #expect(!names.contains { $0.hasPrefix("on") || ["src", "href", "style"].contains($0) })
            }
            for word in ["http:", "https:", "url(", "@import", "javascript:"] {
                #expect(!page.contains(word), "\(word)")
            }
            #expect(page.contains("default-src 'none'"))
        }
    }

    @Test("a text from outside is shown, and cannot act as markup")
    func hostile() throws {
        let elements = try Elements(HistoryShownTests.page([Self.hostileTimeline]))
        #expect(elements.text.contains("\"><script>alert('1')</script><img src=x"))
        #expect(
            !elements.text.unicodeScalars.contains {
                $0.properties.generalCategory == .format || $0.value & 0xfffe == 0xfffe && $0.value < 0xfffe
            })
    }

    @Test(
        "the page has titles, descriptions, ordered headings and table heads for screen readers"
    )
    func accessible() throws {
        let elements = try Elements(HistoryShownTests.page([HistoryShownTests.timeline]))
        let identifiers = elements.all.compactMap { $0.attributes["id"] }
        #expect(Set(identifiers).count == identifiers.count)
        let pictures = elements.all.filter { $0.name == "svg" }
        #expect(pictures.count == 3)
        for picture in pictures {
            #expect(picture.attributes["role"] == "img")
            let label = picture.attributes["aria-label"] ?? ""
            #expect(label.contains("wlan0 from 2027-01-15 08:00 to ") && label.contains(": "))
        }
        #expect(elements.count("desc") == 3)
        #expect(elements.all.first?.attributes["lang"] == "en")
        let headings = elements.all.map(\.name).filter { ["h1", "h2", "h3"].contains($0) }
        #expect(headings == ["h1", "h2", "h3", "h3", "h3", "h3", "h3"])
        #expect(elements.count("table") == 6 && elements.count("caption") == 6)
        #expect(elements.all.filter { $0.name == "th" }.allSatisfy { $0.attributes["scope"] != nil })
    }

    @Test("every outage, action and day is in the picture and in the tables")
    func complete() throws {
        let timeline = HistoryShownTests.timeline
        let elements = try Elements(HistoryShownTests.page([timeline]))
        // Besides these, the legend has one symbol for each kind of bar and action.
        let bars = elements.all.filter { $0.name == "rect" && $0.attributes["class"] != "hover" }
        #expect(bars.count == timeline.spans.count + Set(timeline.spans.map(\.state)).count)
        #expect(
            elements.count("path") == timeline.actions.count + Set(timeline.actions.map(\.action.use)).count)
        #expect(elements.count("polyline") == 2)
        #expect(elements.text.contains("2027-01-15") && elements.text.contains("-62 dBm"))
        for outage in timeline.outages { #expect(elements.text.contains(outage.ended)) }
    }

    @Test("states differ by height, useful and useless actions by shape, and a legend explains both")
    func signs() throws {
        let timeline = HistoryShownTests.timeline
        #expect(Set(timeline.spans.map(\.state)).count == Timeline.Span.State.allCases.count)
        #expect(Set(timeline.actions.map(\.action.use)).count == RecordedAction.Use.allCases.count)
        let elements = try Elements(HistoryShownTests.page([timeline]))
        func signs(_ element: String, _ check: (String) -> String?) -> [String: Set<String>] {
            elements.all.filter { $0.name == element && $0.attributes["class"] != "hover" }.reduce(into: [:])
            { signs, element in
                guard let name = element.attributes["class"] else { return }
                signs[name, default: []].insert(
                    check(element.attributes["d"] ?? element.attributes["height"] ?? "") ?? "")
            }
        }
        // Compare the shapes alone: leave out the first position of each path.
        let forms = signs("path") { $0.split(separator: " ").dropFirst(3).joined(separator: " ") }
        #expect(Set(forms.keys) == Set(RecordedAction.Use.allCases.map(\.rawValue)))
        #expect(
            forms.values.allSatisfy { $0.count == 1 } && Set(forms.values).count == forms.count, "\(forms)")
        // Each state has two heights: one in the picture, and a smaller one in the legend.
        let heights = signs("rect") { $0 }
        #expect(Set(heights.keys) == Set(Timeline.Span.State.allCases.map(\.rawValue)))
        for place in [0, 1] {
            let sorted = heights.mapValues { $0.compactMap(Double.init).sorted()[place] }
            #expect(heights.values.allSatisfy { $0.count == 2 } && Set(sorted.values).count == sorted.count)
        }
        for words in ["useful action", "useless action", "unclear action"] {
            #expect(elements.text.contains("\(words)\n"), "\(words)")
        }
        let label = elements.all.first { $0.name == "svg" }?.attributes["aria-label"] ?? ""
        #expect(
            label.hasSuffix("absent for 33m 20s, asleep for 8h; 3 actions: 1 useful, 1 useless, 1 unclear."),
            "\(label)")
        let quiet = Timeline(
            of: "wlan0", [S.entry(.began(program: "0.1.0")), S.entry(.ended, at: S.instant(1000))])
        let few = try Elements(HistoryShownTests.page([quiet]))
        #expect(few.count("path") == 0 && few.count("rect") == 2)
    }

    @Test("a curve has a gap where samples are missing, and a single sample is a point")
    func gap() throws {
        let spread = HistorySample.Spread(least: -70, median: -60, most: -50)
        let sample = HistorySample(checks: 1, unanswered: 0, signal: spread, roundTrip: nil)
        let entries = [0, 15, 30, 90, 200].map { minute in
            S.entry(.sampled(sample), .healthy, at: S.instant(Int64(minute) * 60_000))
        }
        let elements = try Elements(HistoryShownTests.page([Timeline(of: "wlan0", entries)]))
        let curves = elements.all.filter { $0.name == "polyline" }.compactMap { $0.attributes["points"] }
        #expect(curves.map { $0.split(separator: " ").count } == [3, 1, 1], "\(curves)")
        #expect(elements.count("circle") == 2)
    }

    @Test("all bars are within the picture, whatever the clocks say")
    func within() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let entries = (0..<20).map { _ in
                var entry = S.every.randomElement(using: &random) ?? S.every[0]
                entry.at = Timestamp(
                    wall: .random(in: 0...S.wall * 2), boot: S.boot, sinceBoot: .random(in: 0...S.wall))
                return entry
            }
            let elements = try Elements(HistoryShownTests.page([Timeline(of: "wlan0", entries)]))
            for rect in elements.all.filter({ $0.name == "rect" }) {
                let numbers = ["x", "y", "width", "height"].compactMap { Double(rect.attributes[$0] ?? "") }
                try #require(numbers.count == 4)
                #expect(numbers.allSatisfy { $0 >= 0 } && numbers[0] + numbers[2] <= 1000, "\(numbers)")
            }
        }
    }

    @Test("the time axis has distinct labels, also if the page covers only seconds")
    func marks() throws {
        for duration in [8000, 200_000, 240_000, 86_400_000] as [Int64] {
            let timeline = Timeline(
                of: "wlan0", [0, duration].map { S.entry(.acted(S.action), .sick, at: S.instant($0)) })
            let page = HistoryShownTests.page([timeline])
            let names = page.split(separator: "\n").filter { $0.contains("text-anchor=\"middle\">20") }
                .compactMap { $0.split(separator: ">").last }
            #expect(names.count == 3 && Set(names).count == 3, "\(duration): \(names)")
        }
    }

    @Test("if there are very many events, only the last are shown, and the page says so")
    func bounded() throws {
        let sick = RecordedVerdict(S.sick)
        let entries = (0..<2000).map { number in
            S.entry(
                .acted(RecordedAction(cause: .sick(sick), action: "bounced", outcome: sick)), .sick,
                at: S.instant(Int64(number) * 60_000))
        }
        let page = HistoryShownTests.page([Timeline(of: "wlan0", entries)])
        #expect(page.contains("2000 actions: 2000 useless (the last 500)"))
        let elements = try Elements(page)
        // These rows include the table heads, and the tables of outages and of states.
        #expect((500...515).contains(elements.count("tr")), "\(elements.count("tr"))")
    }
}
