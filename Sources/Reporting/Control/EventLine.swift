/// An event of the service, as `status --watch` prints it where there is no terminal: a line, and only for
/// news.
public struct EventLine {
    /// What was printed last of each interface, without its moment.
    private var last: [String: [String?]] = [:]
    private let isVerbose: Bool

    /// News each time.
    private static let actions: Set<String?> = ["bounced", "raised", "reassociated", "reconnected", "hooked"]

    /// - Parameter isVerbose: what is no news is printed, too.
    public init(isVerbose: Bool) { self.isVerbose = isVerbose }

    /// nil: there is nothing new in it.
    public mutating func text(_ event: JSONText) -> String? {
        let interface = event["interface"]?.string ?? "?"
        if let word = event["event"]?.string {
            let kind = InterfaceEvent.Kind(rawValue: word)
            // Whatever is found when it is there again is news.
            if kind == .absent { last[interface] = nil }
            return "\(event["time"]?.string ?? "?") \(interface): \(Self.sentence(kind, word, event))"
        }
        let verdict = event["verdict"]?.string
        let action = event["action"]?.string
        let news = [verdict, event["layer"]?.string, action]
        let isNews = last[interface] != news || Self.actions.contains(action)
        last[interface] = news
        guard isNews || isVerbose else { return nil }
        let place = event["layer"]?.string.map { " at layer \($0)" } ?? ""
        let reason = event["reason"]?.string.map { ": \($0)" } ?? ""
        let done = action.map { $0 == "none" ? "" : " (\($0))" } ?? ""
        return "\(event["time"]?.string ?? "?") \(interface): \(verdict ?? "?")\(place)\(reason)\(done)"
    }

    /// Something else than the end of a check.
    private static func sentence(_ kind: InterfaceEvent.Kind?, _ word: String, _ event: JSONText) -> String {
        let reason = event["reason"]?.string
        guard kind == .bounceBegun else { return reason ?? word }
        let place = event["layer"]?.string.map { " at layer \($0)" } ?? ""
        let verdict = event["verdict"]?.string.map { ": \($0)\(place)" } ?? ""
        return "a bounce begins" + verdict + (reason.map { ": \($0)" } ?? "")
    }
}
