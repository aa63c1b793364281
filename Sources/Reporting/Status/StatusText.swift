/// One interface of a service's answer to `Status`, as a paragraph for people. The answer comes from another
/// process: missing or invalid parts are left out.
public struct StatusText {
    private let json: JSONText
    private let later: Duration

    /// - Parameters:
    ///   - json: the object of one interface.
    ///   - later: the age of the answer.
    public init(_ json: JSONText, later: Duration = .zero) {
        self.json = json
        self.later = later
    }

    public var interface: String { json["interface"]?.string ?? "?" }

    /// The health of the interface, which determines the exit status.
    public enum Health: Sendable, Equatable {
        case healthy, sick, unknown
    }

    /// The health by fall and rise, because one sick verdict is not yet an outage. Before that health is
    /// established, the last verdict counts.
    public var health: Health {
        let words = ["condition", "verdict"].compactMap { json[$0]?.string }
        for word in words {
            if word == "healthy" { return .healthy }
            if word == "sick" { return .sick }
        }
        return .unknown
    }

    /// The short answer and its explanation. The first line begins with the interface's name, and all others
    /// are indented.
    public var lines: [String] { [headline] + prospect + grounds }

    /// Why there is no bounce, the last action, and what comes next.
    public var prospect: [String] { Self.indented(held + [lastAction, next].compactMap(\.self)) }

    /// The last check with its explanation, the owners of the interface, and why power saving is kept off.
    public var grounds: [String] {
        Self.indented(checked + [owner, json["power_save"]?.string].compactMap(\.self))
    }

    private static func indented(_ lines: [String]) -> [String] { lines.map { "  \($0)" } }

    /// The first line, such as `wlan0: healthy for 3h 12m, since 2026-02-03T04:05:06Z`.
    public var headline: String {
        let condition = Self.condition(json["condition"]?.string ?? "?")
        let age = age("since_ms").map { " for \($0)" } ?? ""
        let since = instant("since").map { ", since \($0)" } ?? ""
        let degraded = json["degraded"]?.texts("by") ?? []
        let degradation = degraded.isEmpty ? "" : ", degraded by " + degraded.joined(separator: " and ")
        return "\(interface): \(condition)\(age)\(since)\(degradation)"
    }

    /// The condition, explained if its name alone does not say enough.
    private static func condition(_ word: String) -> String {
        word == "undetermined" ? "\(word) (neither healthy nor sick now)" : word
    }

    /// The verdict, with its explanation as a tree below it.
    private var checked: [String] {
        guard let verdict = json["verdict"]?.string else {
            return ["no check has ended yet"]
        }
        let age = age("checked_ms").map { " \($0) ago" } ?? ""
        return ["last check\(age): " + json.judgement(verdict)]
            + json.texts("reasoning").map { "  \($0)" }
    }

    private var owner: String? {
        guard let station = Self.manager(json["owner"]?["station"]),
            let network = Self.manager(json["owner"]?["network"])
        else { return nil }
        return "associated by \(station), addresses and routes by \(network)"
    }

    /// The owners of one part (`Ownership.Part`) as text.
    private static func manager(_ part: JSONText?) -> String? {
        guard let part, case .object = part else { return nil }
        let names = part.texts("names")
        if names.isEmpty { return part["known"]?.isTrue == true ? "nobody" : "unknown" }
        return names.joined(separator: " + ")
            + (part["disputed"]?.isTrue == true ? " (in conflict: leave it to one of them)" : "")
    }

    private var held: [String] {
        json.texts("held").map { "no bounce now: \($0)" }
    }

    private var next: String? {
        guard let why = json["next"]?["why"]?.string else {
            return json["state"]?.string.map { state in
                "now: \(Progress.description(ofState: state) ?? state)"
                    + (json["under_way"]?.string.map { " (\($0))" } ?? "")
            }
        }
        return "next check" + (json["next_ms"]?.duration.map { " in \(max(.zero, $0 - later).text)" } ?? "")
            + " (\(why))"
    }

    private var lastAction: String? {
        guard let action = json["last_action"], case .object = action else {
            return json["under_way"]?.string == nil ? "nothing done since the service began" : nil
        }
        let headline = RecordedAction.headline(
            action["action"]?.string ?? "?", action.texts("methods"))
        let age = action["ago_ms"]?.duration.map { " \(($0 + later).text) ago" } ?? ""
        let cause = action["cause"]?.string.map { " (\($0))" } ?? ""
        let down = action["down_ms"]?.duration.map { "; down for \($0.text)" } ?? ""
        let recovery = action["recovery_ms"]?.duration.map { "; back after \($0.text)" } ?? ""
        let end = action["verdict"]?.string.map { "; then " + Self.end($0, action) } ?? ""
        let count =
            json["actions"]?.whole.map {
                $0 == 0 ? ", before the service began" : ", \($0) since the service began"
            } ?? ""
        return "last action\(age)\(count): \(headline)\(cause)\(down)\(recovery)\(end)"
    }

    /// The verdict after an action; the reason is not repeated if it was the action's cause.
    private static func end(_ verdict: String, _ action: JSONText) -> String {
        let end = action.judgement(verdict)
        return end == action["cause"]?.string ? "still \(verdict)" : end
    }

    /// The age of an event: its age in the answer, plus the age of the answer.
    private func age(_ key: String) -> String? { json[key]?.duration.map { ($0 + later).text } }

    private func instant(_ key: String) -> String? { json[key]?.string.map(HistoryText.short) }
}
