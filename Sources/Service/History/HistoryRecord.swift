import Toggling

/// The JSON objects of `history --json`, in the order in which things began. Their keys are a contract.
public enum HistoryRecord {
    /// What becomes one object.
    enum Item {
        case outage(Annals.Outage)
        case deed(Annals.Deed)

        /// Milliseconds since 1970.
        var begin: Int64 {
            switch self {
            case .outage(let outage): outage.begin
            case .deed(let deed): deed.at
            }
        }
    }

    static func items(_ annals: Annals) -> [Item] {
        // The sort is stable: an outage stands before what was done about it.
        (annals.outages.map { .outage($0) } + annals.deeds.map { .deed($0) }).sorted { $0.begin < $1.begin }
    }

    /// - Parameter wallTime: the text (RFC 3339) of a moment in milliseconds since 1970.
    public static func objects(_ annals: Annals, wallTime: (Int64) -> String) -> [JSONText] {
        items(annals).map { object($0, of: annals.interface, wallTime) }
    }

    static func object(_ item: Item, of interface: String, _ wallTime: (Int64) -> String) -> JSONText {
        switch item {
        case .outage(let outage): object(outage, of: interface, wallTime)
        case .deed(let deed): object(deed, of: interface, wallTime)
        }
    }

    private static func object(
        _ outage: Annals.Outage, of interface: String, _ wallTime: (Int64) -> String
    ) -> JSONText {
        .object([
            ("kind", "outage"),
            ("interface", .string(interface)),
            ("begin", .string(wallTime(outage.begin))),
            ("end", outage.end.map { .string(wallTime($0)) } ?? .null),
            ("duration_ms", .milliseconds(outage.duration)),
            ("exact", .bool(outage.isExact)),
            ("layer", .optional(outage.finding.layer?.rawValue)),
            ("reason", .string(outage.finding.reason)),
            ("evidence", .array(outage.finding.evidence.map(HistoryCode.json))),
            ("actions", .integer(Int64(outage.deeds))),
            ("ended_by", .optional(outage.endedBy)),
        ])
    }

    private static func object(
        _ entry: Annals.Deed, of interface: String, _ wallTime: (Int64) -> String
    ) -> JSONText {
        let deed = entry.deed
        let list = { (texts: [String]) in JSONText.array(texts.map { .string($0) }) }
        var evidence: [HistoryFinding.Row] = []
        if case .sick(let finding) = deed.cause { evidence = finding.evidence }
        return .object([
            ("kind", "bounce"),
            ("interface", .string(interface)),
            ("time", .string(wallTime(entry.at))),
            ("by", .string(entry.witness.rawValue)),
            ("action", .string(deed.action)),
            ("methods", list(deed.methods)),
            ("cause", .string(deed.why)),
            ("evidence", .array(evidence.map(HistoryCode.json))),
            ("down_ms", .milliseconds(deed.down)),
            ("recovery_ms", .milliseconds(deed.recovery)),
            ("verdict", .string(deed.outcome.conclusion.rawValue)),
            ("layer", .optional(deed.outcome.layer?.rawValue)),
            ("reason", .string(deed.outcome.reason)),
            ("use", .string(deed.use.rawValue)),
            ("lost", list(deed.lost)),
            ("restored", list(deed.restored)),
            ("refused", list(deed.refused)),
        ])
    }
}
