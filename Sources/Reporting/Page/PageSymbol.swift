/// The symbols in the picture of the health: a bar for each state of the link, and a mark for each result of
/// an action. Bars differ in height and marks in shape, so that they can be told apart without colours.
enum PageSymbol: Hashable {
    case state(Timeline.Span.State)
    case use(RecordedAction.Use)

    /// Half of the width of a mark.
    static let half = 6.0
    /// The factor by which all bars are lower in the legend than in the picture.
    private static let legendScale = 0.3

    /// The symbols that the picture of this timeline needs, bars first.
    static func all(of timeline: Timeline) -> [PageSymbol] {
        Timeline.Span.State.allCases.filter { state in timeline.spans.contains { $0.state == state } }
            .map(PageSymbol.state)
            + RecordedAction.Use.allCases.filter { use in timeline.actions.contains { $0.action.use == use } }
            .map(PageSymbol.use)
    }

    /// The symbol's class in the style sheet.
    var name: String {
        switch self {
        case .state(let state): state.rawValue
        case .use(let use): use.rawValue
        }
    }

    /// The symbol's name in the legend.
    var description: String {
        switch self {
        case .state(let state): state.rawValue
        case .use(let use): "\(use.rawValue) action"
        }
    }

    var height: Double {
        switch self {
        case .state(.sick): 60
        case .state(.healthy): 36
        case .state(.undetermined): 24
        case .state(.asleep): 12
        case .state(.absent): 6
        case .use: 2 * Self.half
        }
    }

    /// The mark of an action, at the top of the picture.
    /// - Parameter title: the tooltip.
    static func mark(_ use: RecordedAction.Use, at x: Double, title: String) -> String {
        "<path class=\"\(use.rawValue)\" d=\"\(outline(use, x, top: 4))\">"
            + "<title>\(PageMarkup.text(title))</title></path>"
    }

    /// The symbol as drawn in the legend.
    /// - Parameter floor: the lower edge of the symbol.
    func sample(at x: Double, floor: Double) -> String {
        switch self {
        case .state:
            let low = height * Self.legendScale
            return "<rect class=\"\(name)\" x=\"\(Self.n(x))\" y=\"\(Self.n(floor - low))\""
                + " width=\"\(Self.n(2 * Self.half))\" height=\"\(Self.n(low))\"/>"
        case .use(let use):
            let outline = Self.outline(use, x + Self.half, top: floor - height)
            return "<path class=\"\(name)\" d=\"\(outline)\"/>"
        }
    }

    /// The path of a mark, which is as high as it is wide.
    private static func outline(_ use: RecordedAction.Use, _ x: Double, top: Double) -> String {
        let (h, size) = (n(half), n(2 * half))
        return switch use {
        case .useful: "M \(n(x)) \(n(top + 2 * half)) l -\(h) -\(size) h \(size) z"
        case .useless:
            "M \(n(x - half)) \(n(top + 2)) l 2 -2 4 4 4 -4 2 2 -4 4 4 4 -2 2 -4 -4 -4 4 -2 -2 4 -4 z"
        case .unclear: "M \(n(x)) \(n(top)) l \(h) \(h) -\(h) \(h) -\(h) -\(h) z"
        }
    }

    private static func n(_ value: Double) -> String { PageMarkup.number(value) }
}
