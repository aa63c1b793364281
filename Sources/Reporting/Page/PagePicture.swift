/// A picture on the page: a time axis at the bottom, and the content above it. It has a title and a
/// description, and the tables have the same data.
struct PagePicture {
    static let width = 1000.0
    static let left = 60.0
    static let right = 10.0
    private static let axisHeight = 24.0
    private static let legendHeight = 28.0
    /// The distance between two symbols of the legend; the longest name fits.
    private static let legendStep = 116.0
    /// Few enough that the labels of the first and the last one, which are beside their marks, do not touch
    /// the next.
    private static let ticks = 4

    /// In milliseconds.
    private static let minute: Int64 = 60_000

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

    /// The position of a time.
    func x(_ instant: Int64) -> Double {
        let part = Double(min(max(instant, begin), end) - begin) / Double(end - begin)
        return Self.left + part * (Self.width - Self.left - Self.right)
    }

    mutating func add(_ shape: String) { shapes += shape + "\n" }

    mutating func addRectangle(
        _ kind: String, from: Int64, to: Int64, top: Double, height: Double, title: String
    ) {
        // A short period is visible all the same.
        let width = max(1, x(to) - x(from))
        add(
            "<rect class=\"\(kind)\" x=\"\(n(x(from)))\" y=\"\(n(top))\" width=\"\(n(width))\""
                + " height=\"\(n(height))\"><title>\(PageMarkup.text(title))</title></rect>")
    }

    /// A horizontal line, and its label.
    mutating func addLevel(_ y: Double, _ label: String) {
        add(
            "<line class=\"axis\" x1=\"\(n(Self.left))\" x2=\"\(n(Self.width - Self.right))\" y1=\"\(n(y))\""
                + " y2=\"\(n(y))\"/><text x=\"\(n(Self.left - 6))\" y=\"\(n(y + 4))\" text-anchor=\"end\">"
                + "\(PageMarkup.text(label))</text>")
    }

    /// Below the axis, the meaning of the symbols.
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
        let step = (end - begin) / Int64(Self.ticks)
        // 2026-02-03T04:05, and :06 if labels would otherwise be equal.
        let length = step < Self.minute ? 19 : 16
        return (0...Self.ticks).map { tick in
            let instant = begin + step * Int64(tick)
            let anchor = tick == 0 ? "start" : tick == Self.ticks ? "end" : "middle"
            let label = wallTime(instant).prefix(length).split(separator: "T").joined(separator: " ")
            return "<line class=\"axis\" x1=\"\(n(x(instant)))\" x2=\"\(n(x(instant)))\" y1=\"\(n(height))\""
                + " y2=\"\(n(height + 5))\"/><text x=\"\(n(x(instant)))\" y=\"\(n(height + 18))\""
                + " text-anchor=\"\(anchor)\">\(PageMarkup.text(label))</text>\n"
        }.joined()
    }

    private func n(_ value: Double) -> String { PageMarkup.number(value) }
}
