@testable import Model
@testable import Toggling

/// A table that compares several watchdogs in the same lives.
struct Census {
    struct Row {
        let name: String
        var ledger: Ledger
    }

    private var rows: [Row] = []
    private var situations: [Row] = []

    private static let bounces = "wifi-toggler --method bounce"
    private static let program = "wifi-toggler"

    static let publicHost = ProbeSpec(.icmp(.address(.v4(0x0808_0808))))
    static let name = ProbeSpec(.dns(name: "example.org", server: .v4(0x7f00_0035)))

    mutating func live(_ life: Life) {
        func lived(_ change: (inout Settings) -> Void) -> Ledger {
            var settings = Settings()
            change(&settings)
            return life.lived(by: WiFiToggler(settings, seed: life.seed))
        }
        add("nobody", life.lived(by: Nobody()))
        add(Self.program, lived { _ in })
        add(Self.bounces, lived { $0.methods = [.bounce] })
        add(
            "wifi-toggler --method auto,reset,reboot",
            lived { $0.methodsBesideAuto = [.reset, .reboot] })
        add("wifi-toggler --probe icmp:8.8.8.8", lived { $0.probes = [Self.publicHost] })
        add("wifi-toggler --probe dns:example.org@127.0.0.53", lived { $0.probes = [Self.name] })
        add("watchcat, 120 s", life.lived(by: Watchcat()))
        add("watchcat, 6 h", life.lived(by: Watchcat(period: .hours(6))))
        add("plain timer", life.lived(by: PlainTimer()))
    }

    /// Adds a life with this seed in each other situation.
    mutating func live(seed: UInt64, duration: Duration) {
        for situation in Situation.allCases where situation != .ordinary {
            let life = Life(seed: seed, duration: duration, in: situation)
            let name = situation.rawValue
            Self.add("\(name): wifi-toggler", life.lived(by: WiFiToggler(seed: seed)), to: &situations)
            Self.add("\(name): watchcat, 120 s", life.lived(by: Watchcat()), to: &situations)
        }
    }

    private mutating func add(_ name: String, _ ledger: Ledger) { Self.add(name, ledger, to: &rows) }

    private static func add(_ name: String, _ ledger: Ledger, to rows: inout [Row]) {
        guard let position = rows.firstIndex(where: { $0.name == name }) else {
            return rows.append(Row(name: name, ledger: ledger))
        }
        rows[position].ledger += ledger
    }

    /// The tables in Markdown, the first and the last with the reasons below them.
    var lines: [String] { Self.lines(of: rows) + [""] + faultLines + [""] + Self.lines(of: situations) }

    /// Each curable fault, with three watchdogs.
    private var faultLines: [String] {
        let watchdogs = ["nobody", Self.bounces, Self.program].map { name in
            (name: name, ledger: rows.first { $0.name == name }?.ledger ?? Ledger())
        }
        let faults = Trouble.allCases.filter { trouble in
            watchdogs.contains { $0.ledger.faults.contains { $0.trouble == trouble } }
        }
        let table = MarkdownTable(
            columns: ["curable fault"]
                + watchdogs.flatMap { ["\($0.name): cured", "median", "longest", "without network"] })
        return table.lines(
            faults.map { trouble in
                [trouble.rawValue] + watchdogs.flatMap { $0.ledger.only(trouble).cellsOfFault }
            })
    }

    private static func lines(of rows: [Row]) -> [String] {
        table.lines(rows.map(\.cells)) + [""] + reasons(of: rows).map { "- \($0)" }
    }

    private static let table = MarkdownTable(columns: [
        "", "actions", "needless: all was well", "needless: in vain", "against a user's will",
        "outage caused", "curable faults", "cured", "missed", "recovery: median", "95 %", "longest",
        "without network", "of it avoidable",
    ])

    /// The causes of the useless actions, one line per watchdog.
    private static func reasons(of rows: [Row]) -> [String] {
        rows.compactMap { row in
            let reasons = row.ledger.actions.filter { $0.key != .curable && $0.key != .health }.map {
                (word: $0.key.word, count: $0.value)
            }.sorted { ($1.count, $0.word) < ($0.count, $1.word) }
            guard !reasons.isEmpty else { return nil }
            return "\(row.name), actions in vain by cause: "
                + reasons.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
        }
    }
}

extension Ledger.Ground {
    var word: String {
        switch self {
        case .curable: "curable"
        case .trouble(let trouble): trouble.rawValue
        case .joining: "joining already"
        case .health: "all well"
        }
    }
}

extension Ledger {
    /// The figures of a ledger with faults of one kind.
    fileprivate var cellsOfFault: [String] {
        [
            "\(cured) of \(faults.count)", recovery(percentile: 50)?.rounded ?? "-",
            recovery(percentile: 100)?.rounded ?? "-", recoveries.reduce(.zero, +).rounded,
        ]
    }
}

extension Census.Row {
    fileprivate var cells: [String] {
        [
            name, "\(ledger.total)", "\(ledger.inHealth)", "\(ledger.inVain)", "\(ledger.overruled)",
            ledger.duration(.caused).rounded, "\(ledger.faults.count)", "\(ledger.cured)",
            "\(ledger.missed.count)",
            ledger.recovery(percentile: 50)?.rounded ?? "-", ledger.recovery(percentile: 95)?.rounded ?? "-",
            ledger.recovery(percentile: 100)?.rounded ?? "-", ledger.without.rounded,
            ledger.avoidable.rounded,
        ]
    }
}

extension Duration {
    /// The duration as text, in the most readable unit: seconds, minutes or hours.
    fileprivate var rounded: String {
        if self < .minutes(3) { return "\(wholeSeconds) s" }
        if self < .hours(3) { return "\(Int((inSeconds / 60).rounded())) min" }
        return "\(Int((inSeconds / 3600).rounded())) h"
    }
}
