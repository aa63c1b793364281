import Model
import Toggling

/// One event in the history of an interface: when it happened, which command recorded it, the health of the
/// link afterwards, and what happened.
public struct HistoryEntry: Hashable, Sendable {
    /// The command that recorded the entry.
    public enum Command: String, Hashable, Sendable, CaseIterable {
        case run, reconnect, toggle
    }

    /// What happened.
    public indirect enum What: Hashable, Sendable {
        /// The service begins to watch the interface; `program` is the version of the program.
        case began(program: String)
        /// The service ends normally. A service that is killed writes no such entry.
        case ended
        /// The health of the link has changed with this verdict. `since` is when the link came into its new
        /// health, in milliseconds since boot.
        case changed(RecordedVerdict, since: Int64)
        /// An action on the link.
        case acted(RecordedAction)
        /// A dry run would have tried these methods, one after the other, and did nothing.
        case withheld(ActionCause, methods: [String])
        case vanished
        case appeared
        /// The machine was suspended for this long.
        case slept(Duration)
        case sampled(HistorySample)
    }

    public var at: Timestamp
    public var interface: String
    public var command: Command
    /// The health of the link afterwards, by fall and rise.
    public var condition: Health.Condition
    public var what: What

    /// The health as far as it is known. A one-shot checks too seldom to establish a health, so its last
    /// verdict is used.
    public var health: Health.Condition {
        guard condition == .undetermined, command != .run, case .acted(let action) = what else {
            return condition
        }
        return switch action.outcome.conclusion {
        case .healthy: .healthy
        case .sick: .sick
        case .unknown: .undetermined
        }
    }

    /// When the outage began, if this is its first entry; nil: the entry does not show a sick link.
    var outageBegin: Timestamp? {
        var begin = at
        switch what {
        case .changed(_, let since) where health == .sick: begin.sinceBoot = since
        case .acted(let action):
            if case .sick = action.cause {
                let duration = (action.down ?? .zero) + (action.recovery ?? .zero)
                begin.sinceBoot -= duration.nanoseconds / 1_000_000
            } else if health != .sick {
                return nil
            }
        case .began, .ended, .changed, .vanished, .appeared, .slept, .sampled, .withheld: return nil
        }
        begin.sinceBoot = min(max(0, begin.sinceBoot), at.sinceBoot)
        return begin
    }

    /// Whether an outage is over with this entry.
    var endsOutage: Bool {
        switch what {
        case .vanished: true
        case .changed, .acted: health != .sick
        case .began, .ended, .appeared, .slept, .sampled, .withheld: false
        }
    }

    /// A shorter form with only the required parts.
    var bare: HistoryEntry {
        var bare = self
        switch what {
        case .changed(let verdict, let since): bare.what = .changed(verdict.bare, since: since)
        case .acted(let action): bare.what = .acted(action.bare)
        case .withheld(let cause, let methods): bare.what = .withheld(cause.bare, methods: methods)
        case .began, .ended, .vanished, .appeared, .slept, .sampled: break
        }
        return bare
    }

}

// MARK: As JSON

extension HistoryEntry {
    /// The longest name in bytes: four times IFNAMSIZ (netdevice(7)), which is enough although each byte that
    /// is not UTF-8 becomes three.
    private static let longestName = 64

    /// The entry as JSON. Keys that users also see elsewhere mean the same here.
    var json: JSONText {
        let (kind, details): (String, [(String, JSONText)]) =
            switch what {
            case .began(let program): ("began", [("program", .string(program))])
            case .ended: ("ended", [])
            case .changed(let verdict, let since):
                ("changed", [("since_ms", .integer(since)), ("found", verdict.json)])
            case .acted(let action): ("acted", action.storedMembers)
            case .withheld(let cause, let methods):
                ("withheld", [("cause", cause.json), ("methods", .list(methods))])
            case .vanished: ("vanished", [])
            case .appeared: ("appeared", [])
            case .slept(let duration): ("slept", [("span_ms", .milliseconds(duration))])
            case .sampled(let sample): ("sampled", sample.members)
            }
        return .object(
            [
                ("kind", .string(kind)), ("interface", .string(interface.clipped(to: Self.longestName))),
                ("by", .string(command.rawValue)),
                ("wall_ms", .integer(at.wall)), ("boot", .string(at.boot)),
                ("boot_ms", .integer(at.sinceBoot)), ("condition", .string(condition.rawValue)),
            ] + details)
    }

    /// Parses untrusted input; nil: something required is missing or out of range.
    init?(_ json: JSONText) {
        guard let interface = json["interface"]?.string, !interface.isEmpty,
            let command = json.word("by", as: Command.self),
            let condition = json.word("condition", as: Health.Condition.self),
            let wall = json["wall_ms"]?.whole(in: Timestamp.wallTimes), let boot = json["boot"]?.string,
            let sinceBoot = json["boot_ms"]?.whole(in: Timestamp.uptimes), let what = What(json)
        else { return nil }
        self.init(
            at: Timestamp(wall: wall, boot: boot, sinceBoot: sinceBoot), interface: interface,
            command: command, condition: condition, what: what)
    }
}

extension HistoryEntry.What {
    fileprivate init?(_ json: JSONText) {
        let what: Self? =
            switch json["kind"]?.string {
            case "began": json["program"]?.string.map { .began(program: $0) }
            case "ended": .ended
            case "vanished": .vanished
            case "appeared": .appeared
            case "slept": json["span_ms"]?.duration.map { .slept($0) }
            case "sampled": HistorySample(json).map { .sampled($0) }
            case "acted": RecordedAction(json).map { .acted($0) }
            case "withheld":
                json["cause"].flatMap { ActionCause($0) }.map {
                    .withheld($0, methods: json.texts("methods"))
                }
            case "changed":
                json["since_ms"]?.whole(in: Timestamp.uptimes).flatMap { since in
                    json["found"].flatMap { RecordedVerdict($0) }.map { .changed($0, since: since) }
                }
            default: nil
            }
        guard let what else { return nil }
        self = what
    }
}

extension JSONText {
    /// The longest text, in bytes. The program's own sentences are shorter, whatever network they name.
    private static let longestText = 400
    /// The most items of one list.
    private static let mostItems = 12

    /// The value as stored in the history: texts and lists are cut to their bounds, and members that are null
    /// or an empty list are left out.
    var stored: JSONText {
        switch self {
        case .string(let text): .string(text.clipped(to: Self.longestText))
        case .array(let items): .array(items.prefix(Self.mostItems).map(\.stored))
        case .object(let members):
            .object(members.filter { !$0.1.isEmpty }.map { ($0.0, $0.1.stored) })
        case .null, .bool, .integer, .thousandths: self
        }
    }

    private var isEmpty: Bool {
        switch self {
        case .null: true
        case .array(let items): items.isEmpty
        case .bool, .integer, .thousandths, .string, .object: false
        }
    }
}

extension String {
    /// The beginning of the text, at most this many bytes, without a partial character.
    func clipped(to longest: Int) -> String {
        guard utf8.count > longest else { return self }
        var size = 0
        let scalars = unicodeScalars.prefix { scalar in
            size += UTF8.width(scalar)
            return size <= longest
        }
        return String(scalars)
    }
}
