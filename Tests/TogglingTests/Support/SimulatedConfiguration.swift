@testable import Model

/// The addresses and routes of a virtual world's link: what snapshots have of them, and what a bounce leaves
/// of them.
struct SimulatedConfiguration {
    var snapshot = Snapshot()
    var restoration = Restoration()
    /// The items that are missing this long after the raise; nil: those in `restoration`.
    var missing: ((Duration) -> [String])?
    /// Whether the link's name servers are missing this long after the raise.
    var lacksNameServers: (Duration) -> Bool = { _ in false }
    /// Whether a baseline can be taken.
    var hasBaseline = true

    var baseline: Snapshot? { hasBaseline ? snapshot : nil }

    /// The result of a comparison or a restore this long after the raise.
    func restoration(after duration: Duration) -> Restoration {
        guard let missing else { return restoration }
        return Restoration(lost: missing(duration), lacksNameServers: lacksNameServers(duration))
    }
}
