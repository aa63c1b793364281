import Invocation
import Model
import Platform

/// Reads and writes holds.
struct HoldStore {
    private let directory: String

    init(_ request: Request) { directory = request.runDirectory }

    /// Of the hold for this interface and the one for all, the one that lasts longer.
    func administrativeHold(of interface: String) -> AdministrativeHold? {
        let holds = [interface, nil].compactMap { HoldFile(interface: $0, directory: directory).read() }
        if holds.contains(.untilRemoved) { return .untilReleased }
        let ends = holds.compactMap { if case .until(let end) = $0 { end } else { nil } }
        return ends.max().map { .until(Instant(nanoseconds: $0)) }
    }

    /// Writes a hold.
    /// - Parameter interface: nil: all of them.
    func hold(_ interface: String?, for duration: Duration) throws(SystemError) {
        let file = HoldFile(interface: interface, directory: directory)
        try file.write(until: BootClock.now() + duration.nanoseconds)
    }

    /// Removes the hold; without an interface, all of them.
    /// - Returns: whether there was one.
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
