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

    static let publicHost = ProbeSpec(.icmp(.address(.v4(0x0808_0808))))

    mutating func live(_ life: Life) {
        var configured = Settings()
        configured.probes = [Self.publicHost]
        add("nobody", life.lived(by: Nobody()))
        add("wifi-toggler", life.lived(by: WiFiToggler(seed: life.seed)))
        add("wifi-toggler --probe icmp:8.8.8.8", life.lived(by: WiFiToggler(configured, seed: life.seed)))
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

    /// The two tables in Markdown, each with the causes of useless bounces below it.
    var lines: [String] { Self.lines(of: rows) + [""] + Self.lines(of: situations) }

    private static func lines(of rows: [Row]) -> [String] {
        table(of: rows) + [""] + reasons(of: rows).map { "- \($0)" }
    }

    private static func table(of rows: [Row]) -> [String] {
        [
            "| | bounces | needless: all was well | needless: in vain | against a user's will "
                + "| outage caused | curable faults | missed | recovery: median | 95 % | longest "
                + "| without network | of it avoidable |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        ] + rows.map { $0.cells }.map { "| " + $0.joined(separator: " | ") + " |" }
    }

    /// The causes of each watchdog's useless bounces, one line per watchdog.
    private static func reasons(of rows: [Row]) -> [String] {
        rows.compactMap { row in
            let reasons = row.ledger.bounces.filter { $0.key != .curable && $0.key != .health }.map {
                (word: $0.key.word, count: $0.value)
            }.sorted { ($1.count, $0.word) < ($0.count, $1.word) }
            guard !reasons.isEmpty else { return nil }
            return "\(row.name), bounces in vain by cause: "
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

extension Census.Row {
    fileprivate var cells: [String] {
        [
            name, "\(ledger.total)", "\(ledger.inHealth)", "\(ledger.inVain)", "\(ledger.overruled)",
            ledger.duration(.caused).rounded, "\(ledger.faults.count)", "\(ledger.missed.count)",
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
