import Platform
import Recovery
import Reporting
import Service

/// Runs the hooks in `--hooks-dir` when something changes.
final class HookRunner {
    private let printer: ReportPrinter
    private var directory: String?
    /// There is only one object, because programs of the old and the new directory must not run at the same
    /// time.
    private let hooks: HookDirectory
    private var watches: [Int: HookWatch] = [:]

    /// - Parameter protected: the directories in which hooks of a service that is not root must not change
    ///   anything.
    init(_ printer: ReportPrinter, protected: [String]) {
        self.printer = printer
        hooks = HookDirectory(nil, protected: protected) {
            printer.note(.warning, $0, about: nil, .hookFailed)
        }
    }

    /// Uses the programs in another directory from now on.
    /// - Parameter directory: an absolute path; nil for no hooks.
    func use(_ directory: String?) {
        guard directory != self.directory else { return }
        self.directory = directory
        // The new programs have not been told the state of any interface.
        watches = [:]
        hooks.move(to: directory)
    }

    func take(_ record: Record, _ interfaceRef: InterfaceRef) {
        for event in watches[interfaceRef.id, default: HookWatch()].take(record) {
            hooks.post(about: String(interfaceRef.id)) { Self.message(event, record, dropped: $0) }
        }
    }

    /// The message for the hooks. It may contain the name of a network, so characters that control a
    /// terminal, or end a value, are escaped.
    private static func message(
        _ event: HookEvent, _ record: Record, dropped: Int
    ) -> HookDirectory.Message {
        let message = HookMessage(event, record, dropped: dropped, wallTime: ReportPrinter.wallTime)
        let variables = message.variables.map { ($0.name, Output.escaped($0.value)) }
        return HookDirectory.Message(
            input: Array((message.json.line + "\n").utf8), variables: Dictionary(variables) { $1 })
    }
}
