import Model

/// The screen of `status --watch` on a terminal: the service's last answer, with ages as of now, and the
/// curves of earlier answers. The answers come from another process, so their control characters are escaped.
public struct StatusScreen {
    /// The size of a terminal.
    public typealias Size = (columns: Int, rows: Int)

    private var interfaces: [JSONText] = []
    private var curves: [String: StatusCurve] = [:]
    /// When the last answer came; nil: none has come.
    private var toldAt: Instant?
    /// Why there is no current answer; nil: there is one.
    private var trouble: String?
    private let hasColours: Bool
    private let isPlain: Bool
    private let escaped: (String) -> String

    /// - Parameters:
    ///   - hasColours: whether to show healthy links in green and sick ones in red (ECMA-48, SGR).
    ///   - isPlain: whether the terminal may support only ASCII.
    ///   - escaped: a function that escapes text for a terminal.
    public init(hasColours: Bool, isPlain: Bool, escaped: @escaping (String) -> String) {
        self.hasColours = hasColours
        self.isPlain = isPlain
        self.escaped = escaped
    }

    /// Takes an answer of the service.
    public mutating func take(_ interfaces: [JSONText], at now: Instant) {
        self.interfaces = interfaces
        toldAt = now
        trouble = nil
        let names = Set(interfaces.map { StatusText($0).interface })
        curves = curves.filter { names.contains($0.key) }
        for interface in interfaces {
            curves[StatusText(interface).interface, default: StatusCurve()].take(interface)
        }
    }

    /// Notes why there is no answer. The last answer stays on the screen.
    public mutating func lose(_ trouble: String) { self.trouble = trouble }

    /// Whether the service must be asked again: there is no current answer, or a next check is due or not yet
    /// planned. Otherwise a new answer would differ only in the ages that it shows.
    public func isStale(at now: Instant) -> Bool {
        guard let toldAt, trouble == nil else { return true }
        return interfaces.contains { interface in
            guard let next = interface["next_ms"]?.duration else { return true }
            return now - toldAt >= next
        }
    }

    /// The lines from the top, at most one for each row of the terminal, none longer than a row.
    public func lines(_ size: Size, at now: Instant) -> [String] {
        let paragraphs = interfaces.map { paragraph($0, size, at: now) }
        return fitted(header(at: now), paragraphs, rows: size.rows).map {
            $0.text(columns: size.columns, hasColours, escaped)
        }
    }

    /// Fits the lines into the rows. If there are too many, each interface keeps its short answer and an
    /// equal number of lines of explanation; the last interfaces are cut off if even that is too much.
    private func fitted(_ header: [Row], _ paragraphs: [Paragraph], rows: Int) -> [Row] {
        let all = header + paragraphs.flatMap { $0.answer + $0.grounds }
        guard all.count > rows, rows > 0 else { return all }
        let answers = paragraphs.map(\.answer.count).reduce(0, +)
        // One row says how many lines are not shown.
        let room = max(0, rows - 1 - header.count - answers)
        let share = room / max(1, paragraphs.count)
        let some = header + paragraphs.flatMap { $0.answer + $0.grounds.prefix(share) }
        let shown = some.prefix(rows - 1)
        return shown + [Row("(\(all.count - shown.count) more lines: name an interface)")]
    }

    private func header(at now: Instant) -> [Row] {
        let title = [Row("wifi-toggler status; q ends", .bold)]
        guard let trouble else {
            let isNone = interfaces.isEmpty && toldAt != nil
            return title + (isNone ? [Row("the service watches no interface")] : [])
        }
        let age = toldAt.map { Row("what the service reported \((now - $0).text) ago:", .red) }
        return title + [Row(trouble, .red), age].compactMap(\.self)
    }

    /// The lines about one interface.
    private struct Paragraph {
        var answer: [Row]
        /// The explanation of the answer.
        var grounds: [Row]
    }

    private func paragraph(_ interface: JSONText, _ size: Size, at now: Instant) -> Paragraph {
        let text = StatusText(interface, later: now - (toldAt ?? now))
        let indent = "  "
        let curves = curves[text.interface]?.lines(width: size.columns - indent.count, isPlain: isPlain) ?? []
        let colour: Row.Colour =
            switch text.health {
            case .healthy: .green
            case .sick: .red
            case .unknown: .bold
            }
        return Paragraph(
            answer: [Row(""), Row(text.headline, colour)] + text.prospect.map { Row($0) },
            grounds: curves.map { Row(indent + $0) } + text.grounds.map { Row($0) })
    }
}

/// A row of the screen, of one colour.
private struct Row {
    /// The raw value is the parameter of SGR (ECMA-48, 8.3.117).
    enum Colour: Int {
        case bold = 1
        case red = 31
        case green = 32
    }

    var content: String
    var colour: Colour?

    init(_ content: String, _ colour: Colour? = nil) {
        self.content = content
        self.colour = colour
    }

    /// The text, cut at the end of the terminal's row. A character that may be two columns wide counts as
    /// two.
    func text(columns: Int, _ hasColours: Bool, _ escaped: (String) -> String) -> String {
        let firstWide: UInt32 = 0x1100
        var left = columns
        let cut = escaped(content).prefix { letter in
            let isWide = letter.unicodeScalars.contains { $0.value >= firstWide && !Self.isBlock($0) }
            left -= isWide ? 2 : 1
            return left >= 0
        }
        guard hasColours, let colour else { return String(cut) }
        return "\u{1b}[\(colour.rawValue)m\(cut)\u{1b}[0m"
    }

    /// Whether the character is a block element (Unicode), of which bars consist; it is one column wide.
    private static func isBlock(_ scalar: Unicode.Scalar) -> Bool { (0x2580...0x259f).contains(scalar.value) }
}
