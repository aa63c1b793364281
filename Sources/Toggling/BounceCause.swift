/// What calls for a bounce.
enum BounceCause: Hashable, Sendable {
    /// A person, or the plain timer.
    case asked
    case sick(Verdict)

    var verdict: Verdict? {
        switch self {
        case .asked: nil
        case .sick(let verdict): verdict
        }
    }
}
