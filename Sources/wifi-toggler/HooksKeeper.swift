import Platform
import Probing
import Service
import Toggling

/// Tells the programs of `--hooks-dir` of what changes.
final class HooksKeeper {
    private let desk: Desk
    private var directory: String?
    /// One for good: programs of one directory are not run beside those of another.
    private let folder: HookFolder
    private var watches: [Int: HookWatch] = [:]

    init(_ desk: Desk) {
        self.desk = desk
        folder = HookFolder(nil) { desk.note(.warning, $0, about: nil, .hookFailed) }
    }

    /// Takes the programs of this directory from now on.
    /// - Parameter directory: absolute; nil: nobody is to be told.
    func use(_ directory: String?) {
        guard directory != self.directory else { return }
        self.directory = directory
        // Who is there now has not been told anything.
        watches = [:]
        folder.move(to: directory)
    }

    func take(_ report: Report, _ subject: Subject) {
        for event in watches[subject.id, default: HookWatch()].take(report) { post(event, report, subject) }
    }

    private func post(_ event: HookEvent, _ report: Report, _ subject: Subject) {
        // Of the moment when it happened, whenever it is told.
        let (time, now) = (WallClock.rfc3339(), Instant(nanoseconds: BootClock.now()))
        folder.post(about: String(subject.id)) { dropped in
            Self.message(
                HookRecord(
                    event, report, interface: subject.name, dropped: dropped, time: time, now: now,
                    wallTime: { WallClock.rfc3339(in: $0 - (Instant(nanoseconds: BootClock.now()) - now)) }))
        }
    }

    /// A name from the air may stand in a sentence: what could steer a terminal, or end the value, is escaped.
    private static func message(_ record: HookRecord) -> HookFolder.Message {
        let variables = record.variables.map { ($0.name, Output.escaped($0.value)) }
        return HookFolder.Message(
            input: Array((record.json.line + "\n").utf8),
            variables: Dictionary(variables) { $1 })
    }
}
