import Model
import Toggling

/// One thing that happened to an interface, as it is kept: when, who saw it, how the link was afterwards, and
/// what it was. Texts are sentences, so that a later version with other reasons can still show them.
public struct HistoryEntry: Hashable, Sendable {
    /// The command that saw it.
    public enum Witness: String, Hashable, Sendable, CaseIterable {
        case run, reconnect, toggle
    }

    public enum What: Hashable, Sendable {
        /// The service begins to watch; which version of the program.
        case began(program: String)
        /// It ends, and says so. One that was killed does not.
        case ended
        /// The health of the link is another one now.
        case changed(HistoryFinding, since: Int64)
        /// Something was done about the link.
        case acted(HistoryAction)
        case vanished
        case appeared
        /// The machine was suspended for so long.
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

    /// As far as is known: a one-shot looks too seldom for a condition, and its last verdict stands for one.
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

    // MARK: Bounds

    /// Four times IFNAMSIZ: bytes that are not UTF-8 take three each.
    private static let longestName = 64
    /// Of one text, in bytes: a sentence of ours is shorter, whatever network it names.
    static let longestText = 400
    /// Of one list.
    static let mostItems = 12

    /// The beginning of a text, no more bytes than that, and no part of a character.
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
