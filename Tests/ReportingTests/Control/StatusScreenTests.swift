import Model
import Testing
import Toggling

@testable import Reporting

@Suite("The screen of status --watch") struct StatusScreenTests {
    private static let start = Instant(nanoseconds: 0)
    private static let size = (columns: 60, rows: 40)

    private static func interface(
        _ name: String = "wlan0", _ condition: String = "healthy", next: Int64? = 60_000,
        checked: String = "1",
        signal: Int64? = -60, roundTrip: Int64? = 2
    ) -> JSONText {
        let evidence = JSONText.object([("rtt_ms", roundTrip.map { .integer($0) } ?? .null)])
        return .object([
            ("interface", .string(name)), ("condition", .string(condition)), ("since_ms", .integer(5_000)),
            ("state", .string("waiting")), ("checked", .string(checked)), ("checked_ms", .integer(1_000)),
            ("verdict", .string(condition)), ("signal_dbm", signal.map { .integer($0) } ?? .null),
            ("evidence", .array([evidence])),
            ("next", .object([("why", .string("schedule"))])),
            ("next_ms", next.map { .integer($0) } ?? .null),
        ])
    }

    private static func screen(hasColours: Bool = false, _ interfaces: [JSONText]) -> StatusScreen {
        var screen = StatusScreen(hasColours: hasColours, isPlain: false, escaped: { $0 })
        screen.take(interfaces, at: start)
        return screen
    }

    @Test("ages grow and the countdown falls without new data")
    func ages() {
        let lines = Self.screen([Self.interface()]).lines(Self.size, at: Self.start + .seconds(10))
        #expect(lines.contains("wlan0: healthy for 15s"), "\(lines)")
        #expect(lines.contains("  last check 11s ago: healthy"), "\(lines)")
        #expect(lines.contains("  next check in 50s (schedule)"), "\(lines)")
    }

    @Test("the data is stale once the countdown is over, or if there is no countdown")
    func stale() {
        let screen = Self.screen([Self.interface()])
        #expect(!screen.isStale(at: Self.start + .seconds(59)))
        #expect(screen.isStale(at: Self.start + .seconds(60)))
        #expect(Self.screen([Self.interface(next: nil)]).isStale(at: Self.start))
    }

