import Model
import Toggling

@testable import Reporting

/// Sinks that are given a report, as a record of it.
extension LogFormatter {
    mutating func lines(for report: Report, interface: String, at now: Instant) -> [Line] {
        lines(for: Record(report, about: interface, at: now))
    }
}

extension InterfaceStatus {
    @discardableResult mutating func take(_ report: Report, at now: Instant) -> Record {
        take(report, about: "wlan0", at: now)
    }

    mutating func note(_ administrativeHold: AdministrativeHold?, at now: Instant) -> Record? {
        note(administrativeHold, about: "wlan0", at: now)
    }
}

extension HookWatch {
    mutating func take(_ report: Report) -> [HookEvent] {
        take(Record(report, about: "wlan0", at: .boot))
    }
}

extension JSONText {
    /// The names of the members.
    var keys: [String] { if case .object(let members) = self { members.map(\.0) } else { [] } }
}
