import Glibc
import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Prints records as lines and objects.
final class ReportPrinter {
    private let console: Console
    private let isJSON: Bool
    private var verbosity: Verbosity { console.verbosity }
    /// A one-shot's last cycle is its result.
    private let isOneShot: Bool
    /// `probe` also prints the explanation of its verdict.
    private let tellsEvidence: Bool
    private var voices: [Int: Voice] = [:]

    /// The formatter of one interface, with its settings. A class, because a dictionary of values keeps room
    /// for as many again.
    private final class Voice {
        var formatter: LogFormatter

        init(_ verbosity: Verbosity) { formatter = LogFormatter(verbosity: verbosity) }
    }

    init(_ console: Console, _ request: Request, isOneShot: Bool) {
        self.console = console
        self.isOneShot = isOneShot
        isJSON = request.output.isJSON
        tellsEvidence = request.command == .probe && !isJSON
    }

    /// The new settings of an interface.
    func know(_ settings: Settings, of interfaceRef: InterfaceRef) {
        voice(for: interfaceRef).formatter.settings = settings
    }

    private func voice(for interfaceRef: InterfaceRef) -> Voice {
        if let voice = voices[interfaceRef.id] { return voice }
        let voice = Voice(verbosity)
        voices[interfaceRef.id] = voice
        return voice
    }

    func take(_ record: Record, _ interfaceRef: InterfaceRef) {
        if isJSON, let cycle = record.cycle, !isOneShot || cycle.next == nil {
            console.result(record.json(wallTime: Self.wallTime))
        }
        let lines = voice(for: interfaceRef).formatter.lines(for: record)
        // With JSON on standard output, people read standard error.
        let isResult = isOneShot && !isJSON && record.cycle.map { $0.next == nil } ?? false
        var results: [String] = []
        for (position, line) in lines.enumerated() {
            if isResult, line.level != .error {
                results.append(line.text)
            } else {
                console.say(line, JournalFields.fields(of: record, isFirst: position == 0))
            }
            // The explanation below the verdict.
            if position == 0, tellsEvidence, let cycle = record.cycle {
                results += EvidenceTable.lines(cycle.verdict.evidence)
            }
        }
        console.results(results)
    }

    /// The text (RFC 3339) of an instant.
    static func wallTime(_ instant: Instant) -> String {
        WallClock.rfc3339(in: instant - Instant(nanoseconds: BootClock.now()))
    }

    /// A line of the service that acts for this process.
    func `repeat`(_ line: Line, about interface: String) { note(line.level, line.text, about: interface) }

    /// The last lines of that service.
    func `repeat`(_ lines: [Line], about interface: String, result: JSONText?) {
        if isJSON, let result { console.result(result) }
        for line in lines {
            let isResult = !isJSON && line.level != .error && verbosity.wants(line.level)
            isResult ? console.result(line.text) : `repeat`(line, about: interface)
        }
    }

    /// - Parameters:
    ///   - interface: the subject, whose name is already in the text; nil: none, or several.
    ///   - kind: of the message; nil: it has no MESSAGE_ID.
    func note(
        _ level: LogLevel, _ text: @autoclosure () -> String, about interface: String? = nil,
        _ kind: Record.Kind? = nil
    ) { console.note(level, text(), about: interface, kind) }

    /// Whether any owner could conflict with the settings of an interface.
    func mayWarn(of interfaceRef: InterfaceRef) -> Bool {
        ConfigConflict.isPossible(under: voices[interfaceRef.id]?.formatter.settings ?? Settings())
    }

    /// Reports where the owner of an interface conflicts with its settings.
    func warn(_ ownership: Ownership, of interfaceRef: InterfaceRef) {
        for configConflict in ownership.configConflicts(
            under: voices[interfaceRef.id]?.formatter.settings ?? Settings())
        {
            note(.warning, "\(interfaceRef.name): \(configConflict.text)", about: interfaceRef.name)
        }
    }

    func stateChanged(_ interfaceRef: InterfaceRef, _ from: String, _ to: String) {
        note(.debug, "\(interfaceRef.name): \(from) → \(to)", about: interfaceRef.name)
    }
}
