/// The rejoin load of a fleet as a picture: for each outage a panel, for each resort a line.
struct Plot {
    struct Line {
        var name: String
        var load: Load
    }

    /// Seconds around the outage's end.
    static let shown = -60..<300
    private static let width = 860.0
    private static let height = 260.0
    private static let left = 70.0
    private static let top = 40.0
    private static let gap = 80.0
    private static let legend = 190.0
    /// Told apart by people who do not see all colours (Okabe and Ito), and thick below thin where lines cover each other.
    private static let colours = ["#0072b2", "#56b4e9", "#009e73", "#d55e00", "#cc79a7", "#000000"]

    private var body = ""
    private var panels = 0

    mutating func add(_ title: String, _ lines: [Line]) {
        let y = Self.top + Double(panels) * (Self.height + Self.gap)
        panels += 1
        let most = max(1, lines.map { $0.load.busiest(Self.shown) }.max() ?? 1)
        body += text(Self.left, y - 12, title, "font-weight=\"bold\"")
        axes(y, most)
        for (number, line) in lines.enumerated() {
            let colour = Self.colours[number % Self.colours.count]
            let points = Self.shown.map { second in
                let height = Double(line.load.joins[second, default: 0]) / Double(most) * Self.height
                return "\(Self.short(x(second))),\(Self.short(y + Self.height - height))"
            }
            body += "<polyline fill=\"none\" stroke=\"\(colour)\" stroke-width=\"\(lines.count - number)\" "
            body += "stroke-opacity=\"0.8\" points=\"\(points.joined(separator: " "))\"/>\n"
            let height = y + 14 + Double(number) * 20
            body +=
                "<rect x=\"\(Self.left + Self.width + 20)\" y=\"\(height - 9)\" width=\"16\" height=\"8\" "
            body += "fill=\"\(colour)\"/>\n"
            body += text(Self.left + Self.width + 42, height, line.name)
        }
    }

    var svg: String {
        let width = Self.left + Self.width + Self.legend + 20
        let height = Self.top + Double(panels) * (Self.height + Self.gap)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" font-family="sans-serif" \
            font-size="13">
            <rect width="100%" height="100%" fill="white"/>
            \(body)</svg>

            """
    }

    private mutating func axes(_ y: Double, _ most: Int) {
        let bottom = y + Self.height
        for share in [0.0, 0.5, 1.0] {
            let height = Self.short(bottom - share * Self.height)
            body +=
                "<line x1=\"\(Self.left)\" x2=\"\(Self.left + Self.width)\" y1=\"\(height)\" y2=\"\(height)\" "
            body += "stroke=\"#cccccc\"/>\n"
            let value = String(Int(share * Double(most)))
            body += text(Self.left - 8, bottom - share * Self.height + 4, value, "text-anchor=\"end\"")
        }
        for second in stride(from: Self.shown.lowerBound, through: Self.shown.upperBound, by: 60) {
            body += text(x(second), bottom + 18, "\(second) s", "text-anchor=\"middle\"")
        }
        body += text(
            Self.left + Self.width / 2, bottom + 38, "after the end of the outage; associations a second",
            "text-anchor=\"middle\"")
    }

    private func x(_ second: Int) -> Double {
        Self.left + Double(second - Self.shown.lowerBound) / Double(Self.shown.count) * Self.width
    }

    private func text(_ x: Double, _ y: Double, _ words: String, _ more: String = "") -> String {
        "<text x=\"\(Self.short(x))\" y=\"\(Self.short(y))\" \(more)>\(words)</text>\n"
    }

    /// With one decimal.
    private static func short(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
