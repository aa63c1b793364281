import Model

/// What calls for a bounce.
enum BounceCause: Hashable, Sendable {
    /// The plain timer, or a one-shot that is there for nothing else.
    case asked
    /// A person, of the service; nil: the link is held down for as long as the settings say.
    case person(delay: Duration?)
    case sick(Verdict)

    var verdict: Verdict? {
        switch self {
        case .asked, .person: nil
        case .sick(let verdict): verdict
        }
    }

    var isPersons: Bool {
        switch self {
        case .person: true
        case .asked, .sick: false
        }
    }
}
