import Model
import Platform
import Probing
import Reporting
import Service
import Toggling

/// Tells the programs of `--hooks-dir` of what changes.
final class HookRunner {
    private let printer: ReportPrinter
    private var directory: String?
    /// One for good: programs of one directory are not run beside those of another.
    private let hooks: HookDirectory
    private var watches: [Int: HookWatch] = [:]

    init(_ printer: ReportPrinter) {
        self.printer = printer
        hooks = HookDirectory(nil) { printer.note(.warning, $0, about: nil, .hookFailed) }
    }

    /// Takes the programs of this directory from now on.
    /// - Parameter directory: absolute; nil: nobody is to be told.
    func use(_ directory: String?) {
        guard directory != self.directory else { return }
        self.directory = directory
        // Who is there now has not been told anything.
        watches = [:]
        hooks.move(to: directory)
    }

    func take(_ report: Report, _ interfaceRef: InterfaceRef) {
        for event in watches[interfaceRef.id, default: HookWatch()].take(report) {
            post(event, report, interfaceRef)
        }
    }

    private func post(_ event: HookEvent, _ report: Report, _ interfaceRef: InterfaceRef) {
        // Of the moment when it happened, whenever it is told.
        let (time, now) = (WallClock.rfc3339(), Instant(nanoseconds: BootClock.now()))
        hooks.post(about: String(interfaceRef.id)) { dropped in
            Self.message(
                HookJSON(
                    event, report, interface: interfaceRef.name, dropped: dropped, time: time, now: now,
                    wallTime: { WallClock.rfc3339(in: $0 - (Instant(nanoseconds: BootClock.now()) - now)) }))
        }
    }

    /// A name from the air may stand in a sentence: what could steer a terminal, or end the value, is
    /// escaped.
    private static func message(_ record: HookJSON) -> HookDirectory.Message {
        let variables = record.variables.map { ($0.name, Output.escaped($0.value)) }
        return HookDirectory.Message(
            input: Array((record.json.line + "\n").utf8),
            variables: Dictionary(variables) { $1 })
    }
}
