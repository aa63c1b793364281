import Model
import Toggling

/// The history as one HTML page for a browser. It has no script and loads nothing, and the data of each
/// picture is also in a table.
public struct HistoryPage {
    /// The program's version, the current time, and the time from which events are shown, in milliseconds
    /// since 1970; if `since` is nil, all events are shown.
    public typealias Heading = (version: String, now: Int64, since: Int64?)

    /// The most rows of a table. The captions of longer tables of outages and actions say that only the last
    /// rows are shown.
    private static let mostRows = 500
    private static let floor = 84.0
    /// The least width of an outage's bar in units of the picture. It makes an outage of two minutes visible
    /// in the picture of a month, in which a minute is a fiftieth of a pixel.
    private static let leastFault = 3.0

    private let all: [Timeline]
    private let heading: Heading
    private let wallTime: (Int64) -> String

    /// - Parameter wallTime: a function that returns the text (RFC 3339, local time) of a time in
    ///   milliseconds since 1970.
    public init(_ all: [Timeline], _ heading: Heading, _ wallTime: @escaping (Int64) -> String) {
        self.all = all
        self.heading = heading
        self.wallTime = wallTime
    }

    private var time: PageTime { PageTime(wallTime: wallTime) }

    public var text: String {
        let title =
            "History of " + (all.isEmpty ? "no interface" : all.map(\.interface).joined(separator: ", "))
        let since = heading.since.map { ", since \(time.exact($0))" } ?? ""
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
            <h1>Link history</h1>
            \(all.isEmpty ? "<p>No history is kept yet.</p>\n" : sections)<footer>
            <p class="faint">Written at \(PageMarkup.text(time.exact(heading.now)))\(PageMarkup.text(since)) by \
            wifi-toggler \(PageMarkup.text(heading.version)).</p>
            </footer>
            </main>
            </body>
            </html>

            """
    }

    private func section(_ timeline: Timeline, _ place: Int) -> String {
        let parts = [
            summary(timeline), health(timeline), outages(timeline), actions(timeline),
            curve(.signal, "Signal", timeline), curve(.roundTrip, "Round trip", timeline),
        ]
        return """
            <section aria-labelledby="interface\(place)">
            <h2 id="interface\(place)">\(PageMarkup.text(timeline.interface))</h2>
            \(parts.joined())</section>

            """
    }

    /// The first and the last known time; nil: nothing is recorded.
    private func range(_ timeline: Timeline) -> (begin: Int64, end: Int64)? {
        let instants =
            timeline.spans.flatMap { [$0.begin, $0.end] } + timeline.actions.map(\.at)
            + timeline.samples.map(\.at)
        guard let first = instants.min(), let last = instants.max() else { return nil }
        return (first, last)
    }

    /// The title of a picture. It names the interface, because screen readers say it without its context.
    private func title(_ name: String, _ timeline: Timeline) -> String {
        guard let (begin, end) = range(timeline) else { return name }
        return "\(name) of \(timeline.interface) from \(time.minute(begin)) to \(time.minute(end))"
    }

    // MARK: Summary and health

    private func summary(_ timeline: Timeline) -> String {
        guard let (begin, end) = range(timeline) else { return "<p>Nothing is recorded.</p>\n" }
        let summary = PageSummary(timeline, time)
        let zones = [begin, end].map(time.zone)
        let zone = zones[0] == zones[1] ? "\(zones[0])" : "\(zones[0]), later \(zones[1])"
        let period = "from \(time.minute(begin)) to \(time.minute(end)), local time (\(zone))"
        let share = summary.availability.map { "<strong>\($0)</strong> available " } ?? "Not judged "
        var facts = [summary.outages]
        if timeline.outages.count > 1 { facts += [summary.hour].compactMap { $0 } }
        if !timeline.outages.isEmpty { facts.append("causes: \(summary.causes)") }
        facts.append("recovery: \(summary.actions)")
        let items = facts.map { "<li>\(PageMarkup.text($0.prefix(1).uppercased() + $0.dropFirst()))</li>\n" }
        let basis = summary.availability.map { _ in "<p class=\"faint\">\(summary.basis)</p>\n" } ?? ""
        return """
            <p class="availability">\(share)\(PageMarkup.text(period))</p>
            <ul>
            \(items.joined())</ul>
            \(basis)
            """
    }

    private func health(_ timeline: Timeline) -> String {
        guard let (begin, end) = range(timeline) else { return "" }
        var picture = PagePicture(
            from: begin, to: end, height: Self.floor, wallTime: wallTime)
        // Faults are drawn last, over their neighbours.
        for span in timeline.spans.sorted(by: { !$0.state.isFault && $1.state.isFault }) {
            let symbol = PageSymbol.state(span.state)
            picture.addRectangle(
                symbol.name, from: span.begin, to: span.end, top: Self.floor - symbol.height,
                height: symbol.height, least: span.state.isFault ? Self.leastFault : 0,
                title: "\(symbol.name) for \(Self.length(of: span).text), from \(time.exact(span.begin))")
        }
        for entry in timeline.actions {
            let title = "\(time.exact(entry.at)): \(entry.action.headline), \(entry.action.use.rawValue)"
            picture.add(PageSymbol.mark(entry.action.use, at: picture.x(entry.at), title: title))
        }
        picture.addLegend(PageSymbol.all(of: timeline))
        let all = timeline.spans.reduce(0) { $0 + $1.end - $1.begin }
        let states = Timeline.Span.State.allCases.compactMap { state -> [String]? in
            let spans = timeline.spans.filter { $0.state == state }
            guard !spans.isEmpty else { return nil }
            let sum = spans.reduce(0) { $0 + $1.end - $1.begin }
            return [
                state.rawValue, Duration.milliseconds(sum).text, PageSummary.percent(sum, of: all),
                String(spans.count),
            ]
        }
        let lengths = states.map { "\($0[0]) for \($0[1])" }.joined(separator: ", ")
        return "<h3>Health</h3>\n"
            + picture.figure(
                title: title("Health", timeline),
                description: (lengths.isEmpty ? "Not watched" : "In all: \(lengths)")
                    + "; \(PageSummary(timeline, time).actions).",
                caption:
                    "The height of a bar shows the state, from the highest to the lowest: sick, healthy,"
                    + " undetermined (neither healthy nor sick), asleep, absent."
                    + " Where there is no bar, the link was not watched. Short outages are drawn wider than"
                    + " they were.")
            + PageMarkup.table("Time in each state", ["State", "Duration", "Share", "Periods"], states)
    }

    private static func length(of span: Timeline.Span) -> Duration {
        .milliseconds(span.end - span.begin)
    }

    // MARK: Tables

    private func outages(_ timeline: Timeline) -> String {
        let rows = timeline.outages.map { outage in
            [
                time.exact(outage.begin), outage.end.map { time.end($0, after: outage.begin) } ?? "-",
                outage.length(ifInexact: "about "),
                outage.finding.layer?.rawValue ?? "-", outage.finding.reason,
                outage.finding.evidence.map(HistoryText.description).joined(separator: "; "),
                "\(outage.ended); " + HistoryText.count(outage.actions, "action"),
            ]
        }
        let titles = ["Begin", "End", "Duration", "Layer", "Cause", "Evidence", "How it ended"]
        return "<h3>Outages</h3>\n" + table(PageSummary(timeline, time).outages, titles, rows)
    }

    private func actions(_ timeline: Timeline) -> String {
        let rows = timeline.actions.map { entry in
            let action = entry.action
            return [
                time.exact(entry.at), "\(action.headline) (\(entry.command.rawValue))",
                action.cause.description,
                action.down?.text ?? "-", HistoryText.outcome(action), action.use.rawValue,
                action.losses.joined(separator: "; "),
            ]
        }
        let summary = PageSummary(timeline, time)
        let titles = ["Time", "Action", "Cause", "Link down for", "Result", "Use", "Lost and restored"]
        let methods =
            rows.isEmpty
            ? ""
            : PageMarkup.table(
                "By method", ["Method", "Times", "Useful", "Useless", "Unclear"], summary.methods)
        return "<h3>Recovery</h3>\n" + methods + table(summary.actions, titles, rows)
    }

    private func table(_ caption: String, _ titles: [String], _ rows: [[String]]) -> String {
        if rows.isEmpty { return "<p>None.</p>\n" }
        let caption = rows.count > Self.mostRows ? "\(caption) (the last \(Self.mostRows))" : caption
        return PageMarkup.table(caption, titles, rows.suffix(Self.mostRows))
    }

    // MARK: Curves

    private func curve(
        _ quantity: PageCurve.Quantity, _ name: String, _ timeline: Timeline
    ) -> String {
        let curve = PageCurve(quantity, timeline.samples)
        guard let (begin, end) = range(timeline), let last = curve.points.last else { return "" }
        let frame = PageCurve.frame(from: begin, to: end, wallTime: wallTime)
        let days = curve.days(time)
        return "<h3>\(name)</h3>\n"
            + curve.draw(on: frame, time).figure(
                title: title(name, timeline),
                description: "At last \(curve.text(last.spread.median)). The table has each day.",
                caption: "The line is the median, the band reaches from the minimum to the maximum.")
            + PageMarkup.table(
                "\(name) of each day", ["Day", "Minimum", "Median", "Maximum", "Samples (15 min)"],
                days.suffix(Self.mostRows).map(\.cells))
    }
}

extension Timeline.Span.State {
    /// Whether the link could not be used although the machine was awake.
    fileprivate var isFault: Bool { self == .sick || self == .absent }
}
