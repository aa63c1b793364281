import Model
import Toggling

/// An action on a link, as texts and numbers that are shown and stored.
public struct RecordedAction: Hashable, Sendable {
    public var cause: ActionCause
    /// Whether the link was known to be sick before, also if a user asked for the action.
    public var wasSick: Bool
    /// The value of the key `action`: `bounced`, `recovered`, `raised`, ...
    public var action: String
    /// The methods that were carried out, in order.
    public var methods: [String]
    /// How long the link was down; nil: it was not taken down.
    public var down: Duration?
    /// The time from the end of the last method (of a bounce: from the raise) until the link was healthy;
    /// nil: it did not become healthy.
    public var recovery: Duration?
    /// The verdict after the action; if the action failed, what failed.
    public var outcome: RecordedVerdict
    public var restoration: Restoration

    /// - Parameter wasSick: ``wasSick``, if the cause does not tell.
    public init(
        cause: ActionCause, wasSick: Bool = false, action: String, methods: [String] = [],
        down: Duration? = nil, recovery: Duration? = nil, outcome: RecordedVerdict,
        restoration: Restoration = Restoration()
    ) {
        self.cause = cause
        self.wasSick = wasSick || cause.isSick
        self.action = action
        self.methods = methods
        self.down = down
        self.recovery = recovery
        // Only the cause keeps its evidence: a second list would double the size of a stored line.
        self.outcome = outcome.bare
        self.restoration = restoration
    }

    /// The action that has ended with a cycle.
    /// - Parameter cause: the cause, from the report at the start of the action.
    init(_ cycle: CycleReport, cause: ActionCause) {
        let summary = cycle.action.summary
        self.init(
            cause: cause, wasSick: cycle.change.before == .sick, action: cycle.action.word,
            methods: (summary?.methods ?? []).map(\.rawValue),
            down: summary?.down, recovery: summary?.recovery, outcome: RecordedVerdict(cycle.verdict),
            restoration: summary?.restoration ?? Restoration())
        if case .failed(let step, let failure) = cycle.action { outcome.reason = step.description(failure) }
    }

    /// The reboot that is about to happen for this reason. The next run of the service records its result.
    init(rebooting verdict: Verdict) {
        self.init(
            cause: .sick(RecordedVerdict(verdict)), action: "rebooting",
            outcome: RecordedVerdict(.unknown, reason: "the machine goes down"))
    }

    /// Whether an action helped.
    public enum Use: String, Hashable, Sendable, CaseIterable {
        /// The link was sick, and is healthy now.
        case useful
        /// The link is sick now, whether it was sick before or not.
        case useless
        /// The link was not known to be sick, or the verdict after the action is unknown.
        case unclear
    }

    public var use: Use {
        guard wasSick else { return outcome.conclusion == .sick ? .useless : .unclear }
        return switch outcome.conclusion {
        case .healthy: .useful
        case .sick: .useless
        case .unknown: .unclear
        }
    }

    /// The action as a phrase: `bounced`, or with other methods `tried owner, then rfkill`.
    var headline: String { Self.headline(action, methods) }

    static func headline(_ action: String, _ methods: [String]) -> String {
        methods.isEmpty || methods == ["bounce"]
            ? action : "tried " + methods.joined(separator: ", then ")
    }

    /// The method after which the link was healthy; nil: it was not healthy.
    var lastMethod: String? { outcome.conclusion == .healthy ? methods.last : nil }

    /// The lists of what was lost, restored and refused, each with a title.
    var losses: [String] {
        [
            ("lost", restoration.lost), ("restored", restoration.restored),
            ("not restored", restoration.refusedTexts),
        ].filter { !$0.1.isEmpty }.map { "\($0.0): " + $0.1.joined(separator: ", ") }
    }

    // MARK: As JSON

    /// The members about what was done, with the keys of a cycle.
    var members: [(String, JSONText)] {
        doing + times + [
            ("lost", .list(restoration.lost)), ("restored", .list(restoration.restored)),
            ("refused", restoration.refusedJSON),
        ]
    }

    var doing: [(String, JSONText)] {
        [
            ("action", .string(action)), ("methods", .list(methods)),
            ("method", .optional(lastMethod)),
        ]
    }

    var times: [(String, JSONText)] {
        [("down_ms", .milliseconds(down)), ("recovery_ms", .milliseconds(recovery))]
    }

    /// The members as they are stored in the history.
    var storedMembers: [(String, JSONText)] {
        let before: [(String, JSONText)] = wasSick && !cause.isSick ? [("was_sick", .bool(true))] : []
        return [("cause", cause.json)] + before + members + [("outcome", .object(outcome.members))]
    }

    /// Reads the stored members; nil: something required is missing.
    init?(_ json: JSONText) {
        guard let cause = json["cause"].flatMap({ ActionCause($0) }), let action = json["action"]?.string,
            let outcome = json["outcome"].flatMap({ RecordedVerdict($0) })
        else { return nil }
        self.init(
            cause: cause, wasSick: json["was_sick"]?.isTrue == true, action: action,
            methods: json.texts("methods"), down: json["down_ms"]?.duration,
            recovery: json["recovery_ms"]?.duration, outcome: outcome,
            restoration: Restoration(
                lost: json.texts("lost"), restored: json.texts("restored"),
                refused: json["refused"]?.elements.compactMap { Restoration.Refused($0) } ?? []))
    }

    /// A shorter form for a history line that is too long: without evidence, and without what was lost and
    /// restored.
    var bare: RecordedAction {
        var bare = self
        bare.cause = cause.bare
        bare.restoration = Restoration()
        return bare
    }
}

extension Restoration {
    /// The items that could not be restored, with the kernel's messages.
    var refusedTexts: [String] { refused.map { "\($0.description): \($0.failure.description)" } }

    var refusedJSON: JSONText {
        .array(
            refused.map {
                .object([("item", .string($0.description)), ("error", .string($0.failure.description))])
            })
    }
}

extension Restoration.Refused {
    fileprivate init?(_ json: JSONText) {
        guard let item = json["item"]?.string, let error = json["error"]?.string else { return nil }
        self.init(description: item, failure: Failure(kind: .other, description: error))
    }
}

extension CycleReport.Action {
    /// The value of the key `action`.
    public var word: String {
        switch self {
        case .none: "none"
        // If no method took the link down, the action was not a bounce.
        case .bounced(let summary): summary.methods.contains(where: \.takesLinkDown) ? "bounced" : "recovered"
        case .raised: "raised"
        case .held: "held"
        case .skipped: "skipped"
        case .failed: "failed"
        case .refused: "refused"
        }
    }
}
