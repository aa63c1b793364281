import Model

/// The journal's fields for a line of the log. A value may contain anything.
public enum JournalFields {
    public typealias Fields = [(name: String, value: String)]

    /// - Parameters:
    ///   - interface: the subject; nil: none, or several.
    ///   - kind: of the message; nil: it has no MESSAGE_ID.
    public static func fields(about interface: String?, _ kind: Record.Kind?) -> Fields {
        id(kind) + named([("INTERFACE", interface)])
    }

    /// - Parameter isFirst: only the first line about a record has its MESSAGE_ID.
    public static func fields(of record: Record, isFirst: Bool = true) -> Fields {
        id(isFirst ? record.kind : nil)
            + named([
                ("INTERFACE", record.interface),
                ("VERDICT", record.verdict?.conclusion.rawValue), ("LAYER", record.verdict?.layer?.rawValue),
                ("METHOD", record.method?.rawValue),
                ("CONDITION", record.cycle?.change.after.rawValue), ("ACTION", record.cycle?.action.word),
            ])
    }

    private static func id(_ kind: Record.Kind?) -> Fields {
        kind.map { [("MESSAGE_ID", $0.messageID)] } ?? []
    }

    private static func named(_ values: [(String, String?)]) -> Fields {
        values.compactMap { name, value in value.map { ("WIFI_TOGGLER_" + name, $0) } }
    }
}
