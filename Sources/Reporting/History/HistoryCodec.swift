import Model
import Toggling

/// Converts entries to JSON objects and back. Input is untrusted: an entry is made only if everything
/// required is there and in range.
enum HistoryCodec {
    private enum Kind: String {
        case began, ended, changed, acted, vanished, appeared, slept, sampled
    }

    // MARK: Writing

    static func json(_ entry: HistoryEntry) -> JSONText {
        .members([("kind", .string(kind(entry.what).rawValue))] + stamp(entry) + details(entry.what))
    }

    private typealias Members = [(String, JSONText?)]

    private static func kind(_ what: HistoryEntry.What) -> Kind {
        switch what {
        case .began: .began
        case .ended: .ended
        case .changed: .changed
        case .acted: .acted
        case .vanished: .vanished
        case .appeared: .appeared
        case .slept: .slept
        case .sampled: .sampled
        }
    }

    private static func stamp(_ entry: HistoryEntry) -> Members {
        [
            ("interface", .string(entry.interface)),
            ("by", .string(entry.witness.rawValue)),
            ("wall_ms", .integer(entry.at.wall)),
            ("boot", .string(entry.at.boot)),
            ("boot_ms", .integer(entry.at.sinceBoot)),
            ("condition", .string(entry.condition.rawValue)),
        ]
    }

    private static func details(_ what: HistoryEntry.What) -> Members {
        switch what {
        case .began(let program): [("program", .string(program))]
        case .ended, .vanished, .appeared: []
        case .changed(let finding, let since): [("since_ms", .integer(since)), ("found", json(finding))]
        case .acted(let action): details(action)
        case .slept(let duration): [("span_ms", .milliseconds(duration))]
        case .sampled(let sample):
            [
                ("looks", .integer(Int64(sample.checks))),
                ("unanswered", .integer(Int64(sample.unanswered))),
                ("signal_dbm", sample.signal.map(json)),
                ("rtt_us", sample.roundTrip.map(json)),
            ]
        }
    }

    private static func details(_ action: HistoryAction) -> Members {
        let cause: JSONText =
            switch action.cause {
            case .asked: "asked"
            case .block: "block"
            case .sick(let finding): json(finding)
            }
        return [
            ("cause", cause),
            ("action", .string(action.action)),
            ("methods", list(action.methods)),
            ("down_ms", action.down.map { .milliseconds($0) }),
            ("recovery_ms", action.recovery.map { .milliseconds($0) }),
            ("outcome", json(action.outcome)),
            ("lost", list(action.lost)),
            ("restored", list(action.restored)),
            ("refused", list(action.refused)),
        ]
    }

    /// As in a cycle's JSON.
    static func json(_ finding: HistoryFinding) -> JSONText {
        .members([
            ("verdict", .string(finding.conclusion.rawValue)),
            ("layer", finding.layer.map { .string($0.rawValue) }),
            ("reason", .string(finding.reason)),
            ("evidence", finding.evidence.isEmpty ? nil : .array(finding.evidence.map(json))),
        ])
    }

    static func json(_ row: HistoryFinding.Row) -> JSONText {
        .object([
            ("probe", .string(row.probe)),
            ("result", .string(row.result.rawValue)),
            ("rtt_ms", .milliseconds(row.roundTrip)),
            ("detail", .string(row.detail)),
        ])
    }

    private static func json(_ spread: HistorySample.Spread) -> JSONText {
        .array([.integer(spread.least), .integer(spread.median), .integer(spread.most)])
    }

    private static func list(_ texts: [String]) -> JSONText? {
        texts.isEmpty ? nil : .array(texts.map { .string($0) })
    }

    // MARK: Reading

    static func entry(_ json: JSONText) -> HistoryEntry? {
        guard let kind = json["kind"]?.string.flatMap(Kind.init),
            let name = json["interface"]?.string, !name.isEmpty,
            let witness = json["by"]?.string.flatMap(HistoryEntry.Witness.init),
            let condition = json["condition"]?.string.flatMap(Health.Condition.init),
            let instant = instant(json), let what = what(kind, json)
        else { return nil }
        return HistoryEntry(
            at: instant, interface: name, witness: witness, condition: condition, what: what)
    }

