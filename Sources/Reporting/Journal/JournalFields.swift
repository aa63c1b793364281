import Model

/// The fields of the systemd journal for a log line (systemd.journal-fields(7)). A value may contain any
/// characters.
public enum JournalFields {
    /// Names and values of fields, without MESSAGE and PRIORITY.
    public typealias Fields = [(name: String, value: String)]

    /// The fields of a line that is not about a record.
    /// - Parameters:
    ///   - interface: the interface that the line is about; nil: none, or several.
    ///   - kind: the kind of record; nil: the line has no MESSAGE_ID.
    public static func fields(about interface: String?, _ kind: Record.Kind?) -> Fields {
        id(kind) + named([("INTERFACE", interface)])
    }

    /// The fields of a line about a record.
    /// - Parameter isFirst: whether this is the first line about the record: only that line has the
    ///   MESSAGE_ID.
    public static func fields(of record: Record, isFirst: Bool = true) -> Fields {
        id(isFirst ? record.kind : nil)
            + named([
                ("INTERFACE", record.interface),
                ("VERDICT", record.verdict?.conclusion.rawValue), ("LAYER", record.verdict?.layer?.rawValue),
                ("METHOD", record.method?.rawValue ?? record.action?.lastMethod),
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
