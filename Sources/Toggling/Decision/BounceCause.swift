import Model

/// Why the link is bounced.
enum BounceCause: Hashable, Sendable {
    /// The plain timer, or a one-shot that was started to bounce.
    case asked
    /// A user requested the bounce from the service. `delay` is how long the link is kept down; nil: as set
    /// in the settings.
    case person(delay: Duration?)
    case sick(Verdict)

    var verdict: Verdict? {
        if case .sick(let verdict) = self { verdict } else { nil }
    }

    var isPersons: Bool {
        if case .person = self { true } else { false }
    }
}
