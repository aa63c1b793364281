import Invocation
import Model
import Platform
import Toggling

/// Looks whether an administrator wants an interface left alone, and writes that down.
struct HoldStore {
    private let directory: String

    init(_ request: Request) { directory = request.runDirectory }

    /// Of the word for this interface and the one for all, the one that holds longer.
    func administrativeHold(of interface: String) -> AdministrativeHold? {
        let holds = [interface, nil].compactMap { HoldFile(interface: $0, directory: directory).read() }
        if holds.contains(.untilRemoved) { return .untilReleased }
        let ends = holds.compactMap { if case .until(let end) = $0 { end } else { nil } }
        return ends.max().map { .until(Instant(nanoseconds: $0)) }
    }

    /// Writes that word down.
    /// - Parameter interface: nil: all of them.
    func hold(_ interface: String?, for duration: Duration) throws(SystemError) {
        let file = HoldFile(interface: interface, directory: directory)
        try file.write(until: BootClock.now() + duration.nanoseconds)
    }

    /// Takes it back, without an interface all there are.
    /// - Returns: whether anything was held.
    func release(_ interface: String?) throws(SystemError) -> Bool {
        let files =
            if let interface { [HoldFile(interface: interface, directory: directory)] } else {
                try HoldFile.all(in: directory)
            }
        var wasHeld = false
        for file in files { wasHeld = try file.remove() || wasHeld }
        return wasHeld
    }
}