    private static func instant(_ json: JSONText) -> Timestamp? {
        guard let wall = json["wall_ms"]?.whole, Timestamp.wallTimes.contains(wall),
            let boot = json["boot"]?.string, let sinceBoot = uptime(json["boot_ms"])
        else { return nil }
        return Timestamp(wall: wall, boot: boot, sinceBoot: sinceBoot)
    }

    private static func uptime(_ json: JSONText?) -> Int64? {
        json?.whole.flatMap { Timestamp.uptimes.contains($0) ? $0 : nil }
    }

    private static func what(_ kind: Kind, _ json: JSONText) -> HistoryEntry.What? {
        switch kind {
        case .began: json["program"]?.string.map { .began(program: HistoryEntry.clipped($0)) }
        case .ended: .ended
        case .vanished: .vanished
        case .appeared: .appeared
        case .slept: json["span_ms"]?.duration.map { .slept($0) }
        case .sampled: sample(json).map { .sampled($0) }
        case .acted: action(json).map { .acted($0) }
        case .changed:
            uptime(json["since_ms"]).flatMap { since in
                json["found"].flatMap(finding).map { .changed($0, since: since) }
            }
        }
    }

    private static func finding(_ json: JSONText) -> HistoryFinding? {
        guard let conclusion = json["verdict"]?.string.flatMap(Verdict.Conclusion.init),
            let reason = json["reason"]?.string
        else { return nil }
        let layer = json["layer"]?.string.map { Layer(rawValue: $0) }
        // A layer of another version cannot be shown.
        if case .some(nil) = layer { return nil }
        return HistoryFinding(
            conclusion, layer: layer ?? nil, reason: reason,
            evidence: (json["evidence"]?.elements ?? []).compactMap(row))
    }

    private static func row(_ json: JSONText) -> HistoryFinding.Row? {
        guard let probe = json["probe"]?.string, let detail = json["detail"]?.string,
            let result = json["result"]?.string.flatMap(Evidence.Row.Result.init)
        else { return nil }
        return HistoryFinding.Row(
            probe: probe, result: result, roundTrip: json["rtt_ms"]?.duration, detail: detail)
    }

    private static func action(_ json: JSONText) -> HistoryAction? {
        guard let cause = json["cause"].flatMap(cause), let action = json["action"]?.string,
            let outcome = json["outcome"].flatMap(finding)
        else { return nil }
        let texts = { (key: String) in (json[key]?.elements ?? []).compactMap(\.string) }
        return HistoryAction(
            cause: cause, action: action, methods: texts("methods"), down: json["down_ms"]?.duration,
            recovery: json["recovery_ms"]?.duration, outcome: outcome, lost: texts("lost"),
            restored: texts("restored"), refused: texts("refused"))
    }

    private static func cause(_ json: JSONText) -> HistoryAction.Cause? {
        switch json.string {
        case "asked": .asked
        case "block": .block
        case .some: nil
        case nil: finding(json).map { .sick($0) }
        }
    }

    private static func sample(_ json: JSONText) -> HistorySample? {
        guard let checks = count(json["looks"]), let unanswered = count(json["unanswered"]) else {
            return nil
        }
        return HistorySample(
            checks: checks, unanswered: unanswered,
            signal: json["signal_dbm"].flatMap { spread($0, within: dBm) },
            roundTrip: json["rtt_us"].flatMap { spread($0, within: microseconds) })
    }

    private static let dBm: ClosedRange<Int64> = -128...127
    /// No probe waits longer than an hour.
    private static let microseconds: ClosedRange<Int64> = 0...3_600_000_000
    private static let counts: ClosedRange<Int64> = 0...1_000_000_000

    private static func count(_ json: JSONText?) -> Int? {
        json?.whole.flatMap { counts.contains($0) ? Int($0) : nil }
    }

    private static func spread(_ json: JSONText, within range: ClosedRange<Int64>) -> HistorySample.Spread? {
        let numbers = json.elements.compactMap(\.whole)
        guard numbers.count == 3, numbers.allSatisfy(range.contains) else { return nil }
        return HistorySample.Spread(least: numbers[0], median: numbers[1], most: numbers[2])
    }
}
