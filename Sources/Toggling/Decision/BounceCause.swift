import Model

/// Why the link is bounced.
enum BounceCause: Hashable, Sendable {
    /// No verdict: a tick of the plain timer, a one-shot `toggle`, a raise after an rfkill block, or a restore.
    case unconditional
    /// A user requested the bounce from the service. `delay`: how long the link is kept down; nil: as set.
    case userRequest(delay: Duration?)
    case sick(Verdict)

    var verdict: Verdict? { if case .sick(let verdict) = self { verdict } else { nil } }

    var isUserRequest: Bool { if case .userRequest = self { true } else { false } }
}
