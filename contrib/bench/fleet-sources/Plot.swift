import Glibc

/// Draws the load of a fleet: a column for each outage, and in it a strip for each watchdog. All strips have
/// the same axes, so that they can be compared. The axis of loads is logarithmic, because loads differ by
/// orders of magnitude.
struct Plot {
    struct Line {
        var name: String
        var load: Load
    }

    /// The seconds that are shown, relative to the end of the outage.
    static let shown = -60..<300
    private static let strip = (width: 460.0, height: 58.0)
    /// The gaps between columns (x) and between the strips of a column (y). The latter has room for the name
    /// of the strip below it.
    private static let gap = (x: 60.0, y: 34.0)
    private static let margin = (left: 96.0, top: 112.0, right: 40.0, bottom: 62.0)
    /// These colours can be distinguished with colour blindness (Okabe and Ito).
    private static let colours = ["#0072b2", "#56b4e9", "#009e73", "#d55e00", "#cc79a7", "#555555"]

    /// The number of boxes in the fleet.
    let size: Int
    private var columns: [(title: String, lines: [Line])] = []

    init(of boxes: Int) { size = boxes }

    mutating func add(_ title: String, _ lines: [Line]) { columns.append((title, lines)) }

    var svg: String {
        let rows = columns.map(\.lines.count).max() ?? 0
        let width =
            Self.margin.left + Double(columns.count) * (Self.strip.width + Self.gap.x) - Self.gap.x
            + Self.margin.right
        let height =
            Self.margin.top + Double(rows) * (Self.strip.height + Self.gap.y) + Self.margin.bottom
            - Self.gap.y
        let middle = Self.short((Self.margin.top + height - Self.margin.bottom) / 2)
        let upright = "text-anchor=\"middle\" transform=\"translate(22 \(middle)) rotate(-90)\""
        let heading = "\(size) boxes after the same outage of an hour: associations a second"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.short(width))" height="\(Self.short(height))" \
            viewBox="0 0 \(Self.short(width)) \(Self.short(height))" font-family="sans-serif" font-size="13" \
            role="img" aria-labelledby="heading summary">
            <title id="heading">\(heading)</title>
            <desc id="summary">\(summary)</desc>
            <rect width="100%" height="100%" fill="white"/>
            \(Self.text(Self.margin.left, 30, heading, "font-size=\"18\" font-weight=\"bold\""))\
            \(Self.text(Self.margin.left, 52, Self.legend))\
            \(columns.indices.map { column($0, rows) }.joined())\
            \(Self.text(0, 0, "associations per second (logarithmic)", upright))\
            </svg>

            """
    }

    private static let legend =
        "A strip for each watchdog, with its busiest second and when the last box was healthy again. "
        + "Dashed: the end of the outage."

    /// A description of the picture for screen readers.
    private var summary: String {
        columns.map { column in
            "\(column.title): "
                + column.lines.map { "\($0.name), \(Self.figures($0.load))" }.joined(separator: "; ")
        }.joined(separator: ". ") + "."
    }

    private static func figures(_ load: Load) -> String {
        let well = load.allWellAt.map { "all healthy after \(Int($0.rounded(.up))) s" } ?? "never all healthy"
        return "\(load.busiest(shown)) in the busiest second, \(well)"
    }

    private func column(_ number: Int, _ rows: Int) -> String {
        let (title, lines) = columns[number]
        let left = Self.margin.left + Double(number) * (Self.strip.width + Self.gap.x)
        var body = Self.text(left, Self.margin.top - 34, title, "font-weight=\"bold\" font-size=\"14\"")
        for (row, line) in lines.enumerated() {
            let top = Self.margin.top + Double(row) * (Self.strip.height + Self.gap.y)
            body += Self.text(left, top - 7, "\(line.name): \(Self.figures(line.load))")
            body += axes(left, top)
            body += area(left, top, line.load, Self.colours[row % Self.colours.count])
        }
        let bottom = Self.margin.top + Double(rows) * (Self.strip.height + Self.gap.y) - Self.gap.y
        for second in stride(from: Self.shown.lowerBound, through: Self.shown.upperBound, by: 60) {
            body += Self.text(
                Self.x(left, Double(second)), bottom + 18, "\(second)", "text-anchor=\"middle\"")
        }
        return body
            + Self.text(
                left + Self.strip.width / 2, bottom + 40, "seconds after the end of the outage",
                "text-anchor=\"middle\"")
    }

    /// Lines for the powers of ten, up to the first that is not below the size of the fleet, and for the end
    /// of the outage. In the first column, every other power has a label.
    private func axes(_ left: Double, _ top: Double) -> String {
        var body = ""
        for power in 0...Int(decades) {
            let joins = Int(pow(10, Double(power)))
            let y = height(joins, top)
            body += Self.line(left, y, left + Self.strip.width, y, "stroke=\"#dddddd\"")
            guard left == Self.margin.left, power.isMultiple(of: 2) else { continue }
            body += Self.text(left - 6, y + 4, "\(joins)", "text-anchor=\"end\" font-size=\"11\"")
        }
        let end = Self.x(left, 0)
        return body
            + Self.line(
                end, top, end, top + Self.strip.height,
                "stroke=\"#888888\" stroke-dasharray=\"3 3\"")
    }

    private func area(_ left: Double, _ top: Double, _ load: Load, _ colour: String) -> String {
        let bottom = Self.short(top + Self.strip.height)
        var points = "\(Self.short(left)),\(bottom)"
        for second in Self.shown {
            let y = Self.short(height(load.joins[second, default: 0], top))
            // A step is as wide as its second.
            points +=
                " \(Self.short(Self.x(left, Double(second)))),\(y) \(Self.short(Self.x(left, Double(second + 1)))),\(y)"
        }
        points += " \(Self.short(left + Self.strip.width)),\(bottom)"
        return "<polygon fill=\"\(colour)\" points=\"\(points)\"/>\n"
    }

    /// The number of decades on the axis of loads. Below them, there is a part for one association, whose
    /// logarithm is zero.
    private var decades: Double { max(1, log10(Double(size)).rounded(.up)) }
    private static let one = 0.3

    private func height(_ joins: Int, _ top: Double) -> Double {
        guard joins > 0 else { return top + Self.strip.height }
        let share = (log10(Double(joins)) + Self.one) / (decades + Self.one)
        return top + Self.strip.height * (1 - share)
    }

    private static func x(_ left: Double, _ second: Double) -> Double {
        left + (second - Double(shown.lowerBound)) / Double(shown.count) * strip.width
    }

    private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ more: String) -> String
    {
        "<line x1=\"\(short(x1))\" y1=\"\(short(y1))\" x2=\"\(short(x2))\" y2=\"\(short(y2))\" \(more)/>\n"
    }

    private static func text(_ x: Double, _ y: Double, _ words: String, _ more: String = "") -> String {
        "<text x=\"\(short(x))\" y=\"\(short(y))\" \(more)>\(words)</text>\n"
    }

    /// The value with one decimal.
    private static func short(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
