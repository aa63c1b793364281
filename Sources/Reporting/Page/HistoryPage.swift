import Model
import Toggling

/// The history as one page for a browser: no script, nothing loaded from elsewhere, and each picture's
/// content also as a table.
public struct HistoryPage {
    /// The program's version, and the times in milliseconds since 1970; no `since`: everything.
    public typealias Heading = (version: String, now: Int64, since: Int64?)

    /// The most rows of a table; those left out are counted.
    private static let mostRows = 500
    private static let floor = 84.0

    private let all: [Timeline]
    private let heading: Heading
    private let wallTime: (Int64) -> String

    /// - Parameter wallTime: the text (RFC 3339) of a time in milliseconds since 1970.
    public init(_ all: [Timeline], _ heading: Heading, _ wallTime: @escaping (Int64) -> String) {
        self.all = all
        self.heading = heading
        self.wallTime = wallTime
    }

    public var text: String {
        let title =
            "History of " + (all.isEmpty ? "no interface" : all.map(\.interface).joined(separator: ", "))
        let since = heading.since.map { ", since \(short($0))" } ?? ""
        let sections = all.enumerated().map { section($0.element, $0.offset) }.joined()
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <title>\(PageMarkup.text(title))</title>
            <style>
            \(PageMarkup.style)</style>
            </head>
            <body>
            <main>
            <h1>\(PageMarkup.text(title))</h1>
            <p class="faint">Written at \(PageMarkup.text(short(heading.now)))\(PageMarkup.text(since)) by \
            wifi-toggler \(PageMarkup.text(heading.version)). All times are UTC.</p>
            \(all.isEmpty ? "<p>No history is kept yet.</p>\n" : sections)</main>
            </body>
            </html>

            """
    }

    private func short(_ instant: Int64) -> String { HistoryText.short(wallTime(instant)) }

    private func section(_ timeline: Timeline, _ place: Int) -> String {
        let summary = HistoryText(timeline, isVerbose: false, wallTime: wallTime).headline
        let parts = [
            health(timeline), outages(timeline), actions(timeline),
            curve(.signal, "Signal", timeline), curve(.roundTrip, "Round trip", timeline),
        ]
        return """
            <section aria-labelledby="interface\(place)">
            <h2 id="interface\(place)">\(PageMarkup.text(timeline.interface))</h2>
            <p>\(PageMarkup.text(summary)).</p>
            \(parts.joined())</section>

            """
    }

    /// From the first to the last known time.
    private func range(_ timeline: Timeline) -> (begin: Int64, end: Int64)? {
        let instants =
            timeline.spans.flatMap { [$0.begin, $0.end] } + timeline.actions.map(\.at)
            + timeline.samples.map(\.at)
        guard let first = instants.min(), let last = instants.max() else { return nil }
        return (first, last)
    }

    // MARK: Health

    private func health(_ timeline: Timeline) -> String {
        guard let (begin, end) = range(timeline) else { return "" }
        var picture = PagePicture(
            from: begin, to: end, height: Self.floor, wallTime: wallTime)
        for span in timeline.spans {
            let symbol = PageSymbol.state(span.state)
            picture.addRectangle(
                symbol.name, from: span.begin, to: span.end, top: Self.floor - symbol.height,
                height: symbol.height,
                title: "\(symbol.name) for \(Self.length(of: span).text), from \(short(span.begin))")
        }
        for entry in timeline.actions {
            let title = "\(short(entry.at)): \(entry.action.headline), \(entry.action.use.rawValue)"
            picture.add(PageSymbol.mark(entry.action.use, at: picture.x(entry.at), title: title))
        }
        picture.addLegend(PageSymbol.all(of: timeline))
        let states = Timeline.Span.State.allCases.compactMap { state -> [String]? in
            let spans = timeline.spans.filter { $0.state == state }
            guard !spans.isEmpty else { return nil }
            let sum = spans.reduce(Duration.zero) { $0 + Self.length(of: $1) }
            return [state.rawValue, sum.text, String(spans.count)]
        }
        let lengths = states.map { "\($0[0]) for \($0[1])" }.joined(separator: ", ")
        return "<h3>Health</h3>\n"
            + picture.figure(
                title: "Health of \(timeline.interface) from \(short(begin)) to \(short(end))",
                description: (lengths.isEmpty ? "Nobody watched" : "In all \(lengths)")
                    + "; \(HistoryText.bounces(timeline)).",
                caption:
                    "The highest bars are sick, lower ones healthy, then undetermined, asleep and absent."
                    + " Where there is none, nobody watched. A triangle is a useful bounce, a cross a useless"
                    + " one, a diamond one of which nobody knows.")
            + PageMarkup.table("How long it was how", ["State", "In all", "Times"], states)
    }

    private static func length(of span: Timeline.Span) -> Duration {
        .milliseconds(span.end - span.begin)
    }

    // MARK: Tables

    private func outages(_ timeline: Timeline) -> String {
        let rows = timeline.outages.map { outage in
            [
                short(outage.begin), outage.end.map(short) ?? "-",
                (outage.isExact ? "" : "about ") + outage.duration.text, outage.finding.headline,
                outage.finding.evidence.map(HistoryText.description).joined(separator: "; "),
                "\(outage.ending); " + HistoryText.count(outage.actions, "bounce"),
            ]
        }
        return table("Outages", ["Begin", "End", "Duration", "Cause", "Evidence", "What became of it"], rows)
    }

    private func actions(_ timeline: Timeline) -> String {
        let rows = timeline.actions.map { entry in
            let action = entry.action
            return [
                short(entry.at), "\(action.headline) (\(entry.witness.rawValue))", action.cause.sentence,
                action.down?.text ?? "-", HistoryText.outcome(action), action.use.rawValue,
                action.losses.joined(separator: "; "),
            ]
        }
        return table(
            "Bounces", ["When", "What", "Why", "Down for", "What came of it", "Use", "Lost and put back"],
            rows)
    }

    private func table(_ name: String, _ titles: [String], _ rows: [[String]]) -> String {
        if rows.isEmpty { return "<h3>\(name)</h3>\n<p>None.</p>\n" }
        let caption =
            rows.count > Self.mostRows ? "\(name): the last \(Self.mostRows) of \(rows.count)" : name
        return "<h3>\(name)</h3>\n" + PageMarkup.table(caption, titles, rows.suffix(Self.mostRows))
    }

    // MARK: Curves

    private func curve(
        _ quantity: PageCurve.Quantity, _ name: String, _ timeline: Timeline
    ) -> String {
        let curve = PageCurve(quantity, timeline.samples)
        guard let (begin, end) = range(timeline), let last = curve.points.last else { return "" }
        let frame = PageCurve.frame(
            from: begin, to: end, wallTime: wallTime)
        let days = curve.days(wallTime)
        return "<h3>\(name)</h3>\n"
            + curve.draw(on: frame).figure(
                title: "\(name) of \(timeline.interface) from \(short(begin)) to \(short(end))",
                description: "At last \(curve.text(last.spread.median)). The table tells each day.",
                caption: "A quarter of an hour each: the median as a line, the least to the most as a band.")
            + PageMarkup.table(
                "\(name), by day", ["Day", "Least", "Median", "Most", "Quarters of an hour"],
                days.suffix(Self.mostRows))
    }
}
