/// A picture on the page (SVG): a time axis at the bottom, and the content above it. It has a title and a
/// description, and the tables have the same data.
struct PagePicture {
    static let width = 1000.0
    static let left = 60.0
    static let right = 10.0
    private static let axisHeight = 24.0
    private static let legendHeight = 28.0
    /// The distance between two symbols of the legend, in which the longest name fits.
    private static let legendStep = 116.0
    /// The number of periods between the marks of the axis. With so few, the labels of the first and the last
    /// mark, which are beside their marks, do not touch the next ones.
    private static let ticks = 4

    /// A minute in milliseconds.
    private static let minute: Int64 = 60_000
    /// A day in milliseconds.
    private static let day: Int64 = 86_400_000
    /// With at least this many days, the marks of the axis are days.
    private static let fewestDays: Int64 = 3
    private static let mostMidnights: Int64 = 7

    let begin: Int64
    let end: Int64
    let height: Double
    private let wallTime: (Int64) -> String
    private var shapes = ""
    private var legend = ""

    init(from begin: Int64, to end: Int64, height: Double, wallTime: @escaping (Int64) -> String) {
        self.begin = begin
        self.end = max(end, begin + 1)
        self.height = height
        self.wallTime = wallTime
    }

    /// The horizontal position of a time.
    func x(_ instant: Int64) -> Double {
        let part = Double(min(max(instant, begin), end) - begin) / Double(end - begin)
        return Self.left + part * (Self.width - Self.left - Self.right)
    }

    mutating func add(_ shape: String) { shapes += shape + "\n" }

    /// Adds a rectangle for a period.
    /// - Parameter least: the smallest width; if need be, the rectangle is moved to the left to stay in the
    ///   picture.
    mutating func addRectangle(
        _ kind: String, from: Int64, to: Int64, top: Double, height: Double, least: Double, title: String
    ) {
        let width = max(least, 1, x(to) - x(from))
        let left = min(x(from), Self.width - Self.right - width)
        add(
            "<rect class=\"\(kind)\" x=\"\(n(left))\" y=\"\(n(top))\" width=\"\(n(width))\""
                + " height=\"\(n(height))\"><title>\(PageMarkup.text(title))</title></rect>")
    }

    /// Adds a horizontal line and its label.
    mutating func addLevel(_ y: Double, _ label: String) {
        add(
            "<line class=\"axis\" x1=\"\(n(Self.left))\" x2=\"\(n(Self.width - Self.right))\" y1=\"\(n(y))\""
                + " y2=\"\(n(y))\"/><text x=\"\(n(Self.left - 6))\" y=\"\(n(y + 4))\" text-anchor=\"end\">"
                + "\(PageMarkup.text(label))</text>")
    }

    /// Adds the legend, the meaning of the symbols, below the axis.
    mutating func addLegend(_ symbols: [PageSymbol]) {
        let floor = height + Self.axisHeight + Self.legendHeight
        let items = symbols.enumerated().map { place, symbol in
            let x = Self.left + Double(place) * Self.legendStep
            return symbol.sample(at: x, floor: floor - 4) + "<text x=\"\(n(x + 2 * PageSymbol.half + 6))\""
                + " y=\"\(n(floor - 6))\">\(PageMarkup.text(symbol.description))</text>\n"
        }
        legend = "<g class=\"legend\">\n\(items.joined())</g>\n"
    }

    func figure(title: String, description: String, caption: String) -> String {
        """
        <figure>
        <div class="wide" role="region" aria-label="\(PageMarkup.text(title))" tabindex="0">
        <svg viewBox="0 0 \(n(Self.width)) \(n(fullHeight))" role="img" \
        aria-label="\(PageMarkup.text("\(title): \(description)"))">
        <title>\(PageMarkup.text(title))</title>
        <desc>\(PageMarkup.text(description))</desc>
        \(shapes)\(axis)\(legend)</svg>
        </div>
        <figcaption>\(PageMarkup.text(caption))</figcaption>
        </figure>

        """
    }

    private var fullHeight: Double { height + Self.axisHeight + (legend.isEmpty ? 0 : Self.legendHeight) }

    private var axis: String {
        ticks.enumerated().map { place, tick in
            let anchor =
                place == 0 && tick.instant == begin
                ? "start" : place == ticks.count - 1 && tick.instant == end ? "end" : "middle"
            let x = n(x(tick.instant))
            return "<line class=\"axis\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(n(height))\""
                + " y2=\"\(n(height + 5))\"/><text x=\"\(x)\" y=\"\(n(height + 18))\""
                + " text-anchor=\"\(anchor)\">\(PageMarkup.text(tick.label))</text>\n"
        }.joined()
    }

    /// The marks of the axis: local midnights if the picture shows several days, else quarters of the period.
    private var ticks: [(instant: Int64, label: String)] {
        let time = PageTime(wallTime: wallTime)
        let days = (end - begin) / Self.day
        if days >= Self.fewestDays {
            let step = days / Self.mostMidnights + 1
            // Two hours after midnight, so that a change to or from summer time does not lead to the day
            // before.
            let first = time.midnight(begin) + Self.day + 2 * 60 * Self.minute
            return stride(from: first, to: end - step * Self.day / 3, by: Int64.Stride(step * Self.day)).map {
                (time.midnight($0), time.day($0))
            }
        }
        let step = (end - begin) / Int64(Self.ticks)
        return (0...Self.ticks).map { tick in
            let instant = tick == Self.ticks ? end : begin + step * Int64(tick)
            // Seconds are shown only if labels would otherwise be equal.
            let label =
                step < Self.minute ? "\(time.day(instant)) \(time.clock(instant))" : time.minute(instant)
            return (instant, label)
        }
    }

    private func n(_ value: Double) -> String { PageMarkup.number(value) }
}