    @Test("each check is one bar of the signal and of the round trip, the newest last")
    func curves() {
        var screen = Self.screen([Self.interface(signal: -90, roundTrip: 8)])
        screen.take([Self.interface(signal: -90, roundTrip: 8)], at: Self.start)
        screen.take([Self.interface(checked: "2", signal: nil, roundTrip: nil)], at: Self.start)
        screen.take([Self.interface(checked: "3", signal: -30, roundTrip: 0)], at: Self.start)
        let lines = screen.lines(Self.size, at: Self.start)
        #expect(lines.contains("  signal     ▁ █ -30 dBm"), "\(lines)")
        #expect(lines.contains("  round trip █ ▁ 0ms"), "\(lines)")
        screen.take([], at: Self.start)
        screen.take([Self.interface(checked: "3")], at: Self.start)
        #expect(
            screen.lines(Self.size, at: Self.start).contains("  signal     ▅ -60 dBm"), "gone is forgotten")
    }

    @Test("the signal has a fixed scale, the round trip's ends at the longest, and old checks are dropped")
    func scales() {
        var screen = Self.screen([])
        let checks: [(signal: Int64, roundTrip: Int64)] = [
            (-95, 1), (-90, 2), (-75, 4), (-60, 8), (-45, 12), (-31, 16), (-20, 6),
        ]
        for (number, check) in checks.enumerated() {
            screen.take(
                [Self.interface(checked: "\(number)", signal: check.signal, roundTrip: check.roundTrip)],
                at: Self.start)
        }
        let lines = screen.lines(Self.size, at: Self.start)
        #expect(lines.contains("  signal     ▁▁▃▅▇██ -20 dBm"), "\(lines)")
        #expect(lines.contains("  round trip ▁▂▃▅▇█▄ 6ms"), "\(lines)")
        let narrow = screen.lines((columns: 24, rows: 40), at: Self.start)
        #expect(narrow.contains("  signal     ▇██ -20 dBm"), "\(narrow)")
    }

    @Test("a line is cut at the screen's width, and the last row counts the lines that do not fit")
    func cut() {
        let many = (0..<9).map { Self.interface("wlan\($0)") }
        let size = (columns: 12, rows: 10)
        let lines = Self.screen(many).lines(size, at: Self.start)
        #expect(lines.count == 10 && lines.allSatisfy { $0.count <= 12 }, "\(lines)")
        #expect(lines.last == "(55 more lin", "\(lines)")
        let wide = Self.screen([Self.interface("网络")]).lines(
            (columns: 5, rows: 9), at: Self.start)
        #expect(wide.contains("网络:"), "\(wide)")
        let none = Self.screen(many).lines((columns: 0, rows: 0), at: Self.start)
        #expect(none.joined().isEmpty, "\(none)")
    }

    @Test("with too few rows each interface keeps its short status, and the other rows are shared equally")
    func shortAnswers() {
        let explanation = (0..<11).map { JSONText.string("|- \($0)") }
        let interfaces = ["wlan0", "wlan1"].map { name -> JSONText in
            guard case .object(let members) = Self.interface(name) else { return .null }
            let held = JSONText.array([.string("backing off")])
            return .object(members + [("held", held), ("reasoning", .array(explanation))])
        }
        let lines = Self.screen(interfaces).lines((columns: 80, rows: 24), at: Self.start)
        #expect(lines.count == 24 && lines.last == "(16 more lines: name an interface)", "\(lines)")
        for (name, row) in [("wlan0", 1), ("wlan1", 12)] where lines.count == 24 {
            #expect(
                lines[row..<row + 5] == [
                    "", "\(name): healthy for 5s", "  no bounce now: backing off",
                    "  nothing done since the service began", "  next check in 1m (schedule)",
                ], "\(lines)")
            #expect(lines[row + 5].hasPrefix("  signal ") && lines[row + 10] == "    |- 2", "\(lines)")
        }
    }

    @Test("healthy is green and sick is red, and without colours nothing is coloured")
    func colours() {
        for (condition, code) in [("healthy", "32"), ("sick", "31"), ("undetermined", "1")] {
            let interface = Self.interface("wlan0", condition)
            let coloured = Self.screen(hasColours: true, [interface]).lines(Self.size, at: Self.start)
            let gloss = condition == "undetermined" ? " (neither healthy nor sick now)" : ""
            let headline = "wlan0: \(condition)\(gloss) for 5s"
            #expect(coloured.contains("\u{1b}[\(code)m\(headline)\u{1b}[0m"), "\(coloured)")
            let plain = Self.screen([interface]).lines(Self.size, at: Self.start)
            #expect(!plain.joined().contains("\u{1b}"))
        }
    }

    @Test("without an answer the screen says why, and how old the data is")
    func trouble() {
        var screen = Self.screen([Self.interface()])
        screen.lose("nobody there")
        let size = (columns: 200, rows: 40)
        let lines = screen.lines(size, at: Self.start + .seconds(3))
        #expect(
            lines.prefix(3) == [
                "wifi-toggler status; q ends", "nobody there", "what the service reported 3s ago:",
            ],
            "\(lines)")
        #expect(lines.contains("wlan0: healthy for 8s") && screen.isStale(at: Self.start))
        screen.take([Self.interface()], at: Self.start)
        #expect(!screen.lines(size, at: Self.start).contains("nobody there"))
    }

    @Test("text is escaped before it is shown")
    func hostile() {
        var screen = StatusScreen(hasColours: false, isPlain: true) { $0.filter(\.isLetter) }
        screen.take([Self.interface("a\u{1b}[2J")], at: Self.start)
        #expect(screen.lines(Self.size, at: Self.start).contains("aJhealthyfors"))
    }

    private static let rows: [(values: [Double?], text: String)] = [
        ([0, 4, 8], "▁▅█"), ([-1, 99, Double.infinity, -Double.infinity, Double.nan], "▁██▁▁"),
        ([nil, 8, nil], " █ "), ([], ""),
    ]

    @Test("bars rise from the lower to the upper bound, and values beyond are cut", arguments: rows)
    func bars(values: [Double?], text: String) {
        #expect(Sparkline(range: 0...8).text(values, width: 10) == text)
        #expect(Sparkline(range: 0...8).text(values, width: 1) == String(text.suffix(1)))
        let plain = Sparkline(range: 0...8, isPlain: true).text(values, width: 10)
        #expect(plain.utf8.count == plain.count, "\(plain)")
        #expect(Sparkline(range: 3...3).text([3], width: 1) == "▁")
    }
}

@Suite("The lines of status --watch") struct EventLineTests {
    private func event(_ verdict: String, _ action: String = "none", layer: String? = nil) -> JSONText {
        .object([
            ("time", .string("T")), ("interface", .string("wlan0")), ("verdict", .string(verdict)),
            ("layer", .optional(layer)), ("reason", .string("because")), ("action", .string(action)),
        ])
    }

    @Test("a repeated verdict is one line, each action is a line, and --verbose prints every event")
    func news() {
        let events = [
            event("healthy"), event("healthy"), event("sick", "held", layer: "gateway"),
            event("sick", "bounced"),
            event("sick", "bounced"),
        ]
        var quiet = EventLine(isVerbose: false)
        var verbose = EventLine(isVerbose: true)
        #expect(
            events.map { quiet.text($0) } == [
                "T wlan0: healthy: because", nil, "T wlan0: sick at layer gateway: because (held)",
                "T wlan0: sick: because (bounced)", "T wlan0: sick: because (bounced)",
            ])
        #expect(events.allSatisfy { verbose.text($0) != nil })
    }
}
