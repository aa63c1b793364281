import Model
import Toggling

@testable import Reporting

/// Short forms for tests: each makes a record of a report and hands it to the sink.
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
    /// The names of the object's members.
    var keys: [String] { if case .object(let members) = self { members.map(\.0) } else { [] } }
}
