import Model
import Toggling

/// One event in the history of an interface: when, recorded by which command, the health of the link
/// afterwards, and what happened. Reasons are stored as sentences, so that a later version with other reasons
/// can still show them.
public struct HistoryEntry: Hashable, Sendable {
    /// The command that recorded it.
    public enum Witness: String, Hashable, Sendable, CaseIterable {
        case run, reconnect, toggle
    }

    public enum What: Hashable, Sendable {
        /// The service begins to watch; with the version of the program.
        case began(program: String)
        /// The service ends normally. A killed one writes no such entry.
        case ended
        /// The health of the link has changed.
        case changed(HistoryFinding, since: Int64)
        /// An action on the link.
        case acted(HistoryAction)
        case vanished
        case appeared
        /// The machine was suspended for this long.
        case slept(Duration)
        case sampled(HistorySample)
    }

    public var at: Timestamp
    public var interface: String
    public var witness: Witness
    /// The health afterwards.
    public var condition: Health.Condition
    public var what: What

    public init(
        at: Timestamp, interface: String, witness: Witness, condition: Health.Condition, what: What
    ) {
        self.at = at
        self.interface = Self.clipped(interface, to: Self.longestName)
        self.witness = witness
        self.condition = condition
        self.what = what
    }

    /// As far as it is known: a one-shot checks too seldom to establish a health, so its last verdict is
    /// used.
    public var interfaceStatus: Health.Condition {
        guard condition == .undetermined, witness != .run, case .acted(let action) = what else {
            return condition
        }
        return switch action.outcome.conclusion {
        case .healthy: .healthy
        case .sick: .sick
        case .unknown: .undetermined
        }
    }

    // MARK: Limits

    /// Four times IFNAMSIZ: bytes that are not UTF-8 take three each.
    private static let longestName = 64
    /// Of one text, in bytes: the program's sentences are shorter, whatever network they name.
    static let longestText = 400
    /// Of one list.
    static let mostItems = 12

    /// The beginning of a text, at most this many bytes, without a partial character.
    static func clipped(_ text: String, to longest: Int = longestText) -> String {
        guard text.utf8.count > longest else { return text }
        var clipped = String.UnicodeScalarView()
        var size = 0
        for scalar in text.unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= longest else { break }
            clipped.append(scalar)
        }
        return String(clipped)
    }

    static func clipped(_ texts: [String]) -> [String] { texts.prefix(mostItems).map { clipped($0) } }
}
