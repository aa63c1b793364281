import Model
import Toggling

/// The kind of a log line, for searches in the journal. The raw value is its MESSAGE_ID
/// (sd_journal_print(3)), which never changes; the manual page lists them.
public enum MessageID: String, CaseIterable, Sendable {
    /// The service begins to watch an interface.
    case starting = "313f0befd9984bc78ada19659a93c8d9"
    /// A check has ended without an action.
    case verdict = "ec9dd5be122349f3b093d291025151f3"
    case bounceBegun = "6bedf7ca9685442f94aa77d2c54856b9"
    /// A step of a bounce.
    case bounceStep = "da9db5041d7f4870898cba3971aec4d6"
    case bounceFinished = "1a462a3c40134a6787d2a37ebc115ce3"
    /// A bounce was begun and failed.
    case bounceFailed = "592b329a35b14f5091e5dc5ae163e9b8"
    /// Sick, without an action: postponed, or a bounce could not help.
    case held = "9ac797a262e44cba82f84bb04bd3d710"
    /// The state of the interface forbids it.
    case refused = "9ccd951f239149f8a82be8d6c6e04979"
    case absent = "3463761ae22944f0b17cee6d1732fae6"
    case appeared = "4d792587536c40a9b30b557a9da66014"
    case renamed = "6c3d99cc82844819be39d69e169c0468"
    /// An administrator holds the interface.
    case holdSet = "1d5139eb24124af58c776cc1efb3f3c4"
    /// The hold has ended.
    case holdOver = "bcc601ccc5a64354a369546dc7022580"
    /// The configuration was read again.
    case reloaded = "a1b286dcbdb14eaf98f6abca813f802b"
    /// The new configuration could not be used: the old one stays.
    case reloadRefused = "e14d867d0dac44dda26457a0cbb65920"
    /// A hook was not run, or failed.
    case hookFailed = "370cf7c29d3d47aea93d9ba063d31d37"

    /// The journal field for it.
    public var field: (name: String, value: String) { ("MESSAGE_ID", rawValue) }
}

/// The journal fields for the lines of one report.
public struct JournalFields: Sendable {
    public let interfaceRef: MessageID
    /// Names and values; a value may contain anything.
    public let fields: [(name: String, value: String)]

    public init(_ report: Report, interface: String) {
        interfaceRef = MessageID(report)
        var values: [(String, String?)] = []
        switch report {
        case .watching: break
        case .step(.beginning(let method, let verdict)):
            values += Self.words(of: verdict) + [("METHOD", method.rawValue)]
        case .step(.escalating(_, let method, let verdict)):
            values += Self.words(of: verdict) + [("METHOD", method.rawValue)]
        case .step(.passedOver(let method, _, _, _)): values.append(("METHOD", method.rawValue))
        case .step(.lowered), .step(.raisingAfterBlock), .step(.raisedByOther), .step(.guardLost),
            .step(.raised), .step(.loweredByOther), .step(.scanAborted), .step(.operational),
            .step(.ownerOverdue),
            .step(.restoredLate),
            .step(.raiseFailed), .step(.absent), .step(.appeared), .step(.finishing):
            break
        case .cycle(let cycle):
            values += Self.words(of: cycle.verdict)
            values += [("CONDITION", cycle.change.after.rawValue), ("ACTION", cycle.action.word)]
        }
        fields = Self.fields(about: interface, nil) + Self.named(values)
    }

    /// For messages that are not reports.
    /// - Parameters:
    ///   - interface: the subject; nil: none, or several.
    ///   - interfaceRef: the kind of message; nil: it has no MESSAGE_ID.
    public static func fields(
        about interface: String?, _ interfaceRef: MessageID?
    ) -> [(name: String, value: String)] {
        [interfaceRef?.field].compactMap(\.self) + named([("INTERFACE", interface)])
    }

    private static func named(_ values: [(String, String?)]) -> [(name: String, value: String)] {
        values.compactMap { name, value in value.map { ("WIFI_TOGGLER_" + name, $0) } }
    }

    private static func words(of verdict: Verdict?) -> [(String, String?)] {
        [("VERDICT", verdict?.conclusion.rawValue), ("LAYER", verdict?.layer?.rawValue)]
    }
}

extension MessageID {
    init(_ report: Report) {
        switch report {
        case .watching: self = .starting
        case .step(.beginning), .step(.raisingAfterBlock): self = .bounceBegun
        case .step(.absent): self = .absent
        case .step(.appeared): self = .appeared
        case .step(.escalating), .step(.passedOver), .step(.lowered), .step(.raisedByOther),
            .step(.guardLost), .step(.raised), .step(.loweredByOther), .step(.operational),
            .step(.scanAborted), .step(.ownerOverdue), .step(.restoredLate), .step(.raiseFailed),
            .step(.finishing):
            self = .bounceStep
        case .cycle(let cycle):
            switch cycle.action {
            case .none: self = .verdict
            case .bounced, .raised: self = .bounceFinished
            case .failed: self = .bounceFailed
            case .held, .skipped: self = .held
            case .refused: self = .refused
            }
        }
    }
}
