/// Events of the service as `status --watch` prints them without a terminal: one line for each event that is
/// news.
public struct EventLine {
    /// The verdict, layer and action that were last printed of each interface.
    private var last: [String: [String?]] = [:]
    private let isVerbose: Bool

    /// The actions that are always news.
    private static let actions: Set<String?> = ["bounced", "raised", "recovered"]

    /// - Parameter isVerbose: whether to print all events.
    public init(isVerbose: Bool) { self.isVerbose = isVerbose }

    /// The line for an event; nil: it is no news.
    public mutating func text(_ event: JSONText) -> String? {
        let interface = event["interface"]?.string ?? "?"
        if let word = event["event"]?.string {
            let kind = Record.Kind(rawValue: word)
            // The first check after the interface is back is news.
            if kind == .absent { last[interface] = nil }
            return "\(event["time"]?.string ?? "?") \(interface): \(Self.description(kind, word, event))"
        }
        let verdict = event["verdict"]?.string
        let action = event["action"]?.string
        let news = [verdict, event["layer"]?.string, action]
        let isNews = last[interface] != news || Self.actions.contains(action)
        last[interface] = news
        guard isNews || isVerbose else { return nil }
        let done = action.map { $0 == "none" ? "" : " (\($0))" } ?? ""
        return "\(event["time"]?.string ?? "?") \(interface): \(event.judgement(verdict ?? "?"))\(done)"
    }

    /// The sentence about an event that is not the end of a cycle.
    private static func description(_ kind: Record.Kind?, _ word: String, _ event: JSONText) -> String {
        let reason = event["reason"]?.string
        guard kind == .bounceBegun else { return reason ?? word }
        let cause = event["verdict"]?.string.map(event.judgement) ?? reason
        return "a bounce begins" + (cause.map { ": \($0)" } ?? "")
    }
}
