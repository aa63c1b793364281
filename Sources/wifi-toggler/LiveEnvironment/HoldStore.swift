import Invocation
import Model
import Platform

/// Reads and writes administrative holds.
struct HoldStore {
    private let directory: String

    init(_ request: Request) { directory = request.runDirectory }

    /// The hold on an interface: its own hold or the hold for all interfaces, whichever lasts longer; nil if
    /// there is none.
    func administrativeHold(of interface: String) -> AdministrativeHold? {
        let holds = [interface, nil].compactMap { HoldFile(interface: $0, directory: directory).read() }
        if holds.contains(.untilRemoved) { return .untilReleased }
        let ends = holds.compactMap { if case .until(let end) = $0 { end } else { nil } }
        return ends.max().map { .until(Instant(nanoseconds: $0)) }
    }

    /// Writes a hold.
    /// - Parameter interface: the name of the interface; nil for all interfaces.
    func hold(_ interface: String?, for duration: Duration) throws(SystemError) {
        let file = HoldFile(interface: interface, directory: directory)
        try file.write(until: BootClock.now() + duration.nanoseconds)
    }

    /// Removes the hold on an interface; without an interface, all holds.
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
