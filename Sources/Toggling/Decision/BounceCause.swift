import Model

/// Why the link is bounced.
enum BounceCause: Hashable, Sendable {
    /// The plain timer, or a one-shot that was started for it.
    case asked
    /// A user has requested it from the service. `delay` is how long the link is kept down; nil: as the
    /// settings say.
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
