import Invocation
import Platform
import Toggling

/// Looks whether an administrator wants an interface left alone.
struct HoldKeeper {
    private let directory: String

    init(_ request: Request) { directory = request.runDirectory }

    /// Of the word for this interface and the one for all, the one that holds longer.
    func inhibition(of interface: String) -> Inhibition? {
        let holds = [interface, nil].compactMap { HoldFile(interface: $0, directory: directory).read() }
        if holds.contains(.untilRemoved) { return .untilReleased }
        let ends = holds.compactMap { if case .until(let end) = $0 { end } else { nil } }
        return ends.max().map { .until(Instant(nanoseconds: $0)) }
    }
}
