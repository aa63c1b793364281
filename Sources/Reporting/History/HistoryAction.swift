import Model
import Toggling

/// An action on a link, whatever its result.
public struct HistoryAction: Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// Requested by a user, or the plain timer.
        case asked
        /// An rfkill block had taken the link down.
        case block
        case sick(HistoryFinding)
    }

    public var cause: Cause
    /// The value of the key `action`: `bounced`, `reassociated`, `raised`, ...
    public var action: String
    /// The methods that were carried out, in order.
    public var methods: [String]
    /// nil: the link was not taken down.
    public var down: Duration?
    /// nil: the link did not come back.
    public var recovery: Duration?
    /// The state of the link afterwards; if the action failed, what failed.
    public var outcome: HistoryFinding
    public var lost: [String]
    public var restored: [String]
    /// What could not be restored, with the kernel's messages.
    public var refused: [String]

    public init(
        cause: Cause, action: String, methods: [String] = [], down: Duration? = nil,
        recovery: Duration? = nil, outcome: HistoryFinding, lost: [String] = [], restored: [String] = [],
        refused: [String] = []
    ) {
        self.cause = cause
        self.action = HistoryEntry.clipped(action)
        self.methods = HistoryEntry.clipped(methods)
        self.down = down.map { max(.zero, $0) }
        self.recovery = recovery.map { max(.zero, $0) }
        // The cause already has the evidence; a second list would be half of the line.
        self.outcome = outcome.bare
        self.lost = HistoryEntry.clipped(lost)
        self.restored = HistoryEntry.clipped(restored)
        self.refused = HistoryEntry.clipped(refused)
    }

    /// Whether it helped.
    public enum Use: String, Hashable, Sendable, CaseIterable {
        /// The link was sick, and is not any more.
        case useful
        /// It was sick, and still is.
        case useless
        /// The health before or after is unknown.
        case unclear
    }

    public var use: Use {
        guard case .sick = cause else { return outcome.conclusion == .sick ? .useless : .unclear }
        return switch outcome.conclusion {
        case .healthy: .useful
        case .sick: .useless
        case .unknown: .unclear
        }
    }

    /// The cause, as a clause.
    var why: String {
        switch cause {
        case .asked: "asked for"
        case .block: "an rfkill block had taken the link down"
        case .sick(let finding): finding.headline
        }
    }

    /// `bounced`, or with another method `bounced by rfkill`.
    var headline: String {
        methods.isEmpty || methods == ["bounce"] ? action : "\(action) by \(methods.joined(separator: ", "))"
    }

    /// A shorter form, with the required parts only.
    var bare: HistoryAction {
        var bare = self
        if case .sick(let finding) = cause { bare.cause = .sick(finding.bare) }
        (bare.lost, bare.restored, bare.refused) = ([], [], [])
        return bare
    }
}

extension HistoryAction {
    /// - Parameter cause: from the report of the action's beginning.
    init?(_ report: CycleReport, cause: Cause) {
        var failed: String?
        switch report.action {
        case .none, .held, .skipped, .refused: return nil
        case .bounced, .raised: break
        case .failed(let step, let failure): failed = HistoryEntry.clipped(step.sentence(failure))
        }
        var outcome = HistoryFinding(report.verdict)
        outcome.reason = failed ?? outcome.reason
        let summary = report.action.summary
        let restoration = summary?.restoration ?? Restoration()
        self.init(
            cause: cause, action: report.action.word, methods: (summary?.methods ?? []).map(\.rawValue),
            down: summary?.down, recovery: summary?.recovery, outcome: outcome, lost: restoration.lost,
            restored: restoration.restored,
            refused: restoration.refused.map { $0.words + Self.separator + $0.failure.words })
    }

    /// What could not be restored, and the kernel's messages, as in a cycle.
    var refusedJSON: JSONText {
        .array(
            refused.map { text in
                let (item, error) = Self.parts(of: text)
                return .object([("item", .string(item)), ("error", .string(error))])
            })
    }

    /// Separates the two; in an address no space follows a colon.
    private static let separator = ": "

    private static func parts(of text: String) -> (item: String, error: String) {
        let bytes = text.utf8
        let colon = bytes.indices.first { bytes[$0...].starts(with: separator.utf8) }
        guard let colon else { return (text, "") }
        return (String(text[..<colon]), String(bytes[colon...].dropFirst(separator.utf8.count)) ?? "")
    }
}
